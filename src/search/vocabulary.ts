// Which of all values there are pass a test. They are read once and kept by a thread; what has been written since
// is tested besides, so that whatever was saved is found at once. What has gone since does no harm.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import * as news from "./news.ts";
import type { Family } from "./vocabulary_families.ts";
import type { Test } from "./vocabulary_index.ts";
import * as thread from "./vocabulary_thread.ts";

interface Vocabulary {
  number: number;
  /** Nobody else may use it when nobody knows what is still to come. */
  news: news.News | undefined;
  /** The families that the thread keeps. */
  kept: Map<string, Promise<void>>;
  families: Map<string, Family>;
}

const READING = 60_000;
const MOST_NEWS = 10_000;

let worker: ReturnType<typeof thread.start> | undefined;
let current: Promise<Vocabulary> | undefined;
let renewing = false;
let made = 0;

/** Those that pass, and maybe some that are not there any more. */
export async function passing(
  families: readonly Family[],
  test: Test,
  patience: number,
): Promise<string[]> {
  const vocabulary = await upToDate();
  const told = families.filter(({ isTold }) => isTold);
  const others = families.filter(({ isTold }) => !isTold);
  const own = await Promise.all(others.map(keepOnce));
  try {
    await Promise.all(told.map((family) => keep(vocabulary, family)));
    const names = [...told.map(({ name }) => nameIn(vocabulary, name)), ...own];
    const also = [...(vocabulary.news?.texts ?? [])];
    return await running().ask({ kind: "look", names, also, test, patience }, patience);
  } finally {
    for (const name of own) forget(name);
    if (!vocabulary.news) retire(vocabulary);
  }
}

async function upToDate(): Promise<Vocabulary> {
  if (worker?.isGone) {
    worker = undefined;
    current = undefined;
  }
  current ??= begin();
  const vocabulary = await current;
  if (!vocabulary.news) return vocabulary;
  if (await news.catchUp(vocabulary.news)) {
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

async function begin(): Promise<Vocabulary> {
  made += 1;
  const number = made;
  const since = await news.begin().catch((fault) => {
    current = undefined;
    throw fault;
  });
  if (!since) current = undefined;
  return { number, news: since, kept: new Map(), families: new Map() };
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
  made += 1;
  const next: Vocabulary = { number: made, news: since, kept: new Map(), families: new Map() };
  for (const family of former.families.values()) await keep(next, family);
  if ((await current) === former) current = Promise.resolve(next);
  retire(former);
}

/** Whoever still looks into it is done by then. */
function retire(vocabulary: Vocabulary): void {
  setTimeout(() => forgetAll(vocabulary), READING).unref();
}

function keep(vocabulary: Vocabulary, family: Family): Promise<void> {
  const { kept, families } = vocabulary;
  const keeping = kept.get(family.name) ?? read(family, nameIn(vocabulary, family.name));
  kept.set(family.name, keeping);
  families.set(family.name, family);
  keeping.catch(() => kept.delete(family.name));
  return keeping;
}

let once = 0;

async function keepOnce(family: Family): Promise<string> {
  once += 1;
  const name = `once ${once}`;
  await read(family, name);
  return name;
}

async function read(family: Family, name: string): Promise<void> {
  const [found] = await database.aside<{ json: string }>(
    sql`select coalesce(json_agg(distinct value), '[]')::text as json from (${family.values}) known`,
    READING,
  );
  await running().ask({ kind: "keep", name, json: found?.json ?? "[]" }, READING);
}

function forgetAll(vocabulary: Vocabulary): void {
  for (const name of vocabulary.kept.keys()) forget(nameIn(vocabulary, name));
}

function forget(name: string): void {
  if (worker && !worker.isGone) worker.ask({ kind: "forget", name }, READING).catch(() => {});
}

function nameIn({ number }: Vocabulary, name: string): string {
  return `${number} ${name}`;
}

function running(): ReturnType<typeof thread.start> {
  worker ??= thread.start();
  return worker;
}
