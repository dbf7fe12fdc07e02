// Rules for all tables, including future ones.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { is, SQL } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import * as audit from "../db/tables/audit.ts";
import * as changes from "../db/tables/changes.ts";
import * as events from "../db/tables/events.ts";
import * as files from "../db/tables/files.ts";
import * as inventory from "../db/tables/inventory.ts";
import * as jobs from "../db/tables/jobs.ts";
import * as network from "../db/tables/network.ts";
import * as notices from "../db/tables/notices.ts";
import * as user from "../db/tables/user.ts";
import { resources } from "../src/resources.ts";
import { KEPT, SEEDED } from "./support/empty.ts";
import { service } from "./support/mod.ts";

interface Column {
  name: string;
  type: string;
  required: boolean;
}

const tables = [audit, changes, events, files, inventory, jobs, network, notices, user]
  .flatMap((room) => Object.values(room))
  .filter((one) => one instanceof PgTable)
  .map((table) => getTableConfig(table as PgTable));

async function columnsByTable(): Promise<Record<string, Column[]>> {
  const { sql } = await service();
  const rows: Array<Column & { table: string }> = await sql`
    select relname as table, attname as name, format_type(atttypid, atttypmod) as type, attnotnull as required
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
    order by 1, 2`;
  const grouped = Object.groupBy(rows, ({ table }) => table);
  return Object.fromEntries(
    Object.entries(grouped).map(([table, columns]) => [
      table,
      (columns ?? []).map(({ name, type, required }) => ({ name, type, required })),
    ]),
  );
}

test("the name of a record that has a page of its own is unique", async () => {
  const { sql } = await service();
  const unique: Array<{ key: string }> = await sql`
    select relname || '.' || replace(replace(pg_get_indexdef(indexrelid, 1, true), 'lower(', ''), ')', '') as key
    from pg_index join pg_class on pg_class.oid = indrelid
    where indisunique and indnkeyatts = 1 and indpred is null`;
  const keys = new Set(unique.map(({ key }) => key));
  const named = resources.filter(({ page }) => page).map(({ name, key }) => `${name}.${key}`);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((key) => !keys.has(key))).toEqual([]);
});

describe("the tables in code", () => {
  test("match those of the database: names, types and nullability", async () => {
    const { migrations: _, ...kept } = await columnsByTable();
    const inDatabase = Object.entries(kept).flatMap(([table, columns]) =>
      columns.map((column) => described(table, column)),
    );
    const inCode = tables.flatMap(({ name, columns }) =>
      columns.map((column) =>
        described(name, {
          name: column.name,
          type: column.getSQLType(),
          required: column.notNull || column.primary,
        }),
      ),
    );
    expect({
      onlyInMigrations: inDatabase.filter((one) => !inCode.includes(one)),
      onlyInTables: inCode.filter((one) => !inDatabase.includes(one)),
    }).toEqual({ onlyInMigrations: [], onlyInTables: [] });
  });
});

function described(table: string, { name, type, required }: Column): string {
  return `${table}.${name}: ${type}${required ? " not null" : ""}`;
}

