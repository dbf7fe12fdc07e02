// Compares the route tables of the specification and the contract with the routes.
import { describe, expect, test } from "bun:test";
import { app } from "../src/app.ts";
import { specified } from "./support/specification.ts";

const NOT_BUILT: string[] = [];

/** A row without the names of its placeholders, so that :id and (int:item_id) are equal. */
function plain(row: string): string {
  return row.replace(/\([^)]+\)|:[^/]+/g, "*").replace(/(.)\/$/, "$1");
}

const routes = new Set(app.routes.map(({ method, path }) => plain(`${method} ${path}`)));
const built = specified.filter((row) => routes.has(plain(row)));

describe("the specification", () => {
  test("is implemented, except for what is declared as not implemented", () => {
    const missing = specified.filter((row) => !built.includes(row));
    expect(missing).toEqual(NOT_BUILT);
    console.log(`contract: ${built.length} of ${specified.length} rows are built`);
  });

  test("lists every row once", () => {
    expect(new Set(specified).size).toBe(specified.length);
    expect(new Set(NOT_BUILT).size).toBe(NOT_BUILT.length);
  });
});
