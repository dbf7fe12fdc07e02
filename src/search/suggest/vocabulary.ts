// The vocabulary: all values that searches can be about, to find those that are similar to a text
// or match a regular expression. A thread holds them as word lists, which are read once; what has
// been written since is followed by reading the changes before each search. Values that are gone do
// no harm, because SQL decides what has them.
import { sql } from "drizzle-orm";
import { inBackground } from "../../../db/background.ts";
import * as database from "../../../db/client.ts";
import { onOpen } from "../../../db/on_open.ts";
import { readFromPrimary } from "../../../db/servers.ts";
import { Refusal } from "../../input/errors.ts";
import { sharePerUser, TakesTooLong, TooMuch, timeLeft } from "../limits.ts";
import { catchUp, followChanges, type VocabularyChanges } from "./vocabulary_changes.ts";
import type {
  TermTest,
  VocabularyCommand,
  VocabularyMessage,
  VocabularyReply,
} from "./vocabulary_worker.ts";
import type { WordList, WordLists } from "./word_lists.ts";

interface Vocabulary {
  number: number;
  thread: Thread;
  /** If undefined, it cannot be kept up to date and serves one search. */
  changes: VocabularyChanges | undefined;
  /** The lists that the thread has, or is being given. */
  lists: Map<string, { list: WordList; reading: Promise<void> }>;
  /** Lists are read one after the other. */
  last: Promise<void>;
}

const READING = 60_000;
/** Milliseconds, longer than any search takes. */
const IN_USE = 10_000;
/** Values that are read at a time, so that others have their turn. */
const AT_A_TIME = sql.raw("50000");
/** With more new texts the lists are read again. */
const MOST_NEW = 10_000;
/** A term that stands for more values than these is refused. */
export const MOST_SIMILAR = 10_000;
/** The list of the texts that were written since the others were read. */
const NEW = "new";

let thread: Thread | undefined;
let current: Promise<Vocabulary | undefined> | undefined;
let isRenewing = false;
let made = 0;

onOpen(() => {
  current = undefined;
});

/**
 * The thread searches one thing at a time for each user, so that nobody takes more than half of it.
 */
const withinShare = sharePerUser(1);

/** For one search: what was committed before its first use is known to it. */
export interface VocabularyReader {
  /**
   * By path: the values that pass the test, perhaps with some that are gone; `until` is by
   * performance.now().
   */
  find(lists: WordLists, test: TermTest, until: number): Promise<Record<string, string[]>>;
  end(): Promise<void>;
}

export function vocabularyReader(user: string | undefined): VocabularyReader {
  let opened: Promise<Vocabulary> | undefined;
  return {
    find: (lists, test, until) =>
      // Values that the records of a replica do not have yet do no harm.
      readFromPrimary(() =>
        withinShare(user, until, async () => {
          opened ??= upToDate();
          return findIn(await opened, lists, { test, until });
        }),
      ),
    end: async () => {
      const vocabulary = await opened?.catch(() => undefined);
      if (vocabulary && !vocabulary.changes) drop(vocabulary);
    },
  };
}

/** Reads these lists before anybody needs them. */
export async function preload(lists: WordLists): Promise<void> {
  const vocabulary = await upToDate();
  if (!vocabulary.changes) return drop(vocabulary);
  for (const [, list] of lists) await load(vocabulary, list);
}

async function findIn(
  vocabulary: Vocabulary,
  lists: WordLists,
  { test, until }: { test: TermTest; until: number },
): Promise<Record<string, string[]>> {
  const all = [...new Map(lists.map(([, list]) => [list.name, list])).values()];
  await loaded(
    all.map((list) => load(vocabulary, list)),
    until,
  );
  const names = [NEW, ...all.map(({ name }) => name)].map((name) => nameIn(vocabulary, name));
  const patience = timeLeft(until);
  const command: VocabularyCommand = { kind: "find", names, test, patience, most: MOST_SIMILAR };
  const [recent = [], ...found] = await vocabulary.thread.run(command, patience);
  const values: Record<string, string[]> = {};
  for (const [path, { name, column }] of lists) {
    const old = found[all.findIndex((one) => one.name === name)] ?? [];
    const fresh = recent.filter((text) => isNewIn(vocabulary, column, text));
    values[path] = [...(values[path] ?? []), ...old, ...fresh];
  }
  return values;
}

/** Lists that are still being read are no reason to blame the query. */
async function loaded(reading: readonly Promise<void>[], until: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal(503, STILL_READING, AGAIN)), timeLeft(until));
  });
  await Promise.race([Promise.all(reading), late]).finally(() => clearTimeout(timer));
}

const STILL_READING =
  "The index for fuzzy terms and regular expressions is still loading; try again shortly";
const AGAIN = { headers: { "Retry-After": "2" } };

function isNewIn({ changes }: Vocabulary, column: string | undefined, text: string): boolean {
  return column === undefined || changes?.byColumn.get(column)?.has(text) === true;
}

// Keeping up to date ------------------------------------------------------------------------------

async function upToDate(): Promise<Vocabulary> {
  if (thread?.isGone) {
    thread = undefined;
    current = undefined;
  }
  current ??= begin();
  const vocabulary = await current;
  if (!vocabulary?.changes) return empty(undefined);
  const name = nameIn(vocabulary, NEW);
  const isKnown = await catchUp(vocabulary.changes, (texts) =>
    send(vocabulary, { kind: "add", name, texts }),
  );
  if (isKnown) {
    if (vocabulary.changes.texts.size > MOST_NEW) renew(vocabulary);
    return vocabulary;
  }
  return beginAfter(vocabulary);
}

