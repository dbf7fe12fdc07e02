// One read of the database for all open streams with the same sight: after each commit, the change sets since the last
// read are read once for callers who see the same records and want the same ones, and sent to all of them.
import { inBackground, keepDoing } from "../../../db/background.ts";
import { onCommit } from "../../../db/commits.ts";
import { onOpen } from "../../../db/on_open.ts";
import type { Caller } from "../../auth/auth.ts";
import { visibilityOf } from "../../auth/visibility.ts";
import { changesBetween, committedChanges, newestChange } from "../../history/feed.ts";
import type { ChangeFilters } from "../../history/filters.ts";
import type { StoredSet } from "../../history/sets.ts";
import { type EventStream, encodeChunk } from "../../http/event_stream.ts";
import { Refusal } from "../../input/errors.ts";
import { areChecked } from "./checks.ts";

/** Change sets of one read. */
export const MOST_AT_ONCE = 50;
/** Reads at a time: requests need connections, too. */
const MOST_READS = 3;

/** The event of a change set, by its number. */
export interface StreamEvent {
  id: number;
  text: string;
}

/** The change sets after one, up to another one. */
export interface ChangeRange {
  after: number;
  upTo: number;
}

/** How a stream writes change sets. */
export interface StreamFormat {
  name: string;
  events: (caller: Caller, sets: StoredSet[]) => Promise<StreamEvent[]>;
  /** What else a caller has to know of the change sets after one, also of those that are hidden from the caller. */
  further?: (caller: Caller, range: ChangeRange) => Promise<StreamEvent[]>;
  /** A reader that missed more change sets gets one event instead of them. */
  mostMissed?: number;
  /** That event. */
  summary?: (id: number) => StreamEvent;
  /** Sends what the stream has besides change sets, until the returned function is called. */
  besides?: (caller: Caller, stream: EventStream) => () => void;
}

/** What a stream shows. */
export interface StreamView {
  caller: Caller;
  filters: ChangeFilters;
  format: StreamFormat;
}

export interface Member {
  stream: EventStream;
  /** Everything up to this change set was sent, as far as the view shows it. */
  at: number;
  /** The topic that it has joined: its key may be another one by now, as what its caller may see can change. */
  topic?: Topic;
}

/** The streams with the same view. */
interface Topic {
  key: string;
  view: StreamView;
  /** Its members have everything up to this change set. */
  position: number;
  members: Set<Member>;
  isReading: boolean;
}

const topics = new Map<string, Topic>();
/** The last change set that is known to be committed with all before it, in the database that is open. */
let committed: number | undefined;
/** Counts the databases that were opened. */
let generation = 0;
let stopWaiting: (() => void) | undefined;

function keyOf({ caller, filters, format }: StreamView): string {
  const wanted = Object.entries(filters).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([format.name, visibilityOf(caller), wanted]);
}

onOpen(() => {
  committed = undefined;
  generation += 1;
});

/** The last change set that is committed with all before it. */
export async function committedNow(): Promise<number> {
  for (;;) {
    const asked = generation;
    const answer = await committedChanges();
    // Answers may arrive in another order than they were asked for.
    if (asked === generation) committed = Math.max(answer, committed ?? 0);
    if (asked === generation && committed !== undefined) return committed;
  }
}

/** From now on the stream gets what it shows. False if it has to catch up first. */
export function join(view: StreamView, member: Member): boolean {
  const key = keyOf(view);
  const topic = topics.get(key);
  if (committed === undefined || member.at < (topic?.position ?? committed)) return false;
  if (topic) {
    topic.members.add(member);
    member.topic = topic;
    return true;
  }
  // A client may name a change set that does not exist yet.
  const position = Math.min(member.at, committed);
  member.topic = { key, view, position, members: new Set([member]), isReading: false };
  topics.set(key, member.topic);
  stopWaiting ??= onCommit(lookForChanges);
  // There may have been commits before anybody waited for them.
  lookForChanges();
  return true;
}

export function leave(member: Member): void {
  const { topic } = member;
  topic?.members.delete(member);
  if (topic?.members.size === 0) topics.delete(topic.key);
  if (topics.size > 0) return;
  stopWaiting?.();
  stopWaiting = undefined;
}

export const UNREAD = "Changes could not be read for open streams";

const { wake: lookForChanges } = keepDoing(UNREAD, look);

async function look(): Promise<void> {
  if (topics.size === 0) return;
  const upTo = await committedNow();
  for (const topic of topics.values()) {
    // Another server became the primary without the last commits: their numbers are given again.
    topic.position = Math.min(topic.position, upTo);
    if (topic.position < upTo && !topic.isReading) {
      // The next look tries again.
      void inBackground(UNREAD, advance(topic));
    }
  }
}

async function advance(topic: Topic): Promise<void> {
  topic.isReading = true;
  try {
    while (committed !== undefined && topic.position < committed && topic.members.size > 0) {
      const { events, readUpTo } = await readEvents(topic.view, topic.position, committed);
      if (!(await areChecked())) return;
      deliver(topic, events);
      topic.position = readUpTo;
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    for (const { stream } of topic.members) stream.end();
  } finally {
    topic.isReading = false;
  }
}

function deliver({ members }: Topic, events: StreamEvent[]): void {
  const first = events[0];
  if (!first) return;
  const all = chunkOf(events);
  for (const { stream, at } of members) {
    if (at < first.id) stream.send(all);
    else sendAfter(stream, events, at);
  }
}

function sendAfter(stream: EventStream, events: StreamEvent[], at: number): void {
  const rest = events.filter(({ id }) => id > at);
  if (rest.length > 0) stream.send(chunkOf(rest));
}

export function chunkOf(events: StreamEvent[]): Uint8Array {
  return encodeChunk(events.map(({ text }) => text).join(""));
}

interface EventsRead {
  events: StreamEvent[];
  readUpTo: number;
}

const queue: Array<() => void> = [];
let reading = 0;

const shareEvents = sharing<EventsRead>();
const shareNewest = sharing<number>();

export function readEvents(view: StreamView, after: number, upTo: number): Promise<EventsRead> {
  const key = `${after} ${upTo} ${keyOf(view)}`;
  return shareEvents(key, () => inTurn(() => readNow(view, after, upTo)));
}

/** The newest change set up to one that the caller sees. */
export function readNewest(caller: Caller, upTo: number): Promise<number> {
  const key = `${upTo} ${JSON.stringify(visibilityOf(caller))}`;
  return shareNewest(key, () => newestChange(caller, upTo));
}

/** Streams that need the same at the same time share one read: after a restart, all connect again at once. */
function sharing<T>(): (key: string, read: () => Promise<T>) => Promise<T> {
  const reads = new Map<string, Promise<T>>();
  return (key, read) => {
    const shared = reads.get(key) ?? read().finally(() => reads.delete(key));
    reads.set(key, shared);
    return shared;
  };
}

async function readNow(
  { caller, filters, format }: StreamView,
  after: number,
  upTo: number,
): Promise<EventsRead> {
  const { sets, readUpTo } = await changesBetween(caller, {
    filters,
    most: MOST_AT_ONCE,
    after,
    upTo,
  });
  const events = sets.length > 0 ? await format.events(caller, sets) : [];
  const further = (await format.further?.(caller, { after, upTo: readUpTo })) ?? [];
  return { events: [...events, ...further], readUpTo };
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (reading >= MOST_READS) await new Promise<void>((resolve) => queue.push(resolve));
  else reading += 1;
  try {
    return await work();
  } finally {
    const next = queue.shift();
    if (next) next();
    else reading -= 1;
  }
}
