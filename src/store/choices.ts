// The choices of the filters of a list. A page reads them together with other values, because a statement of their own
// costs several times as much as reading them.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";

export interface Choices<Row> {
  /** An expression: one JSON object. */
  json(caller: Caller): SQL;
  /** For the compiler alone: what the object holds. */
  readonly row?: Row;
}

export async function readChoices<Row>(caller: Caller, choices: Choices<Row>): Promise<Row> {
  const found = await database.row<{ json: string }>(sql`
    select ${choices.json(caller)}::text as json`);
  return JSON.parse(found?.json ?? "{}");
}