describe("constant defaults", () => {
  test("are the same in code and in the database", async () => {
    const { sql } = await service();
    const rows: Array<{ column: string; expression: string }> = await sql`
      select relname || '.' || attname as column, pg_get_expr(adbin, adrelid) as expression
      from pg_attrdef join pg_class on pg_class.oid = adrelid
      join pg_attribute on attrelid = adrelid and attnum = adnum
      where relnamespace = 'public'::regnamespace and relname <> 'migrations' and attgenerated = ''
      order by 1`;
    const constant = rows.filter(({ expression }) => !/\w\(/.test(expression));
    const values = constant.map(({ expression }) => `to_jsonb(${expression})`);
    const [{ kept }] = await sql.unsafe(
      `select array_to_json(array[${values.join()}])::text as kept`,
    );
    const declared = tables.flatMap(({ name, columns }) =>
      columns
        .filter((column) => column.default !== undefined && !is(column.default, SQL))
        .map((column) => [`${name}.${column.name}`, column.default]),
    );
    expect(declared.toSorted()).toEqual(
      JSON.parse(kept).map((value: unknown, at: number) => [constant[at]?.column, value]),
    );
  });
});

describe("every table that people edit", () => {
  test("has timestamps and history, and an integer id", async () => {
    const { sql } = await service();
    const columns = await columnsByTable();
    const edited = Object.keys(columns).filter((table) =>
      columns[table]?.some(({ name }) => name === "version"),
    );
    expect(edited.length).toBeGreaterThanOrEqual(17);
    const triggers: Array<{ table: string; function: string; events: number }> = await sql`
      select relname as table, proname as function, tgtype::int as events
      from pg_trigger join pg_class on pg_class.oid = tgrelid join pg_proc on pg_proc.oid = tgfoid
      where not tgisinternal and tgenabled = 'O'`;
    for (const table of edited) {
      const of = (name: string) =>
        triggers
          .filter((one) => one.table === table && one.function === name)
          .map(({ events }) => events);
      expect([table, of("stamp")]).toEqual([table, [ROW + BEFORE + INSERT + UPDATE]]);
      expect([table, of("track")]).toEqual([table, [ROW + INSERT + UPDATE + DELETE]]);
      const names = columns[table]?.map(({ name }) => name);
      for (const name of ["created_at", "created_by", "updated_at", "updated_by"]) {
        expect([table, name, names?.includes(name)]).toEqual([table, name, true]);
      }
      expect(columns[table]?.find(({ name }) => name === "id")?.type).toBe("integer");
    }
  });
});

// The bits of pg_trigger.tgtype.
const [ROW, BEFORE, INSERT, DELETE, UPDATE] = [1, 2, 4, 8, 16] as const;

describe("every constraint with a message", () => {
  test("is in the database", async () => {
    const { sql } = await service();
    const rows: Array<{ name: string }> = await sql`
      select conname as name from pg_constraint union select indexrelid::regclass::text from pg_index where indisunique`;
    const known = rows.map(({ name }) => name);
    const named = [...read("src/store/constraints.ts").matchAll(/^ {2}"?(\w+)"?: \[/gm)].map(
      ([, name]) => name,
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !known.includes(name!))).toEqual([]);
  });
});

describe("every reference", () => {
  test("has an index for the referring column, or a small table", async () => {
    const { sql } = await service();
    const bare: Array<{ reference: string }> = await sql`
      select conrelid::regclass || '.' || attname as reference
      from pg_constraint
      join pg_attribute on attrelid = conrelid and attnum = conkey[1]
      where contype = 'f' and attname not in ('created_by', 'updated_by') and not exists (
        select 1 from pg_index where indrelid = conrelid and indkey[0] = conkey[1])
      order by 1`;
    expect(bare.map(({ reference }) => reference)).toEqual(UNINDEXED);
  });
});

/** The referenced rows are never deleted, or the table is small. */
const UNINDEXED = [
  "favorites.action_id",
  "favorites.location_id",
  "favorites.manufacturer_id",
  "favorites.model_id",
  "favorites.status_id",
];

describe("every index of words or of parts of texts", () => {
  test("keeps few new rows that wait for it, which each search would read", async () => {
    const { sql } = await service();
    const found = await sql`
      select pg_class.oid::regclass::text as name from pg_class join pg_am on pg_am.oid = relam
      where amname = 'gin' and relnamespace = 'public'::regnamespace
        and not coalesce(reloptions, '{}') && '{gin_pending_list_limit=64,fastupdate=off}'`;
    expect(found.map(({ name }: { name: string }) => name)).toEqual([]);
  });
});

describe("these tests", () => {
  test("start with every table empty, except for the rows of a new installation", async () => {
    const { sql } = await service();
    const filled = [...SEEDED, ...KEPT, "users", "tokens"];
    const tables = Object.keys(await columnsByTable()).filter((name) => !filled.includes(name));
    expect(tables.length).toBeGreaterThan(40);
    const counts = tables.map((name) => `select '${name}' as name, count(*)::int from ${name}`);
    const rows: Array<{ name: string; count: number }> = await sql.unsafe(
      counts.join(" union all "),
    );
    expect(rows.filter(({ count }) => count > 0)).toEqual([]);
  });
});

function read(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
}
