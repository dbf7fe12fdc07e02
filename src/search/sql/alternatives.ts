// Many texts at once, as arrays that an index takes whole. Joined by OR into one condition they would keep PostgreSQL
// from every index as soon as one of them has none, and be reckoned for each row of the table.
import { type SQL, sql } from "drizzle-orm";
import { readAddress } from "../../input/addresses.ts";
import { isMac } from "../../input/kinds.ts";
import { literal } from "../../input/text.ts";
import type { Source } from "../language/search_document.ts";
import { askedAs, signedIn, wordsOf } from "../language/words.ts";
import { isBlockOfAddresses, isDecimal, isInteger } from "./literal_values.ts";
import { among } from "./value_lists.ts";

export interface Several {
  /** One is enough. */
  conditions: SQL[];
  /** What no array can say. */
  others: readonly string[];
}

export function severalOf(source: Source, texts: readonly string[]): Several {
  const lower = new Set(texts.map((text) => text.toLowerCase()));
  const possible = [...lower].filter((text) => !text.includes("\0"));
  switch (source.kind) {
    case "keyword":
      return { conditions: among(source, possible), others: [] };
    case "text":
      return inTexts(source, possible);
    case "address":
      return inAddresses(source, possible);
    case "mac":
      return { conditions: among(source, possible.filter(isMac)), others: [] };
    case "number":
      return inNumbers(source, possible);
    default:
      // Of times, m are minutes and M months.
      return { conditions: [], others: [...new Set(texts)] };
  }
}

/** Words alone, texts without a word, and words that follow each other: each has an index of its own. */
function inTexts(source: Source, texts: readonly string[]): Several {
  const single: string[] = [];
  const several: string[] = [];
  const signed: string[] = [];
  for (const text of texts) {
    const words = wordsOf(text);
    if (words.length === 0 || words[0] === text) single.push(text);
    else if (signedIn(text).length > 0) signed.push(text);
    else several.push(text);
  }
  const phrases = several.length > 0 ? [anyPhrase(source.value, several.map(wordsOf))] : [];
  return { conditions: [...among(source, single), ...phrases], others: signed };
}

/** Words have no blanks in them: joined by blanks, those that follow each other are a part of a text. */
function anyPhrase(value: SQL, phrases: readonly string[][]): SQL {
  const queries = phrases.map((words) => askedAs(words));
  const parts = phrases.map((words) => `% ${literal(words.join(" "))} %`);
  return sql`(word_index(${value}) @@ any(${sql.param(queries)}::text[]::tsquery[])
    and ' ' || array_to_string(words_of(${value}), ' ') || ' ' like any(${sql.param(parts)}::text[]))`;
}

function inAddresses(source: Source, texts: readonly string[]): Several {
  const blocks = texts.filter(isBlockOfAddresses);
  const single = texts.filter((text) => readAddress(text) !== undefined);
  return {
    conditions: [
      ...among(source, single),
      ...(blocks.length > 0
        ? [sql`${source.value} <<= any(${sql.param(blocks)}::text[]::inet[])`]
        : []),
    ],
    others: [],
  };
}

/** Integers by themselves, so that an index of integers knows them. */
function inNumbers({ value }: Source, texts: readonly string[]): Several {
  const integers = texts.filter(isInteger);
  const others = texts.filter((text) => !isInteger(text) && isDecimal(text));
  return {
    conditions: [
      ...(integers.length > 0
        ? [sql`${value} = any(${sql.param(integers)}::text[]::bigint[])`]
        : []),
      ...(others.length > 0 ? [sql`${value} = any(${sql.param(others)}::text[]::numeric[])`] : []),
    ],
    others: [],
  };
}
