// Which of all values there are pass a test. They are read once and kept by a thread, and so is what has been written
// since, so that whatever was saved is found at once. What has gone since does no harm.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { onOpen } from "../../../db/opening.ts";
import { Refusal } from "../../input/errors.ts";
import { left } from "../limits/deadline.ts";
import { shares } from "../limits/places.ts";
import * as news from "./vocabulary_changes.ts";
import type { Families, Family } from "./vocabulary_families.ts";
import * as threads from "./vocabulary_thread.ts";
import type { Order, Test } from "./vocabulary_worker.ts";

interface Vocabulary {
  number: number;
  thread: threads.Thread;
  /** Nobody else may use it when nobody knows what is still to come. */
  news: news.News | undefined;
  /** The families that the thread keeps, or will. */
  kept: Map<string, { family: Family; reading: Promise<void> }>;
  /** One is read after the other. */
  last: Promise<void>;
}

const READING = 60_000;
/** Values that are read and kept at a time, while others have their turn. */
const AT_A_TIME = sql.raw("50000");
const MOST_NEWS = 10_000;
/** What stands for more values than these is hardly what somebody looks for. */
export const MOST_VALUES = 10_000;
const NEWS = "news";

let thread: threads.Thread | undefined;
let current: Promise<Vocabulary | undefined> | undefined;
let renewing = false;
let isReady = false;
let made = 0;

onOpen(() => {
  current = undefined;
  isReady = false;
});

/** Its thread looks for one thing of each user at a time, and for others in between: nobody has more than half of it. */
const sharing = shares(1);

/** Of one search: what has been saved before it is asked first is known, and it is not asked about that again. */
export interface Looking {
  /** By path: the values that pass, and maybe some that are not there any more; `until` is by performance.now(). */
  passing(families: Families, test: Test, until: number): Promise<Record<string, string[]>>;
  end(): Promise<void>;
}

export function looking(): Looking {
  let known: Promise<Vocabulary> | undefined;
  return {
    passing: (families, test, until) =>
      sharing(until, async () => {
        known ??= upToDate();
        return passingIn(await known, families, { test, until });
      }),
    end: async () => {
      const vocabulary = await known?.catch(() => undefined);
      if (vocabulary && !vocabulary.news) forget(vocabulary);
    },
  };
}

async function passingIn(
  vocabulary: Vocabulary,
  families: Families,
  { test, until }: { test: Test; until: number },
): Promise<Record<string, string[]>> {
  const all = [...new Map(families.map(([, family]) => [family.name, family])).values()];
  await ready(
    all.map((family) => keep(vocabulary, family)),
    until,
  );
  const names = [NEWS, ...all.map(({ name }) => name)].map((name) => nameIn(vocabulary, name));
  const patience = left(until);
  const order: Order = { kind: "look", names, test, patience, most: MOST_VALUES };
  const [recent = [], ...known] = await vocabulary.thread.ask(order, patience);
  const values: Record<string, string[]> = {};
  for (const [path, { name, column }] of families) {
    const kept = known[all.findIndex((one) => one.name === name)] ?? [];
    const fresh = recent.filter((text) => isNewIn(vocabulary, column, text));
    values[path] = [...(values[path] ?? []), ...kept, ...fresh];
  }
  return values;
}

/** What is not a matter of the query is no reason to call it too long. */
async function ready(reading: readonly Promise<void>[], until: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal(503, STILL_READING, AGAIN)), left(until));
  });
  await Promise.race([Promise.all(reading), late]).finally(() => clearTimeout(timer));
}

const STILL_READING =
  "What fuzzy terms and such expressions are compared with is still being read; try again shortly";
const AGAIN = { headers: { "retry-after": "2" } };

/** Whoever searches will soon search for something nearly: reads beforehand what that takes, and lets others go first. */
export function makeReady(families: () => Families): void {
  if (isReady) return;
  isReady = true;
  readAll(families()).catch(() => {
    isReady = false;
  });
}

