// The query plans of a list: a page of twenty rows must not read the whole table.
import { spyOn } from "bun:test";
import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import * as database from "../../db/client.ts";
import { api, type Person, service } from "./mod.ts";

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
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
  const spies = (like ? (["rows"] as const) : (["row", "genericPlanRow"] as const)).map((name) =>
    spyOn(database, name),
  );
  await work();
  const statements = spies.flatMap((spy) =>
    spy.mock.calls.map(([statement]) => render(statement as SQL)),
  );
  for (const spy of spies) spy.mockRestore();
  const { sql } = await service();
  const readings: TableRead[] = [];
  const isMeant = (text: string) => (like ?? new RegExp(`\\bfrom ${table}\\b`)).test(text);
  for (const one of statements.filter((one) => isMeant(one.sql))) {
    const explain = `explain (analyze, timing off, format json) ${one.sql}`;
    const [row] = await sql.unsafe(explain, one.params);
    readings.push(readingIn(table, row["QUERY PLAN"][0].Plan));
  }
  return readings;
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
