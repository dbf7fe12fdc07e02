// The query plans of a list: a page of twenty rows must not read the whole table.
import { spyOn } from "bun:test";
import type { SQL as Connection } from "bun";
import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { textOf } from "../../bench/recorded.ts";
import * as database from "../../db/client.ts";
import { PLANNER_SETTINGS } from "../../db/session_settings.ts";
import { api, type Person, service } from "./mod.ts";

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
}

/** Sets what the connections of the service start with. */
const AS_THE_SERVICE = Object.entries(PLANNER_SETTINGS)
  .map(([name, value]) => `set ${name} = ${value};`)
  .join(" ");

const EXPLAIN = "explain (analyze, timing off, format json)";

interface Sent {
  sql: string;
  params: unknown[];
  /** It has one plan for all values: a statement of the search. */
  isGeneric: boolean;
}

/** Whether a statement scans the whole table, and how many of its rows it reads. */
export interface TableRead {
  whole: boolean;
  rows: number;
}

/** What the statements of a list (its page and its count) read of a table; if `like` is given, only those that match it. */
export async function readingsOf(
  table: string,
  path: string,
  by: Person,
  like?: RegExp,
): Promise<TableRead[]> {
  const ask = async () => {
    const { status, text } = await api(by).get(path);
    if (status !== 200) throw new Error(text);
  };
  return readingsDuring(table, ask, like);
}

/** The same of everything that is read meanwhile. */
export async function readingsDuring(
  table: string,
  work: () => Promise<unknown>,
  like?: RegExp,
): Promise<TableRead[]> {
  const spy = spyOn(database, like ? "rows" : "row");
  await work();
  const statements = spy.mock.calls.map(([statement]) => ({
    ...render(statement as SQL),
    isGeneric: false,
  }));
  spy.mockRestore();
  const isMeant = (text: string) => (like ?? new RegExp(`\\bfrom ${table}\\b`)).test(text);
  return readingsIn(
    table,
    statements.filter((one) => isMeant(one.sql)),
  );
}

/** What each of these statements reads of a table. */
export async function readingsIn(table: string, statements: readonly Sent[]): Promise<TableRead[]> {
  const { sql } = await service();
  const connection = await sql.reserve();
  const readings: TableRead[] = [];
  try {
    await connection.unsafe(AS_THE_SERVICE);
    for (const one of statements) {
      const row = one.isGeneric
        ? await explainGeneric(connection, one)
        : (await connection.unsafe(`${EXPLAIN} ${one.sql}`, one.params))[0];
      readings.push(readingIn(table, row["QUERY PLAN"][0].Plan));
    }
    return readings;
  } finally {
    await connection.unsafe("reset all").catch(() => {});
    connection.release();
  }
}

/** With the plan for all values, which the search uses. */
async function explainGeneric(using: Connection, { sql, params }: Omit<Sent, "isGeneric">) {
  const values = params.map((param) =>
    param === null ? "null" : `'${textOf(param).replaceAll("'", "''")}'`,
  );
  try {
    await using.unsafe("set plan_cache_mode = force_generic_plan");
    await using.unsafe(`prepare explained as ${sql}`);
    const list = values.length > 0 ? `(${values.join(", ")})` : "";
    const [row] = await using.unsafe(`${EXPLAIN} execute explained${list}`);
    return row;
  } finally {
    await using.unsafe("deallocate explained; reset plan_cache_mode").catch(() => {});
  }
}

function render(statement: SQL) {
  return new PgDialect().sqlToQuery(statement);
}

function readingIn(table: string, plan: Plan): TableRead {
  const inside = (plan.Plans ?? []).map((one) => readingIn(table, one));
  const isOfTable = plan["Relation Name"] === table;
  const rows = (plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0)) * plan["Actual Loops"];
  return {
    whole:
      inside.some(({ whole }) => whole) ||
      (isOfTable && plan["Node Type"] === "Seq Scan" && rows > 0),
    rows: inside.reduce((sum, one) => sum + one.rows, isOfTable ? rows : 0),
  };
}
