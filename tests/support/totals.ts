// The totals of lists, and how they were found.
import { spyOn } from "bun:test";
import * as database from "../../db/client.ts";
import { api, type Person } from "./mod.ts";

export async function totalOf(path: string, by: Person, perPage: number): Promise<number> {
  const separator = path.includes("?") ? "&" : "?";
  const { headers, text } = await api(by).get(`${path}${separator}per_page=${perPage}`);
  if (headers.get("x-total-count") === null) throw new Error(`${path}: ${text}`);
  return Number(headers.get("x-total-count"));
}

/** How often a list is counted as a whole meanwhile. */
export async function countsDuring(work: () => Promise<unknown>): Promise<number> {
  const spy = spyOn(database, "row");
  await work();
  const statements = spy.mock.calls.map(([statement]) =>
    database.statementText(statement as never),
  );
  spy.mockRestore();
  return statements.filter((text) => /\) as total|as total,/.test(text)).length;
}
