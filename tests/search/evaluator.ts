// A slow and simple evaluation of queries over documents in memory: the reference for every
// other implementation.
import { matches, pathGlob } from "../../src/search/language/glob.ts";
import type { Clause, ClauseGroup, Leaf } from "../../src/search/language/tree.ts";
import type { Document } from "./documents.ts";
import { isMet, type Value } from "./values.ts";

/** The names of what is found, in the order of the documents. */
export function found(query: ClauseGroup, documents: Document[], now: number): string[] {
  return documents.filter((document) => isTrue(query, flat(document), now)).map(({ name }) => name);
}

function isTrue(clause: Clause, values: Value[], now: number): boolean {
  if (clause.kind !== "group") return isFound(clause, values, now);
  const { must, should, must_not } = clause;
  if (must.length + should.length + must_not.length === 0) return false;
  const is = (one: Clause) => isTrue(one, values, now);
  if (must_not.some(is) || !must.every(is)) return false;
  return must.length > 0 || should.length === 0 || should.some(is);
}

function isFound(leaf: Leaf, values: Value[], now: number): boolean {
  if (leaf.kind === "any") return true;
  if (leaf.kind === "exists") {
    return values.some(({ path }) => leaf.field.paths.some((one) => isBeneath(path, one)));
  }
  const { field } = leaf;
  const meant = field
    ? values.filter(({ path }) => field.paths.some((one) => matches(pathGlob(one), path)))
    : values;
  return meant.some((value) => isMet(leaf, value, now));
}

function isBeneath(path: string, pattern: string): boolean {
  return matches(pathGlob(pattern), path) || matches(pathGlob(`${pattern}.*`), path);
}

/** Lists count as their elements; null is nothing. */
function flat(value: unknown, path = ""): Value[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => flat(one, path));
  if (typeof value === "object") {
    return Object.entries(value as object).flatMap(([key, one]) =>
      flat(one, path ? `${path}.${key}` : key),
    );
  }
  return [{ path, value: value as Value["value"] }];
}
