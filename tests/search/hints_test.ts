// Hints for unknown fields and for queries that cannot be parsed.
import { describe, expect, test } from "bun:test";
import { hostDocument } from "../../src/network/hosts/search.ts";
import { fieldHint } from "../../src/search/suggest/hints.ts";
import { api, carol } from "../support/mod.ts";

describe("a query", () => {
  test.each([
    ["location:Gallery", "items.location:Gallery"],
    ["VLAN:310", "vlan:310"],
    ["Name:arch* AND Group:timing", "name:arch* AND group:timing"],
    ["type=VME", "type:VME"],
    ["Type=VME OR is_ioc=true", "type:VME OR is_ioc:true"],
    ["serial:(12 OR 13)", "items.serial_number:(12 OR 13)"],
    ["NOT (hostname:a)", "NOT (name:a)"],
    ["descripton:pump", "description:pump"],
    ["_exists_:location", "_exists_:items.location"],
    ["serial_numbre:1", "items.serial_number:1"],
    ["caf\\=e:x OR status:Spare", "caf\\=e:x OR items.status:Spare"],
    ['location:"x', 'items.location:"x'],
  ])("%s names a field with another name", (query, meant) => {
    expect(fieldHint(query, hostDocument())?.query).toBe(meant);
    expect(fieldHint(meant, hostDocument())).toBeUndefined();
  });

  test.each([
    ...["name:a", "ip:10.0.0.1", "interfaces.ip:x", "interfaces:*", "_exists_:items", "group:x"],
    ...["automation_vars.port:1", "interfaces.\\*:x", "*:x", "quux:1", "x=y", "a:b=c", "12:30", ""],
  ])("%s gives no hint", (query) => {
    expect(fieldHint(query, hostDocument())).toBeUndefined();
  });
});

describe("a query with many unknown fields", () => {
  test("gets a hint for the first sixteen of them", () => {
    const names = Array.from({ length: 16 }, (_, at) => `unknown${at}`);
    const first = names.map((name) => `${name}:1`);
    expect(fieldHint([...first, "VLAN:310"].join(" OR "), hostDocument())).toBeUndefined();
    expect(
      fieldHint([...first.slice(1), "VLAN:310"].join(" OR "), hostDocument())?.query,
    ).toEndWith(" OR vlan:310");
  });
});

describe("the 422 of a query that cannot be parsed", () => {
  const ask = (path: string, q: string) => api(carol).get(`${path}?q=${encodeURIComponent(q)}`);

  test("has a hint where there is one", async () => {
    for (const [query, hint] of [
      ["SN-1/A", "quotation marks"],
      ['"abc', "Close the quotation"],
      ["12:30:45", "colon"],
      ["[a to b]", "capital letters"],
      ["a AND", "AND, OR and NOT"],
      ["(a", "Close the bracket"],
      ["a)", "Put ) in quotation marks"],
      ["location:(a", "but there is items.location"],
      ["VLAN:310 AND", "there is vlan"],
    ] as const) {
      const { status, body } = await ask("/network/hosts", query);
      expect([query, status, body.hint]).toEqual([query, 422, expect.stringContaining(hint)]);
      expect(body.error, query).not.toHaveProperty("hint");
    }
    expect((await ask("/inventory/items", "Location:(a")).body.hint).toContain("is location");
    expect((await ask("/network/hosts", "a^x")).body).not.toHaveProperty("hint");
  });

  test("is not returned for unknown fields: they find nothing", async () => {
    for (const query of ["location:Gallery", "VLAN:310", "type=VME"]) {
      const { status, body } = await ask("/network/hosts", query);
      expect([query, status, body]).toEqual([query, 200, []]);
    }
  });
});
