// Whether a name that is at hand is what a leaf of a query asks for, as keywords compare.
import { distance } from "./edit_distance.ts";
import { matches } from "./glob.ts";
import { readRegex } from "./lucene_regex.ts";
import { matcher } from "./regex_match.ts";
import type { Bound, Leaf } from "./tree.ts";

type Matches = (name: string) => boolean;

export function nameMatcher(leaf: Leaf): Matches {
  const isMatch = lowerMatcher(leaf);
  return (name) => isMatch(name.toLowerCase());
}

function lowerMatcher(leaf: Leaf): Matches {
  switch (leaf.kind) {
    case "term":
    case "phrase":
      return (name) => name === leaf.text.toLowerCase();
    case "prefix":
      return (name) => name.startsWith(leaf.text.toLowerCase());
    case "wildcard": {
      const glob = leaf.glob.map((part) => (typeof part === "string" ? part.toLowerCase() : part));
      return (name) => matches(glob, name);
    }
    case "regex": {
      const regex = readRegex(leaf.source);
      return regex ? matcher(regex) : () => false;
    }
    case "fuzzy":
      return (name) => distance(name, leaf.text.toLowerCase(), leaf.distance) <= leaf.distance;
    case "range":
      return (name) => isBehind(leaf.from, name) && isBefore(leaf.to, name);
    default:
      return () => true;
  }
}

function isBehind(from: Bound | undefined, name: string): boolean {
  const order = from ? compare(name, from) : 1;
  return order > 0 || (order === 0 && from?.isInclusive === true);
}

function isBefore(to: Bound | undefined, name: string): boolean {
  const order = to ? compare(name, to) : -1;
  return order < 0 || (order === 0 && to?.isInclusive === true);
}

/** By their bytes, as PostgreSQL has them. */
function compare(name: string, { text }: Bound): number {
  return Buffer.compare(Buffer.from(name), Buffer.from(text.toLowerCase()));
}
