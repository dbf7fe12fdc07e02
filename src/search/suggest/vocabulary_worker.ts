// The thread of the vocabulary: holds the word lists and searches them, so that requests do not
// wait for that.
import { matcher, readRegex } from "../language/regex.ts";
import { extended, indexedValues, similarTo, type WordIndex } from "./word_index.ts";

export type TermTest =
  | { kind: "similar"; text: string; distance: number }
  | { kind: "matching"; regex: string };

export type VocabularyCommand =
  /** Adds sorted values in JSON that come after all that are in this list. */
  | { kind: "append"; name: string; json: string }
  /** Adds values anywhere. */
  | { kind: "add"; name: string; texts: readonly string[] }
  | { kind: "drop"; name: string }
  | Find;

interface Find {
  kind: "find";
  names: readonly string[];
  test: TermTest;
  /** Milliseconds. */
  patience: number;
  /**
   * If more values of one list pass, the answer is only that there are more: many would take long
   * to transfer.
   */
  most: number;
}

export interface VocabularyMessage {
  number: number;
  command: VocabularyCommand;
}

/** `passed` has the values of each list; it is missing if there was not enough time. */
export interface VocabularyReply {
  number: number;
  passed?: string[][] | undefined;
  isMore?: boolean;
  error?: string;
}

declare const self: Worker;

const lists = new Map<string, WordIndex>();

self.onmessage = async ({ data: { number, command } }: MessageEvent<VocabularyMessage>) => {
  self.postMessage(await answerTo(number, command));
};

async function answerTo(number: number, command: VocabularyCommand): Promise<VocabularyReply> {
  try {
    return { number, passed: await run(command) };
  } catch (error) {
    if (error instanceof TooMany) return { number, isMore: true };
    return { number, error: String(error) };
  }
}

async function run(command: VocabularyCommand): Promise<string[][] | undefined> {
  switch (command.kind) {
    case "append":
      lists.set(command.name, extended(JSON.parse(command.json), lists.get(command.name)));
      // Otherwise JavaScriptCore collects thirty megabytes of single values first.
      Bun.gc(true);
      return [];
    case "add":
      lists.set(
        command.name,
        extended([...indexedValues(listNamed(command.name)), ...command.texts].sort()),
      );
      return [];
    case "drop":
      lists.delete(command.name);
      return [];
    case "find":
      return find(command);
  }
}

class TooMany extends Error {}

/** Milliseconds. */
const TURN = 20;

/** Other commands have their turn in between. */
async function find({ names, test, patience, most }: Find): Promise<string[][] | undefined> {
  const until = performance.now() + patience;
  let turn = performance.now() + TURN;
  const all: string[][] = [];
  const passing = finderFor(test);
  for (const index of names.map(listNamed)) {
    const passed: string[] = [];
    for (const some of passing(index)) {
      passed.push(...some);
      if (passed.length > most) throw new TooMany();
      if (performance.now() < turn) continue;
      if (performance.now() > until) return undefined;
      await Bun.sleep(0);
      turn = performance.now() + TURN;
    }
    all.push(passed);
  }
  return all;
}

function listNamed(name: string): WordIndex {
  const index = lists.get(name);
  if (!index) throw new Error(`There is no word list ${name}`);
  return index;
}

/** The same terms are often searched again, page after page, and each takes long. */
const finders = new Map<string, ReturnType<typeof similarTo>>();
const MOST_FINDERS = 4;

function finderOf(text: string, distance: number): ReturnType<typeof similarTo> {
  const key = `${distance} ${text}`;
  const finder = finders.get(key) ?? similarTo(text, distance);
  // The least recently used one is first.
  finders.delete(key);
  finders.set(key, finder);
  const [oldest = key] = finders.keys();
  if (finders.size > MOST_FINDERS) finders.delete(oldest);
  return finder;
}

/** Made once for all lists. It gives a few values at a time. */
function finderFor(test: TermTest): (index: WordIndex) => Iterable<string[]> {
  if (test.kind === "similar") {
    const { text, distance } = test;
    const finder = finderOf(text, distance);
    return (index) => [finder(index)];
  }
  const regex = readRegex(test.regex);
  const isMatch = regex ? matcher(regex) : () => false;
  return function* (index) {
    for (const value of indexedValues(index)) yield isMatch(value) ? [value] : [];
  };
}
