// Rules for all resources, including future ones: each has its API, pages, search and history, and no column is
// undescribed.
import { describe, expect, test } from "bun:test";
import { getTableConfig } from "drizzle-orm/pg-core";
import * as files from "../db/tables/files.ts";
import * as inventory from "../db/tables/inventory.ts";
import * as network from "../db/tables/network.ts";
import { app } from "../src/app.ts";
import { consoleCaller } from "../src/auth/auth.ts";
import { TABLES } from "../src/history/history.ts";
import { resourceOf, resources } from "../src/resources.ts";
import { type Resource, recordOf, recordQuery, searchDocument } from "../src/store/resource.ts";
import { editorsOf } from "../src/undo/tables.ts";
import { account } from "../src/user/account.ts";
import { heldToken } from "../src/user/held_token.ts";
import { serviceAccount } from "../src/user/service_accounts.ts";
import { token } from "../src/user/token.ts";
import { user } from "../src/user/user.ts";
import { browser } from "./support/browser.ts";
import { elements } from "./support/html.ts";
import { alice, service } from "./support/mod.ts";

const API = "/api/v1";
const STAMPS = ["id", "version", "created_at", "updated_at", "created_by", "updated_by"];
/** Tables that are edited as part of other records. */
const LINKS = ["group_hosts", "group_children"];
/** Tables of users, which have their own pages and rules, and no public history; with all their descriptions. */
const PERSONAL: Record<string, Resource[]> = {
  users: [user, account, serviceAccount],
  tokens: [token, heldToken],
};
const paths = app.routes.map(({ method, path }) => `${method} ${path.replace(/(.)\/$/, "$1")}`);
const named = resources.map((resource) => [resource.name, resource] as const);

