import { expect, test } from "bun:test";
import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { rendered } from "../../db/rendered.ts";
import { items } from "../../db/tables/inventory.ts";
import { consoleCaller } from "../../src/auth/auth.ts";
import { item } from "../../src/inventory/items/item.ts";
import { omit, pick } from "../../src/store/records.ts";
import { recordQuery } from "../../src/store/resource.ts";

const dialect = new PgDialect();
const moment = new Date("2026-11-21T12:00:00Z");

const STATEMENTS: Array<[what: string, statement: SQL]> = [
  ["text alone", sql`select 1`],
  ["values", sql`select ${1}, ${"it's $1"}, ${true}, ${null}, ${12n}, ${moment}`],
  ["bytes and lists of values", sql`${new Uint8Array([1, 2])}::bytea = any(${sql.param([1, 2])})`],
  [
    "statements in statements",
    sql`${sql`a = ${1}`} and (${sql`b = ${sql`c + ${2}`}`}) or d = ${3}`,
  ],
  ["joined parts, and none", sql`${sql.join([sql`a = ${1}`, sql`b`], sql` and `)}${sql.join([])}`],
  ["what is left out", sql`select 1${undefined}${sql.empty()}${sql`where ${undefined} true`}`],
  ["arrays", sql`id in ${[1, 2, sql`3 + ${4}`]} and ${[]}`],
  ["tables, columns and names", sql`select ${items.ics_id} from ${items} ${sql.identifier('a"b')}`],
  ["a value by its column", sql`${items.id} = ${sql.param(5, items.id)}`],
  ["raw text", sql`select ${sql.raw("now()")}, ${sql.raw("$1")}`],
];

test.each(STATEMENTS)(
  "a statement of %s is the same text as Drizzle renders",
  (_what, statement) => {
    const { sql: text, params } = dialect.sqlToQuery(statement);
    expect(rendered(statement)).toEqual({ sql: text, params });
  },
);

test("a part that would lose its values is rejected", () => {
  const part = { getSQL: () => sql`a = ${1}` };
  expect(() => rendered(sql`select ${part}`)).toThrow("a part with values");
});

test("the same choice of fields is made once, so that its columns are rendered once", () => {
  const query = recordQuery(item, consoleCaller);
  const chosen = () => pick(query, ["id", "ics_id"]).fields;
  expect(chosen()).toBe(chosen());
  const without = omit(query, ["id", "ics_id"] as never[]).fields;
  expect([chosen().ics_id?.hidden, without.ics_id?.hidden]).toEqual([false, true]);
});
