// Finds what the documents say about some words.
import { documents } from "./documents.ts";
import { plainText } from "./sections.ts";

export interface HelpHit {
  title: string;
  path: string;
  excerpt: string;
}

interface HelpEntry extends Omit<HelpHit, "excerpt"> {
  /** Terms of the glossary come first. */
  isTerm: boolean;
  text: string;
  /** Lower case, each word with a blank before it. */
  heading: string;
  words: string;
}

const WORD = /[\p{L}\p{N}]+/gu;
/** Of what is looked for: more is not read. */
const LONGEST_TEXT = 200;
const MOST_WORDS = 8;
const EXCERPT = 160;
const BEFORE = 40;

let known: HelpEntry[] | undefined;

/**
 * The sections that contain all words, or words that begin with them: first terms, then sections that have all words in their
 * heading, then those that have some there. Takes time in proportion to the documents, and only reads the beginning of a long text.
 */
export function findHelp(text: string, most = 4): HelpHit[] {
  const words = [...new Set(wordsIn(text.slice(0, LONGEST_TEXT)))].slice(0, MOST_WORDS);
  if (words.length === 0) return [];
  known ??= entries();
  return known
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank)
    .slice(0, most)
    .map(({ entry }) => ({
      title: entry.title,
      path: entry.path,
      excerpt: excerptOf(entry.text, words),
    }));
}

/** 0 if a word is missing. */
function rankOf({ heading, words: all, isTerm }: HelpEntry, words: string[]): number {
  if (!words.every((word) => all.includes(` ${word}`))) return 0;
  const inHeading = words.filter((word) => heading.includes(` ${word}`)).length;
  if (inHeading === words.length) return isTerm ? 4 : 3;
  return inHeading > 0 ? 2 : 1;
}

function entries(): HelpEntry[] {
  return documents().flatMap(({ name, title, sections }) =>
    sections.flatMap((section) => {
      const { id, terms } = section;
      const isFirst = section === sections[0];
      const text = section.nodes.map(plainText).join(" ");
      const own: HelpEntry = entryOf({
        title: isFirst ? title : `${title}: ${section.title}`,
        path: isFirst ? `/help/${name}` : `/help/${name}#${id}`,
        heading: section.title,
        text: terms.length > 0 ? "" : text,
        isTerm: false,
      });
      const defined = terms.map((term) =>
        entryOf({
          title: term.title,
          path: `/help/${name}#${term.id}`,
          heading: term.title,
          text: term.text,
          isTerm: true,
        }),
      );
      return [own, ...defined];
    }),
  );
}

function entryOf(given: Omit<HelpEntry, "words">): HelpEntry {
  const text = given.text.replace(/\s+/g, " ").trim();
  const heading = searchable(given.heading);
  return { ...given, text, heading, words: heading + searchable(text) };
}

function searchable(text: string): string {
  return wordsIn(text)
    .map((word) => ` ${word}`)
    .join("");
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

/** Some words around the first of the wanted ones that the text has, or its beginning. */
function excerptOf(text: string, words: string[]): string {
  const found = text.toLowerCase().matchAll(WORD);
  const at = found.find(([word]) => words.some((one) => word.startsWith(one)))?.index ?? 0;
  const from = at <= BEFORE ? 0 : text.indexOf(" ", at - BEFORE) + 1;
  if (text.length <= from + EXCERPT) return (from > 0 ? "… " : "") + text.slice(from);
  const to = text.lastIndexOf(" ", from + EXCERPT);
  return `${from > 0 ? "… " : ""}${text.slice(from, to > from ? to : from + EXCERPT)} …`;
}