async function readAll(families: Families): Promise<void> {
  const vocabulary = await upToDate();
  if (!vocabulary.news) {
    isReady = false;
    return forget(vocabulary);
  }
  for (const [, family] of families) await keep(vocabulary, family);
}

function isNewIn({ news }: Vocabulary, column: string | undefined, text: string): boolean {
  return column === undefined || news?.texts.get(text)?.has(column) === true;
}

async function upToDate(): Promise<Vocabulary> {
  if (thread?.isGone) {
    thread = undefined;
    current = undefined;
  }
  current ??= begin();
  const vocabulary = await current;
  if (!vocabulary?.news) return empty(undefined);
  const name = nameIn(vocabulary, NEWS);
  const isKnown = await news.catchUp(vocabulary.news, (texts) =>
    tell(vocabulary, { kind: "add", name, texts }),
  );
  if (isKnown) {
    if (vocabulary.news.texts.size > MOST_NEWS) renew(vocabulary);
    return vocabulary;
  }
  return beginAfter(vocabulary);
}

/** Whoever comes while another begins shares it, if it can be told what is new since. */
async function beginAfter(former: Vocabulary): Promise<Vocabulary> {
  if ((await current) === former) current = begin();
  retire(former);
  return upToDate();
}

async function begin(): Promise<Vocabulary | undefined> {
  const since = await news.begin().catch((fault) => {
    current = undefined;
    throw fault;
  });
  if (since) return empty(since);
  current = undefined;
  return undefined;
}

function empty(since: news.News | undefined): Vocabulary {
  made += 1;
  thread ??= threads.start();
  const vocabulary = {
    number: made,
    thread,
    news: since,
    kept: new Map(),
    last: Promise.resolve(),
  };
  tell(vocabulary, { kind: "keep", name: nameIn(vocabulary, NEWS), json: "[]" });
  return vocabulary;
}

/** Reads everything again, aside; until then the former one serves. */
function renew(former: Vocabulary): void {
  if (renewing) return;
  renewing = true;
  renewed(former)
    .catch(() => {})
    .finally(() => {
      renewing = false;
    });
}

async function renewed(former: Vocabulary): Promise<void> {
  const since = await news.begin();
  if (!since) return;
  const next = empty(since);
  for (const { family } of former.kept.values()) await keep(next, family);
  if ((await current) === former) current = Promise.resolve(next);
  retire(former);
}

/** Whoever still looks into it is done by then. */
function retire(vocabulary: Vocabulary): void {
  setTimeout(() => forget(vocabulary), READING).unref();
}

function forget(vocabulary: Vocabulary): void {
  for (const name of [NEWS, ...vocabulary.kept.keys()]) {
    tell(vocabulary, { kind: "forget", name: nameIn(vocabulary, name) });
  }
}

function keep(vocabulary: Vocabulary, family: Family): Promise<void> {
  const { kept, last } = vocabulary;
  const known = kept.get(family.name);
  if (known) return known.reading;
  const reading = last.then(() => read(vocabulary, family));
  kept.set(family.name, { family, reading });
  vocabulary.last = reading.catch(() => {
    kept.delete(family.name);
  });
  return reading;
}

async function read(vocabulary: Vocabulary, family: Family): Promise<void> {
  const parts = await database.aside<{ json: string }>(
    sql`
      with known as materialized (
        select array(select distinct value collate "C" from (${family.values}) known order by 1) as every
      )
      select array_to_json(every[at:at + ${AT_A_TIME} - 1])::text as json
      from known, generate_series(1, cardinality(every), ${AT_A_TIME}) at order by at`,
    READING,
  );
  const name = nameIn(vocabulary, family.name);
  tell(vocabulary, { kind: "forget", name });
  for (const json of ["[]", ...parts.map((part) => part.json)]) {
    await vocabulary.thread.ask({ kind: "keep", name, json }, READING);
  }
}

/** Whatever becomes of it: who looks for something learns that. */
function tell({ thread }: Vocabulary, order: Order): void {
  thread.ask(order, READING).catch(() => {});
}

function nameIn({ number }: Vocabulary, name: string): string {
  return `${number} ${name}`;
}
