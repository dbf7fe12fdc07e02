import { describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { concurrently } from "../support/concurrently.ts";
import { elements, texts } from "../support/html.ts";
import { imports, verdictsOf } from "../support/imports.ts";
import { aManufacturer, anItem, api, bob, carol } from "../support/mod.ts";
import { uploaded } from "../support/upload.ts";

const ITEMS = "/inventory/items";

async function aServer() {
  await aManufacturer({ name: "Acme" });
  await aManufacturer({ name: "Zenith" });
  return anItem({ ics_id: "AAA001", serial_number: "SN-1", manufacturer: "Acme" });
}

const SAME = "AAA001 of this manufacturer has the same serial number";

async function total() {
  return (await api(carol).get(ITEMS)).headers.get("x-total-count");
}

describe("the same serial number of the same manufacturer", () => {
  test("is answered to programs as a warning, for new and for changed items", async () => {
    await aServer();
    const twin = { serial_number: "SN-1", manufacturer: "Acme" };
    const made = await api(bob).post(ITEMS, twin);
    expect([made.status, made.headers.get("warning")]).toEqual([201, `299 - "${SAME}"`]);
    for (const other of [
      { ...twin, manufacturer: "Zenith" },
      { ...twin, serial_number: "SN-2" },
    ]) {
      const { status, headers } = await api(bob).post(ITEMS, other);
      expect([status, headers.get("warning")]).toEqual([201, null]);
    }
    const { id } = await anItem({ serial_number: "SN-3" });
    const changed = await api(bob).patch(`${ITEMS}/${id}`, { serial_number: "SN-1" });
    expect(changed.headers.get("warning")).toContain("have the same serial number");
    const noted = await api(bob).patch(`${ITEMS}/${id}`, { quantity: 2 });
    expect(noted.headers.get("warning")).toBe(null);
  });

  test("is refused if the program asks for it, also of two at the same time", async () => {
    await aServer();
    const before = await total();
    const twin = { serial_number: "SN-1", manufacturer: "Acme" };
    const { status, body } = await api(bob).post(`${ITEMS}?unique_serial=true`, twin);
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      { field: "serial_number", message: `${SAME}; change that item instead` },
    ]);
    expect(await total()).toBe(before);
    const fresh = { serial_number: "SN-9", manufacturer: "Acme" };
    const answers = await concurrently(8, () =>
      api(bob).post(`${ITEMS}?unique_serial=true`, fresh),
    );
    expect(answers.filter((one: any) => one.status === 201)).toHaveLength(1);
  });

  test("is told in the form of an item, before it is saved", async () => {
    await aServer();
    const own = await browser(bob);
    const look = (manufacturer: string) => {
      const query = new URLSearchParams({ serial_number: "SN-1", manufacturer });
      return own.get(`${ITEMS}/create?${query}`, { headers: HTMX } as any);
    };
    expect(texts((await look("Acme")).text, "#twins a")).toEqual(["AAA001"]);
    expect(texts((await look("")).text, "#twins a")).toEqual(["AAA001"]);
    expect(texts((await look("Zenith")).text, "#twins a")).toEqual([]);
  });
});

describe("an import", () => {
  test("warns of rows that repeat a serial number of the register or of the file", async () => {
    await aServer();
    const answer = await imports(
      bob,
      [
        { serial_number: "SN-1", manufacturer: "Acme" },
        { serial_number: "SN-1", manufacturer: "Zenith" },
        { serial_number: "SN-7", manufacturer: "Acme" },
        { serial_number: "SN-7", manufacturer: "Acme" },
        { ics_id: "AAA001", quantity: 2 },
      ],
      "?dry_run=true",
    );
    expect(verdictsOf(answer).map(({ warnings }) => warnings)).toEqual([
      [{ field: "serial_number", message: SAME, instead: { ics_id: "AAA001" } }],
      undefined,
      undefined,
      [{ field: "serial_number", message: "SN-7 is already in line 3" }],
      undefined,
    ]);
  });

  test("of the same file once more says so, and updates the existing items instead", async () => {
    await aManufacturer({ name: "Acme" });
    const own = await browser(bob);
    const file = (place: string) =>
      `Serial number;Manufacturer;Quantity\nSN-1;Acme;${place}\nSN-2;Acme;${place}\n`;
    const first = await uploaded(own, file("1"));
    await applyAll(own, first);
    expect(await total()).toBe("2");
    const second = await uploaded(own, file("2"));
    const { text } = await own.get(second);
    expect(texts(text, "form.note.warn p")[0]).toStartWith(
      "2 rows look wrong, such as what exists already: see the warnings in lines 2, 3.",
    );
    expect(texts(text, "td .note.warn")).toHaveLength(2);
    const [state = "", seen = ""] = hiddenIn(text);
    await own.submit(second, { state, seen, action: "update" });
    expect(texts((await own.get(second)).text, ".imports p")[0]).toBe("2 changed");
    await applyAll(own, second);
    expect(await total()).toBe("2");
  });
});

function hiddenIn(text: string): string[] {
  return ["state", "seen"].map(
    (name) => elements(text, `form.imports input[name=${name}]`)[0]?.attributes.value ?? "",
  );
}

async function applyAll(own: any, path: string) {
  const [state = "", seen = ""] = hiddenIn((await own.get(path)).text);
  expect((await own.submit(path, { state, seen, action: "all" })).status).toBe(303);
}
