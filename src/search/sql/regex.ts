// A regular expression as a condition: "and" and "not" on the outside become those of SQL, and what is inside of
// them goes to PostgreSQL as its own regular expressions.
import { type SQL, sql } from "drizzle-orm";
import type { Regex } from "../language/regex_tree.ts";
import { postgresRegex } from "./postgres_regex.ts";

/** Undefined where "not" or "and" stands inside of a sequence or a repetition: PostgreSQL has no such thing. */
export function regexCondition(value: SQL, tree: Regex): SQL | undefined {
  const text = postgresRegex(tree);
  if (text !== undefined) return matching(value, text);
  switch (tree.kind) {
    case "nothing":
      return sql`false`;
    case "complement": {
      const inner = regexCondition(value, tree.of);
      return inner && sql`not ${inner}`;
    }
    case "union":
      return joined(value, tree.parts, sql` or `);
    case "intersection":
      return joined(value, tree.parts, sql` and `);
    default:
      return undefined;
  }
}

/** Matched by every text that has a matching part: a cheap first test, where there is one. */
export function partialRegex(tree: Regex): string | undefined {
  const text = postgresRegex(tree, { isWhole: false });
  if (text !== undefined || tree.kind !== "intersection") return text;
  return tree.parts.map(partialRegex).find((part) => part !== undefined);
}

function joined(value: SQL, parts: readonly Regex[], between: SQL): SQL | undefined {
  const conditions = parts.map((part) => regexCondition(value, part));
  const known = conditions.filter((one) => one !== undefined);
  return known.length < parts.length ? undefined : sql`(${sql.join(known, between)})`;
}

/** Beyond ASCII, what is kept in the order of its bytes has no upper and lower case. */
function matching(value: SQL, text: string): SQL {
  const isAscii = /^[\0-\x7f]*$/.test(text);
  return isAscii ? sql`${value} ~* ${text}` : sql`${value} collate names ~* ${text}`;
}
