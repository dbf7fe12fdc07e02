// Any value in a field of each type, and what other registers keep as fields and tags of their own.
import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import * as database from "../../db/client.ts";
import { ensureIndexes } from "../../src/site/indexes.ts";
import { browser } from "../support/browser.ts";
import { verdictsOf } from "../support/imports.ts";
import { alice, anItem, api, aSiteField } from "../support/mod.ts";

const admin = api(alice);
/** A thousand, of three bytes each, that nothing compresses. */
const MANY_SIGNS = Array.from({ length: 1_000 }, (_, n) =>
  String.fromCharCode(0x4e00 + ((n * 7_919) % 20_000)),
).join("");
const ITEMS = "/inventory/items";
const csv = { headers: { "content-type": "text/csv" } };

const anyText = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "A",
    "true",
    "5",
    "1e3",
    "-0",
    "2026-02-29",
    "2028-02-29",
    "https://a.b",
  ),
  fc.string(),
  fc.string({ unit: "grapheme" }),
);
const anyValue = fc.oneof(
  anyText,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.oneof(fc.constantFrom("A", "B"), anyText), { maxLength: 4 }),
  fc.jsonValue(),
);

test("a value of each type is kept as it is, or refused by its name", async () => {
  const choices = ["A", "B=Other"];
  for (const type of ["text", "long_text", "integer", "number", "boolean", "date", "link"])
    await aSiteField({ key: type, label: type, type });
  for (const type of ["choice", "choices"])
    await aSiteField({ key: type, label: type, type, choices });
  await aSiteField({ key: "reference", label: "R", type: "reference", references: "item" });
  const { id } = await anItem({ ics_id: "AAA001" });
  const types = (await admin.get("/site_fields")).body.map((one: { key: string }) => one.key);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...types), anyValue, async (type: string, value) => {
      const sent = await admin.patch(`${ITEMS}/${id}`, { site: { [type]: value } });
      if (sent.status === 422) {
        const [{ field }] = sent.body.errors;
        expect(field === "body" || field.startsWith(`site.${type}`)).toBe(true);
        return;
      }
      expect(sent.status).toBe(200);
      const isBlank = value === "" || (Array.isArray(value) && value.length === 0);
      const stored = sent.body.site[type];
      // Texts are normalized, as everywhere.
      const plain = typeof value === "string" ? value.normalize() : value;
      const kept = typeof stored === "string" ? stored.normalize() : stored;
      if (type !== "reference")
        expect(JSON.stringify(kept)).toBe(JSON.stringify(isBlank ? null : trimmed(plain, kept)));
      const shown = await admin.get(`${ITEMS}?site.${type}__isnull=${stored === null}`);
      if (type !== "boolean") expect([shown.status, shown.body?.length]).toEqual([200, 1]);
    }),
    { numRuns: 300 },
  );
});

/** The service may have cut blanks around a text. */
function trimmed(value: unknown, kept: unknown): unknown {
  return typeof value === "string" && value.trim() === kept ? kept : value;
}

/** The columns of a file of assets from another register: the first ones are built in. */
const ASSETS = `
Serial number,Manufacturer,Model,Location,Status,Company,Asset name,Category,Supplier,Order number,Model notes,Model number,Asset notes,Purchase date,Purchase cost,Checkout type,Checked out to,Warranty months,EOL date,Requestable
SN-1,Apple,MacBook,Hall A,Ready,Abernathy,Laptop of Ann,Laptops,Wolff,PO-1,,M1,A scratch,2026-01-31,1999.5,user,ann,36,2029-01-31,true
SN-2,Dell,XPS,Hall A,Ready,Goyette,,Laptops,Wolff,PO-2,,X1,,2025-06-01,1200,,,24,,false`.trim();
const TYPES: Record<string, string> = {
  ...{ "Asset notes": "long_text", "Purchase date": "date", "Purchase cost": "number" },
  ...{ "Warranty months": "integer", "EOL date": "date", Requestable: "boolean" },
};
const TAGS =
  "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu";