/** Searches that come while a new vocabulary begins share it. */
async function beginAfter(former: Vocabulary): Promise<Vocabulary> {
  if ((await current) === former) current = begin();
  retire(former);
  return upToDate();
}

async function begin(): Promise<Vocabulary | undefined> {
  const changes = await followChanges().catch((error) => {
    current = undefined;
    throw error;
  });
  if (changes) return empty(changes);
  current = undefined;
  return undefined;
}

function empty(changes: VocabularyChanges | undefined): Vocabulary {
  made += 1;
  thread ??= startThread();
  const vocabulary = {
    number: made,
    thread,
    changes,
    lists: new Map(),
    last: Promise.resolve(),
  };
  send(vocabulary, { kind: "append", name: nameIn(vocabulary, NEW), json: "[]" });
  return vocabulary;
}

/** Reads everything again in the background; until then the former vocabulary serves. */
function renew(former: Vocabulary): void {
  if (isRenewing) return;
  isRenewing = true;
  void inBackground("The vocabulary was not read again", readAgain(former)).finally(() => {
    isRenewing = false;
  });
}

async function readAgain(former: Vocabulary): Promise<void> {
  const changes = await followChanges();
  if (!changes) return;
  const next = empty(changes);
  for (const { list } of former.lists.values()) await load(next, list);
  if ((await current) === former) current = Promise.resolve(next);
  retire(former);
}

/** Searches that still use it have ended after this time. */
function retire(vocabulary: Vocabulary): void {
  setTimeout(() => vocabulary.last.then(() => drop(vocabulary)), IN_USE).unref();
}

function drop(vocabulary: Vocabulary): void {
  for (const name of [NEW, ...vocabulary.lists.keys()]) {
    send(vocabulary, { kind: "drop", name: nameIn(vocabulary, name) });
  }
}

function load(vocabulary: Vocabulary, list: WordList): Promise<void> {
  const { lists, last } = vocabulary;
  const known = lists.get(list.name);
  if (known) return known.reading;
  const reading = last.then(() => read(vocabulary, list));
  lists.set(list.name, { list, reading });
  vocabulary.last = reading.catch(() => {
    lists.delete(list.name);
  });
  return reading;
}

async function read(vocabulary: Vocabulary, list: WordList): Promise<void> {
  const parts = await database.slowRows<{ json: string }>(
    sql`
      with known as materialized (
        select array(select distinct value collate "C" from (${list.values}) known order by 1) as every
      )
      select array_to_json(every[at:at + ${AT_A_TIME} - 1])::text as json
      from known, generate_series(1, cardinality(every), ${AT_A_TIME}) at order by at`,
    READING,
  );
  const name = nameIn(vocabulary, list.name);
  send(vocabulary, { kind: "drop", name });
  for (const json of ["[]", ...parts.map((part) => part.json)]) {
    await vocabulary.thread.run({ kind: "append", name, json }, READING);
  }
}

/** A failure shows when somebody searches. */
function send({ thread }: Vocabulary, command: VocabularyCommand): void {
  thread.run(command, READING).catch(() => {});
}

function nameIn({ number }: Vocabulary, name: string): string {
  return `${number} ${name}`;
}

// The thread: see vocabulary_worker.ts ------------------------------------------------------------

interface Thread {
  run(command: VocabularyCommand, patience: number): Promise<string[][]>;
  /** Its lists are lost. */
  isGone: boolean;
}

interface WaitingCommand {
  resolve: (passed: string[][]) => void;
  reject: (error: Error) => void;
}

/**
 * Milliseconds that a command may take beyond its patience, because of a single value, before the
 * thread is ended.
 */
const GRACE = 1_000;

function startThread(): Thread {
  const worker = new Worker(new URL("./vocabulary_worker.ts", import.meta.url).href, IN_BACKGROUND);
  const waiting = new Map<number, WaitingCommand>();
  let lastNumber = 0;
  const started: Thread = { run, isGone: false };

  async function run(command: VocabularyCommand, patience: number): Promise<string[][]> {
    if (started.isGone) throw new TakesTooLong();
    lastNumber += 1;
    const message: VocabularyMessage = { number: lastNumber, command };
    const { promise, resolve, reject } = Promise.withResolvers<string[][]>();
    waiting.set(message.number, { resolve, reject });
    worker.postMessage(message);
    const timer = setTimeout(() => {
      reject(new TakesTooLong());
      setTimeout(() => waiting.has(message.number) && end(new TakesTooLong()), GRACE);
    }, patience);
    return promise.finally(() => clearTimeout(timer));
  }

  function end(error: Error): void {
    started.isGone = true;
    worker.terminate();
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  worker.onmessage = ({
    data: { number, passed, isMore, error },
  }: MessageEvent<VocabularyReply>) => {
    const one = waiting.get(number);
    waiting.delete(number);
    if (passed) one?.resolve(passed);
    else if (isMore) one?.reject(new TooMuch());
    else one?.reject(error === undefined ? new TakesTooLong() : new Error(error));
  };
  worker.onerror = ({ message }) => end(new Error(`The vocabulary has failed: ${message}`));
  return started;
}

/**
 * The process can end while the thread exists. `smol` collects garbage more often, which costs
 * nothing measurable.
 */
const IN_BACKGROUND: WorkerOptions & { ref: boolean } = { ref: false, smol: true };
