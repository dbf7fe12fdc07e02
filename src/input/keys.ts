// Primary keys in paths and forms.
import { type SQL, sql } from "drizzle-orm";
import { notFound } from "./errors.ts";

/** PostgreSQL's largest integer. */
export const LARGEST_KEY = 2_147_483_647;

/** The text as a primary key; undefined if it is not one. */
export function keyIn(text: string): number | undefined {
  const key = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : 0;
  return key > 0 && key <= LARGEST_KEY ? key : undefined;
}

/** The same, or notFound: no record has such an id. */
export function keyNamed(text: string): number {
  const key = keyIn(text);
  if (key === undefined) throw notFound();
  return key;
}

/** A list of keys as an integer[]: Bun sends a list of numbers as text. */
export function integers(keys: readonly number[]): SQL {
  return sql`${sql.param(keys.map(String))}::text[]::integer[]`;
}

/** The same as a bigint[]. */
export function longs(keys: readonly number[]): SQL {
  return sql`${sql.param(keys.map(String))}::text[]::bigint[]`;
}
