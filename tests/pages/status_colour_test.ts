import { describe, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { browser } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { aModel, anItem, api, aStatus, bob, carol } from "../support/mod.ts";

const STATUSES = "/inventory/attributes/status";
const PALETTE = ["grey", "red", "orange", "yellow", "green", "teal", "blue", "violet", "pink"];
const STYLES = fileURLToPath(new URL("../../static/pills.css", import.meta.url));

/** A status that its name would make green, chosen to be violet, and one of a usual name. */
async function twoItems() {
  const chosen = await aStatus({ name: "In service", colour: "violet" });
  await aStatus({ name: "Broken" });
  await anItem({ ics_id: "AAA001", status: "In service" });
  await anItem({ ics_id: "AAA002", status: "Broken" });
  return chosen;
}

function pillsIn(text: string): Array<[string, string]> {
  const shown = texts(text, "span.pill");
  return elements(text, "span.pill").map(({ attributes }, at) => [
    attributes.class!.replace("pill ", ""),
    shown[at]!,
  ]);
}

describe("the pill of a status", () => {
  test.each([
    ["/inventory/items", ["violet", "red"]],
    ["/inventory/items/view/AAA001", ["violet"]],
    ["/inventory/items/view/AAA002", ["red"]],
    [STATUSES, ["red", "violet"]],
    [`${STATUSES}/In%20service`, ["violet"]],
    [`${STATUSES}/Broken`, ["red"]],
  ])("on %s has the chosen colour, or one by its name", async (path, colours) => {
    await twoItems();
    const { text } = await (await browser(carol)).get(path);
    const words = { violet: "In service", red: "Broken" } as Record<string, string>;
    expect(pillsIn(text)).toEqual(colours.map((colour) => [colour, words[colour]!]));
  });

  test("is beside the items of a model", async () => {
    await twoItems();
    await aModel({ name: "Crate" });
    await api(bob).patch("/inventory/items/AAA001", { model: "Crate" });
    const { text } = await (await browser(carol)).get("/inventory/attributes/model/Crate");
    expect(pillsIn(text)).toEqual([["violet", "In service"]]);
  });

  test("colours the chart of the home page where a colour is chosen", async () => {
    await twoItems();
    const { text } = await (await browser(carol)).get("/");
    const parts = elements(text, "ul.parts rect").map(({ attributes }) => attributes.class);
    expect(parts.toSorted()).toEqual(["part-1", "part-chosen violet"]);
  });
});

describe("the form of a status", () => {
  test("chooses a colour from a list", async () => {
    const { id } = await twoItems();
    const own = await browser(bob);
    const path = `${STATUSES}?selected=${id}`;
    const { text } = await own.get(path);
    const options = elements(text, "#field-colour option").map((one) => one.attributes);
    expect(options.map(({ value }) => value)).toEqual(["", ...PALETTE]);
    expect(options.find((one) => "selected" in one)?.value).toBe("violet");
    expect(texts(text, "#field-colour option").slice(0, 2)).toEqual(["Not set", "Grey"]);
    const { version } = await api(bob).get(`/inventory/statuses/${id}`).then(versionOf);
    const form = { action: "update", id: String(id), version, name: "In service", description: "" };
    expect((await own.submit(path, { ...form, colour: "pink" })).status).toBe(303);
    expect((await api(carol).get(`/inventory/statuses/${id}`)).body.colour).toBe("pink");
    expect((await own.submit(STATUSES, { name: "Lent", colour: "" })).status).toBe(303);
    const { body } = await api(carol).get("/inventory/statuses?name=Lent");
    expect(body[0].colour).toBeNull();
  });
});

describe("the palette", () => {
  test.each(["light", "dark"])("has a contrast of 4.5 in the %s scheme", async (scheme) => {
    const styles = await Bun.file(STYLES).text();
    for (const colour of PALETTE) {
      const [ground, ink] = [
        colourIn(styles, { colour, property: "background", scheme }),
        colourIn(styles, { colour, property: "color", scheme }),
      ];
      expect([colour, contrast(ground, ink) >= 4.5]).toEqual([colour, true]);
    }
  });
});

function versionOf({ headers }: { headers: Headers }): { version: string } {
  return { version: /\d+/.exec(headers.get("etag") ?? "")?.[0] ?? "" };
}

interface Wanted {
  colour: string;
  property: string;
  scheme: string;
}

function colourIn(styles: string, { colour, property, scheme }: Wanted): string {
  const rule = new RegExp(`\\.${colour} \\{([^}]*)\\}`).exec(styles)?.[1] ?? "";
  const [, light, dark] =
    new RegExp(`(?:^|\\s)${property}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(rule) ?? [];
  return (scheme === "light" ? light : dark) ?? `no ${property} of ${colour}`;
}

/** Of WCAG 2. */
function contrast(one: string, other: string): number {
  const [least = 0, most = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (most + 0.05) / (least + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
