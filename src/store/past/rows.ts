// Reads of the past: the time, and rows as the history has stored them.
import { is, SQL, sql } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import * as inventory from "../../../db/tables/inventory.ts";
import * as network from "../../../db/tables/network.ts";
import { invalid } from "../../input/errors.ts";
import { TIME } from "../../input/kinds.ts";
import { readTime } from "../../input/times.ts";

/** The end of the given day, minute or second: a change that is shown with 14:05 is included at 14:05. */
export function readMoment(text: string): Date {
  const named = readTime(text);
  if (!named) throw invalid("at", `${TIME.description}, once`);
  if (named.begin > Date.now()) throw invalid("at", "Use a time that has passed");
  return new Date(named.begin + Math.max(named.length - 1, 0));
}

/** A stored row as a record of its table. Columns that are newer than the row have their defaults. */
export function recordFrom(table: string, state: SQL): SQL {
  const defaults = JSON.stringify(defaultsOf.get(table) ?? {});
  return sql`jsonb_populate_record(null::${sql.identifier(table)}, ${defaults}::text::jsonb || ${state})`;
}

/** Per table, the values that PostgreSQL gives to existing rows when such a column is added. */
const defaultsOf = new Map(
  Object.values({ ...inventory, ...network })
    .filter((one) => is(one, PgTable))
    .map((table) => {
      const { name, columns } = getTableConfig(table);
      const constant = columns.filter((column) => column.hasDefault && !is(column.default, SQL));
      return [name, Object.fromEntries(constant.map((column) => [column.name, column.default]))];
    }),
);
