// A search has so much time, all of it together: for its turn, for PostgreSQL, for the vocabulary.
import type { SQL } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { Away } from "../../../db/faults.ts";
import { type Gathering, gathered, type Query } from "../../../db/gathered.ts";
import { LONGEST_SEARCH } from "../../../db/searching.ts";
import { TakesTooLong } from "./takes_too_long.ts";

export function untilWhen(): number {
  return performance.now() + LONGEST_SEARCH;
}

export function left(until: number): number {
  const patience = Math.ceil(until - performance.now());
  if (patience <= 0) throw new TakesTooLong();
  return patience;
}

/** What makes PostgreSQL read everything is asked apart from everybody else. */
export function slowly<Row>(query: SQL, until: number): Promise<Row[]> {
  return inTime(() => database.aside<Row>(query, left(until)));
}

/** What is found soon, all at one moment. */
export function soon<Row>(
  queries: readonly Query[],
  { until, take }: { until: number; take: Gathering<Row>["take"] },
): Promise<void> {
  return inTime(() => gathered<Row>(queries, { due: performance.now() + left(until), take }));
}

async function inTime<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    throw fault instanceof Away && fault.late ? new TakesTooLong() : fault;
  }
}
