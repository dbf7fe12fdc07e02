// Fields that a site defines, and their values.
import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { ensureIndexes, indexOf } from "../../src/site/indexes.ts";
import { knowDefinitions, knownDefinitions } from "../../src/store/site/definitions.ts";
import { browser } from "../support/browser.ts";
import { concurrently } from "../support/concurrently.ts";
import { verdictsOf } from "../support/imports.ts";
import {
  aHost,
  aLocation,
  alice,
  aModel,
  aNetwork,
  anInterface,
  anItem,
  api,
  aSiteField,
  audrey,
  bob,
  carol,
  dave,
  type Person,
  service,
  tokenOf,
} from "../support/mod.ts";

const admin = api(alice);
/** A thousand, of three bytes each, that nothing compresses. */
const MANY_SIGNS = Array.from({ length: 1_000 }, (_, n) =>
  String.fromCharCode(0x4e00 + ((n * 7_919) % 20_000)),
).join("");

describe("a value", () => {
  test("of each type is stored, shown, filtered and sorted as what it is", async () => {
    await aSiteField({
      key: "rp_class",
      label: "RP class",
      type: "choice",
      choices: ["A=Controlled", "B"],
    });
    await aSiteField({ key: "price", label: "Price", type: "number", unit: "EUR" });
    await aSiteField({ key: "cal", label: "Calibrated", type: "date" });
    await aSiteField({ key: "note", label: "Note", type: "text" });
    await aSiteField({ key: "zones", label: "Zones", type: "choices", choices: ["x", "y", "z"] });
    await aSiteField({ key: "hot", label: "Hot", type: "boolean" });
    await aSiteField({ key: "twin", label: "Twin", type: "reference", references: "item" });
    await aSiteField({ key: "wiki", label: "Wiki", type: "link" });
    const { id } = await anItem({ ics_id: "AAA001" });
    await anItem({ ics_id: "AAA002" });
    const site = {
      ...{ rp_class: "A", price: 9.5, cal: "2026-01-31", note: "fragile", zones: ["x", "y"] },
      ...{ hot: true, twin: "aaa002", wiki: "https://wiki.example.org/1" },
    };
    const patched = await admin.patch(`/inventory/items/${id}`, { site });
    expect([patched.status, patched.body.site]).toEqual([200, { ...site, twin: "AAA002" }]);
    await admin.patch("/inventory/items/2", {
      site: { price: 10, cal: "2026-02-01", rp_class: "B" },
    });
    const found = async (query: string) => {
      const answer = await admin.get(`/inventory/items?${query}`);
      return answer.status === 200
        ? answer.body.map((one: { ics_id: string }) => one.ics_id)
        : answer.text;
    };
    for (const [query, names] of [
      ["site.rp_class=A", ["AAA001"]],
      ["site.price__gte=10", ["AAA002"]],
      ["site.price=9.5", ["AAA001"]],
      ["site.cal=2026-01-31", ["AAA001"]],
      ["site.cal__gte=2026-02-01", ["AAA002"]],
      ["site.zones=y", ["AAA001"]],
      ["site.zones__isnull=true", ["AAA002"]],
      ["site.hot=true", ["AAA001"]],
      ["site.twin=AAA002", ["AAA001"]],
      ["site.note__contains=rag", ["AAA001"]],
      ["sort=-site.price", ["AAA002", "AAA001"]],
      ["sort=site.twin", ["AAA001", "AAA002"]],
      ["q=site.rp_class:A", ["AAA001"]],
      ["q=rp_class:b", ["AAA002"]],
      ["q=price:>9.7", ["AAA002"]],
      ["q=cal:[2026-01-01 TO 2026-01-31]", ["AAA001"]],
      ["q=note:frag*", ["AAA001"]],
      ["q=zones:x", ["AAA001"]],
      ["q=fragile", ["AAA001"]],
      ["q=rp_class:fragile", []],
      ["q=*ragi*", ["AAA001"]],
      ["q=note:*RAGI*", ["AAA001"]],
      ["q=/fr.gil[ea]/", ["AAA001"]],
      ["q=frajile~", ["AAA001"]],
      ["q=zones:(z OR y)", ["AAA001"]],
      ['q=zones:"x y"', ["AAA001"]],
      ['q=note:"x y"', []],
      ["q=wiki.example.org", ["AAA001"]],
      ["q=twin:AAA002", ["AAA001"]],
    ] as const) {
      expect([query, await found(query)]).toEqual([query, [...names]]);
    }
  });
});

