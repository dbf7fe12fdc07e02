// What a leaf asks of a value that is one text, whatever its case.
import { type SQL, sql } from "drizzle-orm";
import { LAST, literal } from "../../input/text.ts";
import type { Glob } from "../language/glob.ts";
import { readRegex } from "../language/lucene_regex.ts";
import { lowerOf, type Source } from "../language/search_document.ts";
import type { Any, Leaf, Range } from "../language/tree.ts";
import { regexCondition } from "./regex.ts";

export type Asking = Exclude<Leaf, Any>;

type Column = Pick<Source, "value" | "lower">;

export function onKeyword(column: Column, leaf: Asking): SQL[] {
  const { value } = column;
  const lower = lowerOf(column);
  switch (leaf.kind) {
    case "term":
    case "phrase": {
      if (leaf.text.includes("\0")) return [];
      return [sql`${lower} = ${leaf.text.toLowerCase()}`];
    }
    case "prefix":
      return starting(lower, leaf.text.toLowerCase());
    case "wildcard":
      return like(column, patternOf(leaf.glob));
    case "regex":
      return matching(value, leaf.source);
    case "range":
      return between(
        sql`${lower} collate "C"`,
        leaf,
        (text) => sql`${text.toLowerCase()}::text collate "C"`,
      );
    default:
      return [];
  }
}

export function patternOf(glob: Glob): string {
  return glob
    .map((part) =>
      typeof part === "string" ? literal(part.toLowerCase()) : part.wild === "*" ? "%" : "_",
    )
    .join("");
}

function starting(lower: SQL, text: string): SQL[] {
  return text.includes("\0") ? [] : [startingWith(sql`${lower} collate "C"`, text)];
}

/** A range, which any plan can look up in an index; to do so with a pattern it would have to know that. */
export function startingWith(bytes: SQL, text: string): SQL {
  return sql`(${bytes} >= ${text} and ${bytes} < ${text + LAST})`;
}

/** What is not kept in lower case has trigrams that know no case. */
function like({ value, lower }: Column, pattern: string): SQL[] {
  if (pattern.includes("\0")) return [];
  return [value === lower ? sql`${lower} like ${pattern}` : sql`${value} ilike ${pattern}`];
}

function matching(value: SQL, source: string): SQL[] {
  const read = readRegex(source);
  const condition = read && regexCondition(value, read.tree);
  return condition ? [condition] : [];
}

/** An end that cannot be read finds nothing. */
export function between(
  value: SQL,
  { from, to }: Range,
  read: (text: string) => SQL | undefined,
): SQL[] {
  if ([from, to].some((end) => end?.text.includes("\0"))) return [];
  const least = from && read(from.text);
  const most = to && read(to.text);
  if ((from && !least) || (to && !most)) return [];
  const ends = [
    ...(from && least
      ? [from.isInclusive ? sql`${value} >= ${least}` : sql`${value} > ${least}`]
      : []),
    ...(to && most ? [to.isInclusive ? sql`${value} <= ${most}` : sql`${value} < ${most}`] : []),
  ];
  return [sql`(${sql.join(ends, sql` and `)})`];
}
