// The records that have one of many values, which were found out beforehand.
import { type SQL, sql } from "drizzle-orm";
import { readAddress } from "../../input/addresses.ts";
import { isMac } from "../../input/kinds.ts";
import { lowerOf, type Source } from "../language/search_document.ts";
import { askedAs, LONGEST_WORD, wordsOf } from "../language/words.ts";

/** In lower case; PostgreSQL has none with NUL in it. */
export function among(source: Source, values: readonly string[]): SQL[] {
  const { value, kind } = source;
  const possible = values.filter((one) => !one.includes("\0"));
  switch (kind) {
    case "keyword":
      return oneOf(lowerOf(source), possible, sql`text[]`);
    case "text":
      return amongTexts(source, possible);
    case "mac":
      return oneOf(value, possible.filter(isMac).map(digitsOf), sql`macaddr[]`);
    case "address":
      return oneOf(
        value,
        possible.filter((one) => readAddress(one) !== undefined),
        sql`inet[]`,
      );
    default:
      return [];
  }
}

function digitsOf(mac: string): string {
  return mac.replace(/[^0-9a-f]/gi, "");
}

/** Of its words, which an index knows, or all of it. */
function amongTexts(source: Source, values: readonly string[]): SQL[] {
  const { value } = source;
  const isWord = (one: string) => wordsOf(one)[0] === one;
  const [words, wholes] = [values.filter(isWord), values.filter((one) => !isWord(one))];
  return [
    ...(words.length > 0 ? [anyWord(value, words)] : []),
    ...oneOf(lowerOf(source), wholes, sql`text[]`),
  ];
}

function anyWord(value: SQL, words: readonly string[]): SQL {
  const any = sql`word_index(${value}) @@ ${askedAs(words, { joined: "|" })}::text::tsquery`;
  const isLong = words.some(({ length }) => length >= LONGEST_WORD);
  return isLong ? sql`(${any} and words_of(${value}) && ${sql.param(words)}::text[])` : any;
}

/** Beyond this PostgreSQL takes its trigrams for `= any`, which look up each value in seven places. */
const FEW = 100;

function oneOf(value: SQL, values: readonly string[], type: SQL): SQL[] {
  if (values.length === 0) return [];
  const all = sql`${sql.param(values)}::text[]::${type}`;
  if (values.length <= FEW) return [sql`${value} = any(${all})`];
  return [sql`${value} in (select unnest(${all}))`];
}
