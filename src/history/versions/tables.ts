// The columns of tables, and which of them refer to records of other tables.
import { is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import * as inventory from "../../../db/tables/inventory.ts";
import * as network from "../../../db/tables/network.ts";
import { resources } from "../../resources.ts";

const columns = new Map(
  Object.values({ ...inventory, ...network })
    .filter((one) => is(one, PgTable))
    .map((table) => {
      const config = getTableConfig(table);
      return [config.name, config.columns.map(({ name }) => name)];
    }),
);

export function tableColumns(table: string): readonly string[] {
  return columns.get(table) ?? [];
}

/** Tables without a resource description. */
const LINKS: ReadonlyArray<[table: string, references: ReadonlyMap<string, string>]> = [
  [
    "group_hosts",
    new Map([
      ["group_id", "groups"],
      ["host_id", "hosts"],
    ]),
  ],
  [
    "group_children",
    new Map([
      ["parent_id", "groups"],
      ["child_id", "groups"],
    ]),
  ],
];

const references = new Map<string, ReadonlyMap<string, string>>([
  ...resources.map(({ name, fields }) => {
    const keys = Object.entries(fields).flatMap(([field, { column, refersTo }]) =>
      column && refersTo ? [[column(field), refersTo.table] as const] : [],
    );
    return [name, new Map(keys)] as const;
  }),
  ...LINKS,
]);

/** The tables that columns refer to, by the columns. */
export function referencesOf(table: string): ReadonlyMap<string, string> {
  return references.get(table) ?? new Map();
}

/** All tables that these refer to, directly or not, without these: each after those that refer to it. */
export function tablesReferredTo(tables: readonly string[]): string[] {
  const found = new Set(tables);
  for (const table of found) {
    for (const other of referencesOf(table).values()) found.add(other);
  }
  const names = resources.map(({ name }) => name).toReversed();
  return names.filter((name) => found.has(name) && !tables.includes(name));
}
