// Primary keys, as paths and forms name records by them.
import { type SQL, sql } from "drizzle-orm";
import { notFound } from "./errors.ts";

/** PostgreSQL's largest integer. */
export const LARGEST_KEY = 2_147_483_647;

/** The key that a text is, if it is one. */
export function keyIn(text: string): number | undefined {
  const key = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : 0;
  return key > 0 && key <= LARGEST_KEY ? key : undefined;
}

/** Whatever is no key names a record that does not exist. */
export function keyNamed(text: string): number {
  const key = keyIn(text);
  if (key === undefined) throw notFound();
  return key;
}

/** Keys as PostgreSQL takes many of them: Bun sends a list of numbers as text. */
export function integers(keys: readonly number[]): SQL {
  return sql`${sql.param(keys.map(String))}::text[]::integer[]`;
}
