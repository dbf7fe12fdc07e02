// Finds what the documents say about some words.
import { singular } from "../input/text.ts";
import { documents, GUIDE } from "./documents.ts";
import { type HelpNode, plainText, prose } from "./sections.ts";

export interface HelpHit {
  title: string;
  path: string;
  excerpt: string;
}

interface HelpEntry extends Omit<HelpHit, "excerpt"> {
  kind: "how-to" | "term" | "section";
  /** Sentences, which the excerpt is taken from. */
  prose: string;
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
/** What nearly every how-to is about. */
const RECORDS = new Set(["host", "item", "record", "server"]);
/** They say how somebody asks, not what about. */
const FILLERS = new Set(
  "a an and another by can do for from how i if in is it me my not of on or our t the to we what why".split(
    " ",
  ),
);

/**
 * The sections that contain all words, or words that begin with them: first how-tos and terms that have all words in their
 * heading, then such sections, then those that have some there. Takes time in proportion to the documents, and only reads the
 * beginning of a long text. If no heading has any of the words, the how-tos that are about most of them come first.
 */
export function findHelp(text: string, most = 4): HelpHit[] {
  return best(text, most, 0);
}

/** Those that are about the words, if there are any: passages that merely contain them are no answer to a question. */
export function answerByHelp(text: string, most: number): HelpHit[] {
  const isLong = wantedIn(text).length > SHORT;
  return best(text, most, isHowTo(text) ? NAMED : Number(isLong));
}

function best(text: string, most: number, above: number): HelpHit[] {
  const words = wantedIn(text);
  if (words.length === 0) return [];
  const found = rankedBy((entry) => rankOf(entry, words), above);
  const isNamed = found[0] !== undefined && rankOf(found[0], words) >= NAMED;
  const near = isNamed ? [] : rankedBy((entry) => nearness(entry, words));
  return [...new Set([...near, ...found])].slice(0, most).map((entry) => ({
    title: entry.title,
    path: entry.path,
    excerpt: excerptOf(entry, words),
  }));
}

/** The highest rank first. */
function rankedBy(rank: (entry: HelpEntry) => number, above = 0): HelpEntry[] {
  return known()
    .map((entry) => ({ entry, rank: rank(entry) }))
    .filter((one) => one.rank > above)
    .toSorted((one, other) => other.rank - one.rank)
    .map(({ entry }) => entry);
}

/** Whether the guide says how to do what the text names with so many words, or the glossary what it is. */
export function isHowTo(text: string, least = 1): boolean {
  const words = wantedIn(text);
  return (
    words.length >= least && known().some((one) => one.kind !== "section" && isAbout(one, words))
  );
}

/** The words that say what is looked for, in the singular. */
function wantedIn(text: string): string[] {
  const typed = [...new Set(wordsIn(text.slice(0, LONGEST_TEXT)))];
  const telling = typed.filter((word) => !FILLERS.has(word));
  return (telling.length > 0 ? telling : typed).slice(0, MOST_WORDS).map(singular);
}

/** So many words are a subject; more are a question. */
const SHORT = 2;

/** Some of the words are in the heading. */
const NAMED = 2;
const RANKS = { "how-to": 6, term: 5, section: 4 };

/** 0 if a word is missing. */
function rankOf(entry: HelpEntry, words: string[]): number {
  const { heading, words: all, kind } = entry;
  if (countIn(all, words) < words.length) return 0;
  if (isAbout(entry, words)) return RANKS[kind];
  return (countIn(heading, words) > 0 ? NAMED : 1) + (kind === "how-to" ? 0.5 : 0);
}

/** Of a how-to that has a word in its heading, and half of all words or more, besides those that it is always about. */
function nearness({ kind, heading, words: all }: HelpEntry, given: string[]): number {
  const words = given.filter((word) => !RECORDS.has(word));
  const [inHeading, inAll] = [countIn(heading, words), countIn(all, words)];
  return kind === "how-to" && 2 * inAll >= words.length ? inHeading * (inHeading + inAll) : 0;
}

function isAbout({ heading }: HelpEntry, words: string[]): boolean {
  return countIn(heading, words) === words.length;
}

/** How many of the words the text has, or words that begin with them. */
function countIn(text: string, words: string[]): number {
  return words.filter((word) => text.includes(` ${word}`)).length;
}

let entries: HelpEntry[] | undefined;

function known(): HelpEntry[] {
  entries ??= documents().flatMap(({ name, title, sections }) =>
    sections.flatMap((section) => {
      const { id, terms, nodes } = section;
      const isFirst = section === sections[0];
      const isGuide = name === GUIDE;
      const own = entryOf({
        title: isFirst ? title : `${isGuide ? "" : `${title}: `}${section.title}`,
        path: isFirst ? `/help/${name}` : `/help/${name}#${id}`,
        heading: section.title,
        kind: isGuide && section.level > 2 ? "how-to" : "section",
        text: terms.length > 0 ? "" : inOneLine(nodes, plainText),
        prose: inOneLine(nodes, prose),
      });
      const defined = terms.map((term) =>
        entryOf({
          title: term.title,
          path: `/help/${name}#${term.id}`,
          heading: term.title,
          kind: "term",
          text: term.text,
          prose: term.text,
        }),
      );
      return [own, ...defined];
    }),
  );
  return entries;
}

function entryOf({ text, ...given }: Omit<HelpEntry, "words"> & { text: string }): HelpEntry {
  const heading = searchable(given.heading);
  return { ...given, heading, words: heading + searchable(text) };
}

function inOneLine(nodes: HelpNode[], written: (node: HelpNode) => string): string {
  return nodes.map(written).join(" ").replace(/\s+/g, " ").trim();
}

function searchable(text: string): string {
  return wordsIn(text)
    .map((word) => ` ${word}`)
    .join("");
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

/** Some words around the first of the wanted ones that the prose has; its beginning, if the heading has them. */
function excerptOf(entry: HelpEntry, words: string[]): string {
  const { prose: text } = entry;
  const found = text.toLowerCase().matchAll(WORD);
  const isWanted = (word: string) => words.some((one) => word.startsWith(one));
  const at = isAbout(entry, words) ? 0 : (found.find(([word]) => isWanted(word))?.index ?? 0);
  const from = at <= BEFORE ? 0 : text.indexOf(" ", at - BEFORE) + 1;
  if (text.length <= from + EXCERPT) return (from > 0 ? "… " : "") + text.slice(from);
  const to = text.lastIndexOf(" ", from + EXCERPT);
  return `${from > 0 ? "… " : ""}${text.slice(from, to > from ? to : from + EXCERPT)} …`;
}
