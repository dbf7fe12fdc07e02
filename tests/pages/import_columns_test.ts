import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { everything } from "../support/history.ts";
import { elements, texts } from "../support/html.ts";
import { labAndBench } from "../support/imports.ts";
import { aLocation, alice, api, aSiteField, bob, dave } from "../support/mod.ts";
import { IMPORT, IMPORT_HOSTS, upload } from "../support/upload.ts";

const ITEMS = `Serial no.;Location;Room colour;Place
SN-1;Hall A;red;
SN-2;Hall A;;B
`;
const HOSTS = "Hostname;Device typ;Netz;Rack\nweb-01;VME;Lab;R1\n";

/** The selects of the form by name: their label, what they suggest and what they offer. */
function choicesIn(html: string) {
  return elements(html, "form select").map(({ attributes: { id, name } }) => {
    const options = elements(html, `[id="${id}"] option`);
    const chosen = options.find(({ attributes }) => "selected" in attributes);
    return {
      name: name!,
      label: texts(html, `label[for="${id}"]`)[0],
      chosen: chosen?.attributes.value ?? "",
      offered: options.map(({ attributes }) => attributes.value),
    };
  });
}

function pathIn(html: string): string {
  return elements(html, "form.sheet")[0]!.attributes.action!;
}

function fields(html: string): Record<string, string> {
  const chosen = choicesIn(html).map(({ name, chosen }) => [name, chosen]);
  return { ...Object.fromEntries(chosen), action: "assign" };
}

test("the page of an import says what the columns of the site's fields hold", async () => {
  await aSiteField({ key: "calibrated", label: "Calibrated", type: "date" });
  const { text } = await (await browser(bob)).get(IMPORT);
  const [names, meanings] = [texts(text, ".columns dt"), texts(text, ".columns dd")];
  expect(meanings[names.indexOf("site.calibrated")]).toBe("A date such as 2026-01-31");
  expect(meanings[names.indexOf("tags")]).toBe("Separated by commas");
});

test("a field of the site is corrected in its row, and a choice also as people read it", async () => {
  const choices = ["A=Target", "B=Instruments"];
  await aSiteField({ key: "centre", label: "Cost centre", type: "choice", choices });
  const own = await browser(bob);
  const file = "serial_number,Cost centre\nS-1,Instruments\nS-2,Toys\n";
  const { headers } = await upload(own, file);
  const path = headers.get("location")!;
  const { text } = await own.get(path);
  expect(texts(text, ".mend .error")).toEqual(["Use one of A (Target), B (Instruments)"]);
  await own.submit(path, { "3.site.centre": "target", action: "save" });
  const corrected = await own.get(path);
  expect(texts(corrected.text, ".mend .error")).toEqual([]);
  expect(texts(corrected.text, "main")[0]).toContain("2 new");
});

describe("a file with columns that are not known", () => {
  test("offers each of them for assignment, and goes on with the preview", async () => {
    await aLocation({ name: "Hall A" });
    const own = await browser(bob);
    const asked = await upload(own, ITEMS);
    expect(asked.status).toBe(422);
    const choices = choicesIn(asked.text);
    expect(choices.map(({ label, chosen }) => [label, chosen])).toEqual([
      ["Serial no.", "serial_number"],
      ["Room colour", ""],
      ["Place", ""],
    ]);
    for (const { offered } of choices) {
      expect(offered).toEqual(expect.arrayContaining(["", "serial_number", "comments"]));
      expect(offered).not.toContain("location");
    }
    const path = pathIn(asked.text);
    expect(fields((await own.get(path)).text)).toEqual(fields(asked.text));
    const places = { [choices[2]!.name]: "comments" };
    const sent = await own.submit(path, { ...fields(asked.text), ...places });
    expect([sent.status, sent.headers.get("location")]).toEqual([303, path]);
    const { text } = await own.get(path);
    expect(texts(text, ".imports p")).toEqual(["2 new"]);
    expect(texts(text, ".differences li")).toEqual([
      "Serial number SN-1",
      "Quantity 1",
      "Location Hall A",
      "Serial number SN-2",
      "Quantity 1",
      "Location Hall A",
      "Comments B",
    ]);
    expect(text).not.toContain("red");
    expect((await own.submit(path, fields(asked.text))).status).toBe(303);
  });

  test("is the same for hosts, up to the import", async () => {
    await labAndBench();
    const own = await browser(dave);
    const asked = await upload(own, HOSTS, { path: IMPORT_HOSTS });
    const [type, network, rack] = choicesIn(asked.text);
    expect([asked.status, type!.chosen, network!.chosen, rack!.chosen]).toEqual([
      422,
      "device_type",
      "",
      "",
    ]);
    const path = pathIn(asked.text);
    await own.submit(path, { ...fields(asked.text), [network!.name]: "network" });
    const { text } = await own.get(path);
    expect(texts(text, ".imports p")).toEqual(["1 new"]);
    const hidden = elements(text, ".imports input[type=hidden]").map(({ attributes }) => [
      attributes.name,
      attributes.value,
    ]);
    await own.submit(path, { ...Object.fromEntries(hidden), action: "all" });
    expect((await api(dave).get("/network/hosts?name=web-01")).body).toHaveLength(1);
  });

  test("refuses what cannot be assigned, and keeps what was chosen", async () => {
    const own = await browser(bob);
    const { text } = await upload(own, "Serial no.;<b>Place</b>\nSN-1;B\n");
    expect(text).not.toContain("<b>Place");
    const path = pathIn(text);
    const [serial = "", place = ""] = choicesIn(text).map(({ name }) => name);
    const unknown = "Choose a column that is neither in the file nor chosen twice, or leave it out";
    const wrong: Array<[Record<string, string>, string]> = [
      [{ [place]: "colour" }, unknown],
      [{ [place]: "__proto__" }, unknown],
      [{ [place]: "id" }, unknown],
      [{ [place]: "serial_number" }, unknown],
      [{ [serial]: "" }, "Assign at least one column"],
    ];
    for (const [bad, sentence] of wrong) {
      const refused = await own.submit(path, { ...fields(text), ...bad });
      expect([refused.status, texts(refused.text, "p.error")]).toEqual([422, [sentence]]);
      const shown = Object.fromEntries(
        choicesIn(refused.text).map(({ name, chosen }) => [name, chosen]),
      );
      expect(shown).toMatchObject(bad);
    }
    const missing = await own.submit(path, { action: "assign" });
    expect([missing.status, new Set(texts(missing.text, "p.error"))]).toEqual([
      422,
      new Set([unknown]),
    ]);
    expect((await own.get(path)).text).toContain("<select");
  });

  test("is written nowhere before, is its owner's only, and can be discarded", async () => {
    const [own, other] = [await browser(bob), await browser(alice)];
    const { text } = await upload(own, "serial_number,Colour\nSN-1,red\n");
    const before = await everything();
    const path = pathIn(text);
    for (const action of ["all", "good", "update"]) {
      expect((await own.submit(path, { action, state: "1" })).status, action).toBe(422);
    }
    expect((await other.submit(path, fields(text))).status).toBe(404);
    expect(await everything()).toBe(before);
    expect((await own.submit(path, { leave: "2" })).status).toBe(303);
    expect((await own.submit(path, fields(text))).status).toBe(303);
    expect(texts((await own.get(path)).text, ".empty p")).toEqual([
      "All rows of this file are done",
      "Import another fileItems",
    ]);
    const discarded = await own.submit(path, { action: "discard", confirmed: "true" });
    expect([discarded.status, discarded.headers.get("location")]).toEqual([303, IMPORT]);
  });
});