describe("a definition", () => {
  test("is refused by its field, if it makes no sense", async () => {
    for (const [fields, wrong] of [
      [{ key: "Rp", label: "x", type: "text" }, "key"],
      [{ key: "rp", label: "x", type: "colour" }, "type"],
      [{ key: "rp", type: "text" }, "label"],
      [{ key: "rp", label: "x", type: "choice" }, "choices"],
      [{ key: "rp", label: "x", type: "text", choices: ["a"] }, "choices"],
      [{ key: "rp", label: "x", type: "reference" }, "references"],
      [{ key: "rp", label: "x", type: "reference", references: "item", variable: "v" }, "variable"],
      [{ key: "rp", label: "x", type: "integer", default: "many" }, "default"],
      [{ key: "rp", label: "x", type: "date", default: "2026-02-30" }, "default"],
      [{ key: "rp", label: "x", type: "choice", choices: ["a"], default: "b" }, "default"],
      [{ key: "rp", label: "x", type: "text", models: ["M"], record: "host" }, "models"],
      [{ key: "rp", label: "x", type: "text", editors: ["everybody"] }, "editors.0"],
    ] as const) {
      const { status, body } = await admin.post("/site_fields", { record: "item", ...fields });
      expect([fields, status, body.errors?.[0].field]).toEqual([fields, 422, wrong]);
    }
    await aSiteField({ key: "rp", label: "x", type: "text" });
    const twice = await admin.post("/site_fields", {
      record: "item",
      ...{ key: "rp", label: "y", type: "text" },
    });
    expect([twice.status, twice.body.errors[0].field]).toEqual([422, "key"]);
    expect((await api(bob).post("/site_fields", {})).status).toBe(403);
  });

  test("of a record is one of fifty, however many are made at once", async () => {
    const answers = await concurrently(60, (at) =>
      admin.post("/site_fields", { record: "item", key: `f${at}`, label: `F${at}`, type: "text" }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    expect(answers.filter(({ status }) => ![201, 422].includes(status))).toEqual([]);
  });

  test("keeps its key and its type, once there is a value", async () => {
    const { id } = await aSiteField({ key: "rp", label: "RP", type: "text" });
    expect((await admin.patch(`/site_fields/${id}`, { type: "long_text" })).status).toBe(200);
    const { id: item } = await anItem();
    await admin.patch(`/inventory/items/${item}`, { site: { rp: "A" } });
    for (const change of [{ key: "rpc" }, { type: "integer" }]) {
      const { status, body } = await admin.patch(`/site_fields/${id}`, change);
      expect([status, body.errors?.[0].message]).toEqual([
        422,
        "Records have values of it already",
      ]);
    }
    const renamed = await admin.patch(`/site_fields/${id}`, { label: "Zone" });
    expect(renamed.status).toBe(200);
    const { body } = await admin.get(`/inventory/items/${item}`);
    expect(body.site).toEqual({ rp: "A" });
  });

  test("that is deleted hides its values, and an undo brings them back", async () => {
    const { id } = await aSiteField({ key: "rp", label: "RP", type: "text" });
    const { id: item } = await anItem();
    await admin.patch(`/inventory/items/${item}`, { site: { rp: "A" } });
    const gone = await admin.delete(`/site_fields/${id}`);
    expect((await admin.get(`/inventory/items/${item}`)).body.site).toEqual({});
    expect((await admin.get("/inventory/items?site.rp=A")).status).toBe(422);
    await admin.post(`/changes/${gone.headers.get("change-set")}/undo`, {});
    expect((await admin.get(`/inventory/items/${item}`)).body.site).toEqual({ rp: "A" });
    expect((await admin.get("/inventory/items?site.rp=A")).body).toHaveLength(1);
  });

  test("that something names is not deleted, and says what it is", async () => {
    const { id } = await aSiteField({ record: "host", key: "zone", label: "Zone", type: "text" });
    await admin.post("/network/groups", { name: "hot", type: "query", query: "site.zone:hot" });
    const { status, body } = await admin.delete(`/site_fields/${id}`);
    expect([status, body.errors?.[0].message]).toEqual([
      422,
      "It is named by the group hot: change this first",
    ]);
  });
});

describe("values", () => {
  test("that are wrong or unknown are refused by their names, and nothing is written", async () => {
    const choices = ["A", "B"];
    await aSiteField({ key: "rp", label: "RP", type: "choice", choices });
    await aSiteField({ key: "n", label: "N", type: "integer" });
    await aSiteField({ key: "code", label: "Code", type: "text" });
    await aSiteField({ key: "note", label: "Note", type: "long_text" });
    await aSiteField({ key: "day", label: "Day", type: "date" });
    await aSiteField({ key: "twin", label: "Twin", type: "reference", references: "item" });
    await aSiteField({ key: "many", label: "Many", type: "choices", choices });
    const { id } = await anItem();
    for (const [site, field] of [
      [{ other: 1 }, "site.other"],
      [{ rp: "C" }, "site.rp"],
      [{ n: "5" }, "site.n"],
      [{ n: 1.5 }, "site.n"],
      [{ code: "x".repeat(1_001) }, "site.code"],
      [{ code: MANY_SIGNS }, "site.code"],
      [{ day: "2026-02-30" }, "site.day"],
      [{ twin: "ZZZ999" }, "site.twin"],
      [{ many: ["A", "C"] }, "site.many"],
      [{ rp: { a: 1 } }, "site.rp"],
      ["text", "site"],
    ] as const) {
      const { status, body } = await admin.patch(`/inventory/items/${id}`, { site });
      expect([site, status, body.errors?.[0].field]).toEqual([site, 422, field] as never);
    }
    expect((await admin.get(`/inventory/items/${id}`)).body.site).toEqual({
      ...{ rp: null, n: null, code: null, note: null, day: null, twin: null, many: null },
    });
  });

  test("are merged, cleared, required, preset and bound to models", async () => {
    const model = await aModel({ name: "M1" });
    await aSiteField({ key: "a", label: "A", type: "text", required: true, default: "x" });
    await aSiteField({
      key: "b",
      label: "B",
      type: "integer",
      models: [model.name],
      required: true,
    });
    const { body } = await admin.post("/inventory/items", { ics_id: "AAA001", serial_number: "S" });
    expect(body.site).toEqual({ a: "x", b: null });
    const path = `/inventory/items/${body.id}`;
    const cleared = await admin.patch(path, { site: { a: null } });
    expect(cleared.body.errors).toEqual([{ field: "site.a", message: "This field is required" }]);
    const foreign = await admin.patch(path, { site: { b: 1 } });
    expect(foreign.body.errors?.[0].field).toBe("site.b");
    const modelled = await admin.patch(path, { model: "M1" });
    expect(modelled.body.errors?.[0].field).toBe("site.b");
    const both = await admin.patch(path, { model: "M1", site: { b: 1 } });
    expect([both.status, both.body.site]).toEqual([200, { a: "x", b: 1 }]);
    expect((await admin.patch(path, { site: { b: 2 } })).body.site).toEqual({ a: "x", b: 2 });
    await admin.patch("/inventory/models/1", { name: "M2" });
    expect((await admin.get("/site_fields?key=b")).body[0].models).toEqual(["M2"]);
  });

  test("of many writers at once are all kept", async () => {
    for (const key of ["a", "b", "c", "d"]) await aSiteField({ key, label: key, type: "integer" });
    const { id } = await anItem();
    await concurrently(16, (at) =>
      admin.patch(`/inventory/items/${id}`, { site: { [["a", "b", "c", "d"][at % 4] ?? ""]: at } }),
    );
    const { body } = await admin.get(`/inventory/items/${id}`);
    for (const [at, key] of ["a", "b", "c", "d"].entries()) expect(body.site[key] % 4).toBe(at);
  });

  test("of every kind of record are there in their history", async () => {
    await aSiteField({ key: "rp", label: "RP", type: "text" });
    const { id } = await anItem({ ics_id: "AAA001" });
    const set = await admin.patch(`/inventory/items/${id}`, { site: { rp: "A" } });
    await admin.patch(`/inventory/items/${id}`, { site: { rp: "B" } });
    const { body } = await admin.get(`/changes/${set.headers.get("change-set")}`);
    expect(JSON.stringify(body)).toContain('"field":"site.rp"');
    await admin.post(`/changes/${set.headers.get("change-set")}/undo`, {});
    const at = new Date().toISOString();
    await Bun.sleep(5);
    await admin.patch(`/inventory/items/${id}`, { site: { rp: "C" } });
    const past = await admin.get(`/inventory/items/${id}?at=${encodeURIComponent(at)}`);
    expect(past.body.site).toEqual({ rp: "B" });
  });
});

describe("a field that not everybody may know of", () => {
  test("does not exist for others, and who may not edit it is refused", async () => {
    await aSiteField({ key: "secret", label: "Secret", type: "text", visible_to: ["network"] });
    await aSiteField({ key: "open", label: "Open", type: "text", editors: ["network"] });
    const { id } = await anItem({ ics_id: "AAA001" });
    const path = `/inventory/items/${id}`;
    const made = await admin.patch(path, { site: { secret: "canary", open: "x" } });
    const changed = await admin.patch(path, { site: { secret: "canary2" } });
    for (const knows of [alice, audrey, dave]) {
      expect((await api(knows).get(path)).body.site).toEqual({ secret: "canary2", open: "x" });
      expect((await api(knows).get("/inventory/items?q=canary2")).body).toHaveLength(1);
    }
    for (const other of [bob, carol]) {
      const seen = await api(other).get(path);
      expect([seen.body.site, seen.text.includes("canary")]).toEqual([{ open: "x" }, false]);
      for (const query of ["site.secret=canary2", "sort=site.secret"]) {
        const { status, text } = await api(other).get(`/inventory/items?${query}`);
        const { status: unknown, text: sentence } = await api(other).get(
          `/inventory/items?${query.replace("secret", "nothing")}`,
        );
        expect([status, withoutId(text)]).toEqual([
          unknown,
          withoutId(sentence).replaceAll("nothing", "secret"),
        ]);
      }
      for (const q of ["canary2", "site.secret:canary2", "secret:canary2", "canary*"]) {
        const { body } = await api(other).get(`/inventory/items?q=${q}`);
        expect([q, body]).toEqual([q, []]);
      }
      const events = await api(other).get("/changes?kind=items");
      expect(events.text).not.toContain("secret");
      const changes = events.body.map(({ id: one }: { id: string }) => one);
      expect(changes).toContain(made.headers.get("change-set"));
      expect(changes).not.toContain(changed.headers.get("change-set"));
      expect(
        (await api(other).get("/site_fields")).body.map((one: { key: string }) => one.key),
      ).toEqual(["open"]);
      const csv = await api(other).get("/inventory/items", { headers: { accept: "text/csv" } });
      expect([csv.status, csv.text.includes("secret"), csv.text.includes("canary")]).toEqual([
        ...[200, false, false],
      ]);
    }
    const written = await api(bob).patch(path, { site: { secret: "y" } });
    expect(written.body.errors).toEqual([{ field: "site.secret", message: "Unknown field" }]);
    const fixed = await api(bob).patch(path, { site: { open: "y" } });
    expect([fixed.status, fixed.body.errors?.[0]]).toEqual([
      422,
      { field: "site.open", message: "You may not change this field" },
    ]);
    expect((await api(bob).patch(path, { site: { open: "x" }, quantity: 2 })).status).toBe(200);
  });

  test("is in the OpenAPI document of those alone who know it", async () => {
    await aSiteField({ key: "canary", label: "Canary", type: "text", visible_to: ["network"] });
    const [known, other] = await Promise.all(
      [dave, bob].map(async (one) => {
        const headers = { authorization: `Bearer ${await tokenOf(one)}` };
        return (await fetch(`${(await service()).origin}/api/v1/openapi.json`, { headers })).text();
      }),
    );
    expect([known?.includes('"site.canary"'), other?.includes("canary")]).toEqual([true, false]);
  });
});

function withoutId(text: string): string {
  return text.replace(/"request_id":"[^"]*"/, "");
}

describe("an import", () => {
  const csv = { headers: { "content-type": "text/csv" } };

  test("takes the fields by their names, keys and labels, and says what each row changes", async () => {
    await aSiteField({
      key: "rp_class",
      label: "RP class",
      type: "choice",
      choices: ["A=Hot", "B"],
    });
    await aSiteField({ key: "price", label: "Price", type: "number" });
    await aSiteField({ key: "hot", label: "Is hot", type: "boolean" });
    await anItem({ ics_id: "AAA001" });
    const rows =
      "ics_id,serial_number,RP class,price,site.hot\r\nAAA001,S1,A,9.5,yes\r\nAAA002,S2,B,,no\r\n";
    const path = "/inventory/items/import";
    const dry = await admin.post(`${path}?dry_run=true`, rows, csv);
    const made = await admin.post(path, rows, csv);
    expect(verdictsOf(made).map(({ verdict }) => verdict)).toEqual(["change", "new"]);
    expect(verdictsOf(dry)[0]?.changes).toEqual(verdictsOf(made)[0]?.changes);
    expect(verdictsOf(made)[0]?.changes).toContainEqual({
      ...{ field: "site.price", old: null, now: "9.5" },
    });
    const { body } = await admin.get("/inventory/items?sort=ics_id");
    expect(body.map(({ site }: { site: object }) => site)).toEqual([
      { rp_class: "A", price: 9.5, hot: true },
      { rp_class: "B", price: null, hot: false },
    ]);
    const again = await admin.post(path, rows, csv);
    expect(verdictsOf(again).map(({ verdict }) => verdict)).toEqual(["same", "same"]);
    const blank = "ics_id,RP class,price,site.hot\r\nAAA001,,,\r\n";
    expect(verdictsOf(await admin.post(path, blank, csv))).toMatchObject([{ verdict: "same" }]);
    const wrong = await admin.post(path, "ics_id,price\r\nAAA001,many\r\n", csv);
    expect(verdictsOf(wrong)[0]?.errors).toMatchObject([{ field: "site.price" }]);
  });

  test("takes those of hosts, of their interfaces and of any list", async () => {
    await aSiteField({ record: "host", key: "unit", label: "Rack unit", type: "integer" });
    await aSiteField({ record: "interface", key: "port", label: "Port", type: "text" });
    await aSiteField({ record: "location", key: "zone", label: "Zone", type: "text" });
    await aNetwork({ vlan_name: "Lab" });
    const hosts =
      "name,device_type,network,rack unit,interface_site.port\r\nweb-1,Physical,Lab,4,gi1/1\r\n";
    const made = await admin.post("/network/hosts/import", hosts, csv);
    expect([made.text, verdictsOf(made)[0]?.verdict]).toEqual([made.text, "new"]);
    expect((await admin.get("/network/hosts")).body[0].site).toEqual({ unit: 4 });
    expect((await admin.get("/network/interfaces")).body[0].site).toEqual({ port: "gi1/1" });
    const blank = "name,rack unit,interface_site.port\r\nweb-1,,\r\n";
    const kept = await admin.post("/network/hosts/import", blank, csv);
    expect(verdictsOf(kept)).toMatchObject([{ verdict: "same" }]);
    await admin.post("/inventory/locations/import", "name,zone\r\nHall,red\r\n", csv);
    expect((await admin.get("/inventory/locations?site.zone=red")).body).toHaveLength(1);
    const list = await admin.get("/inventory/locations", { headers: { accept: "text/csv" } });
    expect(list.text).toContain("site.zone");
    const back = await admin.post(
      "/inventory/locations/import",
      list.text.replace("red", "blue"),
      csv,
    );
    expect(verdictsOf(back)).toMatchObject([
      { verdict: "change", changes: [{ field: "site.zone", old: "red", now: "blue" }] },
    ]);
  });
});

test("a field of hosts gives a variable to Ansible, which the host's own overrides", async () => {
  await aSiteField({
    record: "host",
    key: "owner",
    label: "Owner",
    type: "text",
    variable: "owner",
  });
  await aSiteField({
    ...{ record: "host", key: "canary", label: "C", type: "text", variable: "canary" },
    visible_to: ["inventory"],
  });
  const { name, id } = await aHost({ name: "web-1" });
  await admin.patch(`/network/hosts/${id}`, { site: { owner: "RF group", canary: "x" } });
  const inventory = async (by: Person) =>
    (await api(by).get("/network/export/ansible")).body._meta.hostvars;
  const own = (vars: Record<string, object>) => Object.values(vars)[0];
  expect(own(await inventory(bob))).toMatchObject({ owner: "RF group", canary: "x" });
  expect(own(await inventory(dave))).not.toHaveProperty("canary");
  const vars = await admin.get(`/network/hosts/${id}/vars`);
  expect(vars.body.vars).toMatchObject({ owner: "RF group" });
  await admin.patch(`/network/hosts/${id}`, { automation_vars: { owner: "Own" } });
  expect(own(await inventory(dave))).toMatchObject({ owner: "Own" });
  expect(name).toBe("web-1");
  const bad = await admin.post("/site_fields", {
    ...{ record: "host", key: "x", label: "X", type: "text", variable: "ansible_connection" },
  });
  expect(bad.body.errors?.[0].field).toBe("variable");
});

test("the index of each field is made, used, and dropped with it", async () => {
  await aSiteField({ key: "code", label: "Code", type: "text" });
  await aSiteField({ key: "size", label: "Size", type: "number" });
  const { id } = await aSiteField({
    key: "zones",
    label: "Z",
    type: "choices",
    choices: ["x", "y"],
  });
  await aSiteField({ key: "note", label: "Note", type: "long_text" });
  await ensureIndexes();
  const made = () =>
    database.rows<{ def: string }>(sql`
      select indexdef as def from pg_indexes where indexname ~ '^site_value_' order by indexdef`);
  expect(await made()).toHaveLength(4);
  const plans = await Promise.all(
    [
      sql`(site_line(site, 'code') collate names) = any('{a}'::text[])`,
      sql`site_number(site, 'size') >= 5`,
      sql`site_list(site, 'zones') && '{x}'::text[]`,
      sql`((site ->> 'note') collate names) = any('{a}'::text[])`,
    ].map((where) =>
      database.transaction(async (tx) => {
        await tx.execute(sql`set local enable_seqscan = off`);
        const rows = await tx.execute<{ "QUERY PLAN": string }>(
          sql`explain select id from items where ${where}`,
        );
        return rows.map((row) => row["QUERY PLAN"]).join("\n");
      }),
    ),
  );
  for (const plan of plans) expect(plan).toContain("site_value_");
  await admin.delete(`/site_fields/${id}`);
  await ensureIndexes();
  expect(await made()).toHaveLength(3);
});

test("an index that cannot be made keeps no other from being made", async () => {
  await aSiteField({ key: "a", label: "A", type: "text" });
  await aSiteField({ key: "b", label: "B", type: "text" });
  await knowDefinitions();
  const [first, second] = [...knownDefinitions().values()].flat().map((one) => indexOf(one).name);
  await database.execute(sql.raw(`create sequence ${first}`));
  await expect(ensureIndexes()).rejects.toThrow("already exists");
  const made = await database.rows(sql`select from pg_indexes where indexname = ${second}`);
  await database.execute(sql.raw(`drop sequence ${first}`));
  expect(made).toHaveLength(1);
});

test("a type changes, or a value of it is written, but not both at once", async () => {
  const { id } = await aSiteField({ key: "code", label: "Code", type: "text" });
  const { id: item } = await anItem();
  for (const round of [1, 2, 3, 4]) {
    const type = round % 2 ? "integer" : "text";
    const value = round % 2 ? "text" : round;
    const [changed, ...written] = await Promise.all([
      admin.patch(`/site_fields/${id}`, { type }),
      ...Array.from({ length: 8 }, () =>
        admin.patch(`/inventory/items/${item}`, { site: { code: value } }),
      ),
    ]);
    const isWritten = written.some(({ status }) => status === 200);
    expect([changed?.status === 200, isWritten]).not.toEqual([true, true]);
    await admin.patch(`/inventory/items/${item}`, { site: { code: null } });
    await admin.patch(`/site_fields/${id}`, { type });
  }
});

test("each kind of record keeps what its fields require, by each way in", async () => {
  const { name: host } = await aHost({ name: "web-1" });
  const { name: nic } = await anInterface({ host, name: "web-1" });
  const { vlan_name: network } = await aNetwork({ vlan_name: "Lab" });
  await anItem({ ics_id: "AAA001" });
  await aModel({ name: "M" });
  await aLocation({ name: "Hall" });
  const kinds = [
    ["item", "/inventory/items", "ics_id", "AAA001"],
    ["model", "/inventory/models", "name", "M"],
    ["location", "/inventory/locations", "name", "Hall"],
    ["host", "/network/hosts", "name", host],
    ["interface", "/network/interfaces", "name", nic],
    ["network", "/network/networks", "vlan_name", network],
  ] as const;
  for (const [record, path, key, name] of kinds) {
    await aSiteField({ record, key: "must", label: "Must", type: "text", required: true });
    await aSiteField({ record, key: "fixed", label: "Fixed", type: "text", editors: ["admin"] });
    const [{ id }] = (await admin.get(`${path}?${key}=${name}`)).body;
    const editor = api(path.startsWith("/network") ? dave : bob);
    const field = async (answer: ReturnType<typeof admin.patch>) => {
      const { status, body } = await answer;
      return [path, status, body?.errors?.map((one: { field: string }) => one.field)];
    };
    expect(await field(admin.patch(`${path}/${id}`, { site: { fixed: "x" } }))).toEqual([
      ...[path, 422, ["site.must"]],
    ]);
    const both = await admin.patch(`${path}/${id}`, { site: { must: "a", fixed: "x" } });
    expect([path, both.status]).toEqual([path, 200]);
    const site = { fixed: "y" };
    for (const answer of [
      admin.patch(`${path}/${id}`, { site: { must: null } }),
      admin.put(`${path}/by-${key}/${name}`, { site: { must: null } }),
    ])
      expect(await field(answer)).toEqual([path, 422, ["site.must"]]);
    if (record === "model") continue;
    const mine = [
      editor.patch(`${path}/${id}`, { site }),
      editor.put(`${path}/by-${key}/${name}`, { site }),
    ];
    for (const answer of mine) {
      const [, status, fields] = await field(answer);
      expect([record, status === 403 || `${fields}`]).toEqual([
        ...[record, status === 403 || "site.fixed"],
      ]);
    }
    const imported = await editor.post(
      `${path}/import`,
      JSON.stringify({ [record === "host" ? "name" : key]: name, site }),
      { headers: { "content-type": "application/x-ndjson" } },
    );
    expect([record, imported.status]).not.toEqual([record, 200]);
    const set = both.headers.get("change-set");
    expect((await editor.post(`/changes/${set}/undo`, {})).status).toBeGreaterThan(400);
    expect((await admin.get(`${path}/${id}`)).body.site).toMatchObject({ must: "a", fixed: "x" });
  }
});

test("a label shows the value of a chosen field in words, to those who know it", async () => {
  const choices = ["A=Controlled area", "B"];
  await aSiteField({ key: "rp", label: "RP", type: "choice", choices, visible_to: ["inventory"] });
  await admin.post("/inventory/items", { ics_id: "AAA001", serial_number: "S", site: { rp: "A" } });
  for (const [who, isThere] of [
    [bob, true],
    [carol, false],
  ] as const) {
    const { text } = await (await browser(who)).get("/inventory/items/labels?also=site.rp");
    expect(text.includes("Controlled area")).toBe(isThere);
    expect(text.includes(">RP</option>")).toBe(isThere);
  }
});

test("a field that one may not know of changes no byte of what one reads", async () => {
  await aSiteField({ key: "open", label: "Open", type: "text" });
  await anItem({ ics_id: "AAA001" });
  const { id: host } = await aHost({ name: "web-1" });
  const read = async () => {
    const texts: Record<string, string> = {};
    const page = await browser(bob);
    for (const path of [
      "/inventory/items",
      "/inventory/items?q=canary",
      "/inventory/items?q=secret:canary",
      "/inventory/items?q=site.secret:*",
      "/inventory/items?q=canari~",
      "/inventory/items?site.secret=canary",
      "/inventory/items?sort=site.secret",
      "/inventory/items?fields=site.secret",
      "/inventory/items/1",
      "/inventory/items/1?at=2020-01-01",
      "/network/hosts?q=canary",
      `/network/hosts/${host}`,
      `/network/hosts/${host}/vars`,
      "/network/export/ansible",
      "/site_fields",
      "/changes",
      "/changes?q=canary",
      "/changes?kind=items",
    ])
      texts[path] = (await api(bob).get(path)).text;
    for (const path of [
      "/inventory/items?site.secret=canary",
      "/inventory/items/create",
      "/inventory/items/edit/AAA001",
      "/inventory/items/import/template.csv",
      "/inventory/items/labels?also=site.secret",
      "/network/hosts/edit/web-1",
      "/site_fields",
      "/site_fields/view/item.secret",
      "/search?q=canary",
      "/changes",
    ])
      texts[`page ${path}`] = (await page.get(path)).text;
    const headers = { authorization: `Bearer ${await tokenOf(bob)}` };
    const url = `${(await service()).origin}/api/v1/openapi.json`;
    texts.openapi = await (await fetch(url, { headers })).text();
    return Object.entries(texts).map(([path, text]) => [path, plain(text)]);
  };
  const before = await read();
  for (const record of ["item", "host"])
    await aSiteField({
      ...{ record, key: "secret", label: "Canary label", type: "text", help: "Canary help" },
      visible_to: ["network"],
    });
  await admin.patch("/inventory/items/1", { site: { secret: "canary" } });
  await admin.patch(`/network/hosts/${host}`, { site: { secret: "canary" } });
  for (const [at, [path, text]] of (await read()).entries())
    expect([path, text]).toEqual(before[at] as string[]);
});

/** Without what differs between any two answers; the versions and times of records are those of all their fields. */
function plain(text: string): string {
  return text
    .replace(/"request_id":"[^"]*"/g, "")
    .replace(/nonce="[^"]*"|"version" value="\d+"/g, "")
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d[.\d]*Z?)?/g, "")
    .replace(/(?<=data-ago="true">)[^<]*/g, "");
}