describe("every table that people edit", () => {
  test("belongs to a resource that src/resources.ts lists", async () => {
    const { sql } = await service();
    const tracked: Array<{ name: string }> = await sql`
      select distinct relname as name from pg_trigger join pg_class on pg_class.oid = tgrelid
      join pg_proc on pg_proc.oid = tgfoid where proname = 'track'`;
    const known = [...resources.map(({ name }) => name), ...LINKS, ...Object.keys(PERSONAL)];
    expect(tracked.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
    expect(TABLES.toSorted()).toEqual([...resources.map(({ name }) => name), ...LINKS].toSorted());
  });
});

describe.each(Object.entries(PERSONAL))("%s", (_, descriptions) => {
  test("has a field for each column, or declares it internal", () => {
    const columns = columnsOf(descriptions[0]!);
    const known = [...descriptions.flatMap(described), ...STAMPS];
    expect(columns.filter((column) => !known.includes(column))).toEqual([]);
    expect(known.filter((column) => !columns.includes(column) && !STAMPS.includes(column))).toEqual(
      [],
    );
  });
});

function columnsOf({ table }: Resource): string[] {
  return getTableConfig(table).columns.map((column) => column.name);
}

/** The columns of a resource that are fields or internal. */
function described({ fields, internal = [] }: Resource): string[] {
  const kept = Object.entries(fields).flatMap(([field, { column }]) => column?.(field) ?? []);
  return [...kept, ...internal];
}

describe.each(named)("%s", (name, resource) => {
  const { fields, path, key } = resource;

  test("has a field for each column, or declares it internal", () => {
    const columns = columnsOf(resource);
    const known = [...described(resource), ...STAMPS];
    expect(columns.filter((column) => !known.includes(column))).toEqual([]);
    expect(known.filter((column) => !columns.includes(column) && !STAMPS.includes(column))).toEqual(
      [],
    );
  });

  test("has labels for its fields, and a key among them", () => {
    expect(Object.keys(fields)).toContain(key);
    for (const [field, { label }] of Object.entries(fields))
      expect([field, label]).toEqual([field, expect.stringMatching(/^[A-Z]/)]);
  });

  test("is listed and read by the API, or as a part of another resource", () => {
    const list = `GET ${API}${path}`;
    const read = paths.filter((one) => one.startsWith(`${list}/:`));
    const isListed = paths.includes(list) || resource.partOf !== undefined;
    expect([list, isListed, read.length > 0]).toEqual([list, true, true]);
  });

  test("has a page, or is a part of a resource that has one", () => {
    const page = resource.page?.("x");
    if (page)
      return expect(paths.some((one) => covers(one, `GET ${page.split("?")[0]}`))).toBe(true);
    const owner = resourceOf(resource.partOf ?? "");
    expect([name, owner?.page ?? owner?.partOf]).toEqual([name, expect.anything()]);
  });

  test("is found by a query on each field that it shows", () => {
    const document = searchDocument(resource, consoleCaller);
    const found = new Set(document.sources.map((source) => source.path.split(".")[0]));
    if (document.variables) found.add(document.variables.path);
    const shown = Object.entries(fields).filter(
      ([field, { schema, kind }]) =>
        schema && kind !== "value" && !UNSEARCHED.includes(`${name}.${field}`),
    );
    expect(shown.map(([field]) => field).filter((field) => !found.has(field))).toEqual([]);
  });

  test("returns the fields that its query selects", () => {
    const shown = Object.entries(recordQuery(resource, consoleCaller).fields).filter(
      ([, { hidden }]) => !hidden,
    );
    expect(shown.map(([field]) => field)).toEqual(Object.keys(recordOf(resource).properties));
  });

  test("refers to resources that are listed before it, and can be undone", () => {
    const before = resources.slice(0, resources.indexOf(resource) + 1).map((one) => one.name);
    const refers = Object.values(fields).flatMap(({ refersTo }) => refersTo?.table ?? []);
    expect(refers.filter((table) => !before.includes(table) && !resourceOf(table))).toEqual([]);
    expect(refers.filter((table) => !before.includes(table))).toEqual([]);
    expect(editorsOf(name)).toEqual(resource.editors);
  });

  test("is found by the one box", async () => {
    const { noun } = resource;
    const kinds = await import("../pages/omnibox/result_paths.ts");
    const hit = {
      kind: ONE_BOX[name] ?? noun,
      label: "x",
      name: "x",
      detail: null,
      is_exact: false,
    };
    const [section] = kinds.sectionsOf([hit], "x");
    expect([noun, section?.title]).toEqual([noun, expect.any(String)]);
  });
});

/** The images of codes cannot be searched. */
const UNSEARCHED = ["actions", "manufacturers", "models", "locations", "statuses"].map(
  (table) => `${table}.qrcode`,
);
/** Found as other records: comments and files as their items, addresses as their owners. */
const ONE_BOX: Record<string, string> = { comments: "item", files: "item", macs: "mac" };

/** Whether a route matches a path. */
function covers(route: string, path: string): boolean {
  return new RegExp(`^${route.replace(/:[^/]+/g, "[^/]+")}$`).test(path);
}

describe("every form that creates a record", () => {
  test("has one input for each field of its shape", async () => {
    const own = await browser(alice);
    for (const { path, fields } of resources.filter((one) =>
      paths.includes(`GET ${one.path}/create`),
    )) {
      const { text } = await own.get(`${path}/create`);
      const names = elements(text, "main form input, main form select, main form textarea").map(
        ({ attributes }) => attributes.name,
      );
      // Parts are inputs of their own.
      const created = Object.entries(fields).flatMap(([name, { create, parts }]) =>
        create && !parts ? [name] : [],
      );
      expect([path, created.filter((name) => !names.includes(name))]).toEqual([path, []]);
    }
  });
});

describe("the tables in code", () => {
  test("of resources are those of the inventory and of the network", () => {
    const tables: object[] = [inventory, network, files].flatMap(Object.values);
    expect(
      resources.filter(({ table }) => !tables.includes(table)).map(({ name }) => name),
    ).toEqual([]);
  });
});