test("the columns and tags of other registers are imported, found, changed and undone", async () => {
  const [heading = ""] = ASSETS.split("\n");
  for (const label of heading.split(",").slice(5)) {
    const key = label.toLowerCase().replaceAll(" ", "_");
    await aSiteField({ key, label, type: TYPES[label] ?? "text" });
  }
  for (const [path, names] of [
    ["manufacturers", ["Apple", "Dell"]],
    ["models", ["MacBook", "XPS"]],
    ["locations", ["Hall A"]],
    ["statuses", ["Ready"]],
  ] as const)
    for (const name of names) await admin.post(`/inventory/${path}`, { name });
  const made = await admin.post(`${ITEMS}/import`, ASSETS, csv);
  expect(verdictsOf(made)).toMatchObject([{ verdict: "new" }, { verdict: "new" }]);
  const [first, second] = (await admin.get(`${ITEMS}?sort=serial_number`)).body;
  expect(first.site).toMatchObject({
    ...{ company: "Abernathy", purchase_cost: 1999.5, warranty_months: 36, requestable: true },
    ...{ purchase_date: "2026-01-31", model_notes: null },
  });
  const serials = async (query: string) =>
    (await admin.get(`${ITEMS}?${query}`)).body.map(
      ({ serial_number }: { serial_number: string }) => serial_number,
    );
  expect(await serials("site.purchase_cost__lte=1500")).toEqual(["SN-2"]);
  expect(await serials("q=checked_out_to:ann")).toEqual(["SN-1"]);
  expect(await serials("q=purchase_date:<2026-01-01")).toEqual(["SN-2"]);
  const all = TAGS.split(" ");
  const halves = [all.slice(0, 13), all.slice(13)];
  for (const [at, { id }] of [first, second].entries())
    expect((await admin.patch(`${ITEMS}/${id}`, { tags: halves[at] })).status).toBe(200);
  expect(await serials("tags=zulu")).toEqual(["SN-2"]);
  expect(await serials("q=tags:alpha")).toEqual(["SN-1"]);
  const file = `ics_id,company\r\n${first.ics_id},Same\r\n${second.ics_id},Same\r\n`;
  const changed = await admin.post(`${ITEMS}/import`, file, csv);
  expect(await serials("site.company=Same&sort=serial_number")).toEqual(["SN-1", "SN-2"]);
  const { change_set } = changed.body.at(-1);
  expect((await admin.post(`/changes/${change_set}/undo`, {})).status).toBe(201);
  expect(await serials("site.company=Goyette")).toEqual(["SN-2"]);
});

test("a key serves fields of each type in turn, whatever values the earlier ones have left", async () => {
  const choices = Array.from(
    { length: 20 },
    (_, n) => `${n}${MANY_SIGNS.slice(n * 40, n * 40 + 60)}`,
  );
  const left: Record<string, unknown[]> = {
    text: ["5", "true", "2026-01-31"],
    long_text: [MANY_SIGNS],
    integer: [1e15, -1, 0],
    number: [4.5],
    boolean: [true],
    date: ["2026-01-31"],
    choice: [choices[0]],
    choices: [choices],
    link: ["https://example.org/1"],
    reference: ["AAA001"],
  };
  const define = (type: string) =>
    aSiteField({
      ...{ key: "code", label: "Code", type },
      ...(type.startsWith("choice") ? { choices } : {}),
      ...(type === "reference" ? { references: "item" } : {}),
    });
  await anItem({ ics_id: "AAA001" });
  const made: string[] = [];
  for (const [type, values] of Object.entries(left)) {
    const { id } = await define(type);
    for (const code of values) {
      const { id: item, ics_id } = await anItem();
      const sent = await admin.patch(`${ITEMS}/${item}`, { site: { code } });
      expect([type, sent.status]).toEqual([type, 200]);
      made.push(ics_id);
    }
    await admin.delete(`/site_fields/${id}`);
  }
  const page = await browser(alice);
  const wrong: unknown[] = [];
  for (const type of Object.keys(left)) {
    const { id } = await define(type);
    await ensureIndexes();
    const indexes = await database.rows(
      sql`select from pg_indexes where indexname ~ '^site_value_'`,
    );
    if (indexes.length !== 1) wrong.push([type, "has no index"]);
    const code =
      { boolean: "true", integer: "5", number: "5", date: "2026-01-31" }[type] ?? "AAA001";
    for (const path of [
      "",
      "?sort=site.code",
      `?site.code=${code}`,
      "?site.code__isnull=true",
    ].concat(["?q=site.code:5", "?q=code:A*", "?q=example"])) {
      const { status } = await admin.get(ITEMS + path);
      if (status !== 200) wrong.push([type, path, status]);
    }
    for (const path of [
      "/inventory/items?cols=site.code",
      "/site_fields/view/item.code",
      ...made.map((item) => `/inventory/items/view/${item}`),
    ]) {
      const { status } = await page.get(path);
      if (status !== 200) wrong.push([type, path, status]);
    }
    await admin.delete(`/site_fields/${id}`);
  }
  expect(wrong).toEqual([]);
});
