// Rules for all lists with pages, including future ones: what is changed at once, and who exports them.
import { describe, expect, test } from "bun:test";
import { sources } from "../pages/lists/sources.ts";
import { resources } from "../src/resources.ts";
import { sharedFields, sharedLists } from "../src/store/bulk.ts";
import { browser } from "./support/browser.ts";
import { type Element, elements, texts } from "./support/html.ts";
import {
  aDomain,
  aGroup,
  aHost,
  alice,
  aNetwork,
  anItem,
  api,
  aScope,
  carol,
  service,
} from "./support/mod.ts";
import { aSite } from "./support/pages.ts";

const changed = [...sources].flatMap(([path, { bulk }]) => (bulk ? [[path, bulk] as const] : []));

describe("every list", () => {
  test("of a resource that people edit changes and deletes several of its records at once", () => {
    // Items have a change of their own; comments, files, addresses and cnames are parts of other pages.
    const apart = ["items", "comments", "files", "macs", "cnames"];
    const known = [...changed.map(([, { resource }]) => resource.name), ...apart];
    expect(resources.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
    for (const [path, { lists = {}, resource }] of changed) {
      // A list in a column needs no way of its own.
      const named = sharedLists(resource)
        .map(([name]) => name)
        .filter((name) => !resource.fields[name]?.column);
      expect([path, Object.keys(lists).toSorted()]).toEqual([path, named.toSorted()]);
    }
  });

  test("offers no unique field when several records are changed", async () => {
    const { sql } = await service();
    const unique: Array<{ name: string; columns: string[] }> = await sql`
      select relname as name, array_agg(pg_get_indexdef(indexrelid, at, true)) as columns
      from pg_index join pg_class on pg_class.oid = indrelid
        cross join generate_series(1, indnkeyatts) at
      where (indisunique or indisexclusion) and not indisprimary
      group by indexrelid, relname`;
    for (const [path, { resource }] of changed) {
      const offered = Object.keys(sharedFields(resource).properties).map(
        (field) => resource.fields[field]?.column?.(field) ?? field,
      );
      const free = unique.filter(
        ({ name, columns }) =>
          name === resource.name &&
          columns.every((one) => offered.some((column) => one.includes(column))),
      );
      expect([path, free]).toEqual([path, []]);
    }
  });

  test("marks the column and the direction that order it", async () => {
    await aSite();
    await aHost({ name: "a-bench" });
    await aNetwork({
      address: "10.0.0.0/24",
      scope: (await aScope({ supernet: "10.0.0.0/16" })).name,
    });
    for (const name of ["Second", "First"]) await aGroup({ name });
    for (const name of ["second.org", "first.org"]) await aDomain({ name });
    for (const serial_number of ["S2", "S1"]) await anItem({ serial_number });
    for (const description of ["First", "Second", "A third"]) {
      await api(alice).post("/user/tokens", { description });
    }
    const own = await browser(alice);
    // The log is in the order of its ids; the times of two entries at one moment can be the other way round.
    const { sql } = await service();
    await sql`update audit_log set at = now() - interval '1 day' + id * interval '1 second'`;
    for (const path of sources.keys()) {
      const { text } = await own.get(path);
      const [marked] = elements(text, "th[aria-sort]");
      if (!marked) continue;
      const [{ attributes }] = elements(text, "th[aria-sort] a") as [Element];
      // The link turns the order.
      const turned = new URLSearchParams(attributes.href!.split("?")[1]).get("sort")!;
      const isUp = marked.attributes["aria-sort"] === "ascending";
      const sort = isUp ? turned.replace("-", "") : `-${turned}`;
      const rows = (html: string) =>
        elements(html, "table.list tbody tr").map((row) => row.attributes.id);
      expect([path, rows((await own.get(`${path}?sort=${sort}`)).text)]).toEqual([
        path,
        rows(text),
      ]);
    }
  });

  test("is exported by those who may see it, with an entry in the audit log", async () => {
    const [admin, reader] = [await browser(alice), await browser(carol)];
    const { sql } = await service();
    await sql`delete from audit_log`;
    for (const [list, { readers, resource }] of sources) {
      const address = `/lists/export?list=${list}`;
      const [own, others] = [await admin.get(address), await reader.get(address)];
      expect([list, own.status, others.status]).toEqual([list, 200, readers ? 403 : 200]);
      const view = await reader.submit("/searches", { list, name: "Mine", query: "sort=id" });
      expect([list, view.status]).toEqual([list, readers ? 403 : 303]);
      expect(own.text).not.toMatch(/argon2|secret|password/);
      const { text } = await admin.get(list);
      if (texts(text, "table.list").length === 0) continue;
      const links = elements(text, ".ways a").map(({ attributes }) => attributes.href);
      expect([list, links.some((one) => one?.startsWith("/lists/export"))]).toEqual([list, true]);
      const [{ count }] = await sql`
        select count(*)::int from audit_log
        where event = 'export.requested' and username = 'alice' and target = ${resource.plural}`;
      expect([list, count]).toEqual([list, 1]);
    }
  });
});
