// What makes PostgreSQL read everything is asked apart from everybody else, and may take too long.
import type { SQL } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { Away } from "../../db/faults.ts";
import { TakesTooLong } from "./takes_too_long.ts";

/** Milliseconds, for all of a query. */
const PATIENCE = 2_000;

export function untilWhen(): number {
  return performance.now() + PATIENCE;
}

export function left(until: number): number {
  const patience = Math.ceil(until - performance.now());
  if (patience <= 0) throw new TakesTooLong();
  return patience;
}

export async function slowly<Row>(query: SQL, until: number): Promise<Row[]> {
  try {
    return await database.aside<Row>(query, left(until));
  } catch (fault) {
    throw fault instanceof Away && fault.late ? new TakesTooLong() : fault;
  }
}
