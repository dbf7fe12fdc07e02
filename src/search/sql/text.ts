// What a leaf asks of a text: of all of it, or of each of its words.
import { type SQL, sql } from "drizzle-orm";
import { literal } from "../../input/text.ts";
import type { Glob } from "../language/glob.ts";
import { readRegex } from "../language/lucene_regex.ts";
import type { Source } from "../language/search_document.ts";
import type { Phrase, Term } from "../language/tree.ts";
import { askedAs, LONGEST_WORD, signedIn, wordsOf } from "../language/words.ts";
import { type Asking, onKeyword, patternOf } from "./keyword.ts";
import { partialRegex } from "./regex.ts";

/** Who asks for all of a text asks for words that follow each other in it: an index knows those. */
export function onText(source: Source, leaf: Asking): SQL[] {
  const { value } = source;
  switch (leaf.kind) {
    case "term":
    case "phrase":
      return wordsOf(leaf.text).length > 0 ? onWords(value, leaf) : onKeyword(source, leaf);
    case "prefix":
      return startingText(value, leaf.text.toLowerCase());
    case "wildcard":
      // What stands in a word stands in the text.
      return isWithin(leaf.glob)
        ? onKeyword(source, leaf)
        : [...onKeyword(source, leaf), ...onEachWord(value, leaf)];
    default:
      return [...onKeyword(source, leaf), ...onEachWord(value, leaf)];
  }
}

function onWords(value: SQL, leaf: Term | Phrase): SQL[] {
  const text = leaf.text.toLowerCase();
  if (text.includes("\0")) return [];
  const wanted = wordsOf(text);
  const signed = signedIn(text).map(
    (part) => sql` and strpos(lower(${value} collate names), ${part}) > 0`,
  );
  const all = sql`word_index(${value}) @@ ${askedAs(wanted)}::text::tsquery${sql.join(signed)}`;
  const isLong = wanted.some(({ length }) => length >= LONGEST_WORD);
  if (wanted.length === 1 && !isLong) return [all];
  const slop = leaf.kind === "phrase" ? (leaf.slop ?? 0) : 0;
  const follow = sql`follow(words_of(${value}), ${sql.param(wanted)}::text[], ${slop})`;
  return [sql`(${all} and (${plainly(value, wanted)} or ${follow}))`];
}

/** Longer expressions take PostgreSQL longer than they save it. */
const LONGEST_PLAIN = 300;

/** Most that follow each other have only what is never in a word between them: to see that is ten times as fast. */
function plainly(value: SQL, words: string[]): SQL {
  const other = "[^-_.[:alnum:]]";
  const each = words.map((word) => word.replaceAll(".", "\\."));
  const regex = `(^|${other})${each.join(`${other}+`)}($|${other})`;
  return regex.length > LONGEST_PLAIN ? sql`false` : sql`lower(${value} collate names) ~ ${regex}`;
}

/** Of a text that begins with a word, or with a part of it, the first word does, too. */
function startingText(value: SQL, text: string): SQL[] {
  if (text.includes("\0")) return [];
  const isWord = /^[a-z0-9]+([-_.]+[a-z0-9]+)*$/.test(text) && text.length < LONGEST_WORD;
  const word = sql`word_index(${value}) @@ ${askedAs([text], { isPrefix: true })}::text::tsquery`;
  if (isWord) return [word];
  const words = sql`exists (select from unnest(words_of(${value})) word where starts_with(word, ${text}))`;
  return [sql`${value} ilike ${`${literal(text)}%`}`, sql`(${word} and ${words})`];
}

function isWithin(glob: Glob): boolean {
  return [glob.at(0), glob.at(-1)].every((end) => typeof end === "object" && end.wild === "*");
}

function onEachWord(value: SQL, leaf: Asking): SQL[] {
  const one = sql`word`;
  const conditions = onKeyword({ value: one, lower: one }, leaf);
  const hint = hintOf(value, leaf);
  return conditions.map(
    (condition) =>
      sql`(${hint}exists (select from unnest(words_of(${value})) word where ${condition}))`,
  );
}

/** What is like a part of the text is soon found by its trigrams; the words of all others stay unread. */
function hintOf(value: SQL, leaf: Asking): SQL {
  if (leaf.kind === "wildcard") return sql`${value} ilike ${`%${patternOf(leaf.glob)}%`} and `;
  if (leaf.kind !== "regex") return sql`${value} is not null and `;
  const regex = readRegex(leaf.source);
  const text = regex && partialRegex(regex.tree);
  return text === undefined ? sql`` : sql`${value} ~* ${text} and `;
}
