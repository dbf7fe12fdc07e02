// Opens a stream of change sets: it catches up alone, and then gets what the hub reads for all.

import { keepDoing } from "../../../db/background.ts";
import { BEGIN_AGAIN, isUnknown } from "../../history/feed.ts";
import { type ChangeFilters, changesQuery, checkFilters, FILTERS } from "../../history/filters.ts";
import { changeBefore } from "../../history/since.ts";
import { EventStream, streamHead } from "../../http/event_stream.ts";
import { contextOf } from "../../http/request_context.ts";
import { cursorOf, readCursor, USE_A_CHANGE } from "../../input/change_ids.ts";
import { invalid, Refusal } from "../../input/errors.ts";
import { streamSlots } from "../../input/limiters.ts";
import { query, readQuery } from "../../input/query.ts";
import { areChecked, keepChecked } from "./checks.ts";
import {
  chunkOf,
  committedNow,
  join,
  leave,
  type Member,
  readEvents,
  readNewest,
  type StreamView,
  UNREAD,
} from "./hub.ts";

/** The parameters of a stream: the filters of the list of changes, and where to begin. */
export const streamQuery = query(
  Object.fromEntries(
    Object.entries(changesQuery.properties).filter(
      ([name]) => name === "after" || FILTERS.includes(name),
    ),
  ),
);

interface StreamRequest {
  filters: ChangeFilters;
  /** The last change set that the reader has; undefined to begin now. */
  after: number | undefined;
}

export function readStreamRequest(request: Request, search: URLSearchParams): StreamRequest {
  const { after, ...filters }: ChangeFilters & { after?: string } = readQuery(streamQuery, search);
  checkFilters(filters);
  return { filters, after: lastEventId(request) ?? readCursor(after ?? "") };
}

const LAST_EVENT_ID = "Last-Event-ID";

/** A reader that connects again sends the id of the last event that it got. */
export function lastEventId(request: Request): number | undefined {
  const text = request.headers.get("last-event-id")?.trim() ?? "";
  if (text === "") return undefined;
  const after = readCursor(text);
  if (after === undefined) throw invalid(LAST_EVENT_ID, USE_A_CHANGE);
  return after;
}

export async function openChanges(
  request: Request,
  view: StreamView,
  after: number | undefined,
  age?: number,
): Promise<Response> {
  if (request.method === "HEAD") return streamHead();
  const { caller, format } = view;
  const release = streamSlots.take(caller.id);
  try {
    const known = after === undefined ? undefined : await knownCursor(request, view, after);
    const at = known ?? (await beginOf(age));
    const begin = known ?? (await readNewest(caller, at));
    const ends: Array<() => void> = [release];
    const ended = () => {
      for (const end of ends.splice(0)) end();
    };
    const stream = new EventStream(request, { after: cursorOf(begin), ended });
    const member: Member = { stream, at };
    ends.push(() => leave(member), keepStreamChecked(request, view, stream));
    if (format.besides) ends.push(format.besides(caller, stream));
    if (stream.isOpen) keepDoing(UNREAD, () => follow(view, member)).wake();
    // The client has gone meanwhile.
    else ended();
    return stream.response;
  } catch (error) {
    release();
    throw error;
  }
}

/** A page that has seen what the database has lost is told so as if it had missed everything. */
async function knownCursor(
  request: Request,
  { format }: StreamView,
  after: number,
): Promise<number> {
  if (after <= (await committedNow()) || !(await isUnknown(after))) return after;
  if (format.summary) return 0;
  throw invalid(lastEventId(request) === undefined ? "after" : LAST_EVENT_ID, BEGIN_AGAIN);
}

/** Seconds ago, or now. */
async function beginOf(age: number | undefined): Promise<number> {
  const committed = await committedNow();
  return age === undefined ? committed : Math.min(committed, await changeBefore(age));
}

function keepStreamChecked(
  request: Request,
  { caller }: StreamView,
  stream: EventStream,
): () => void {
  const { credential } = caller;
  if (!credential) return () => {};
  const { address } = contextOf(request);
  return keepChecked({ caller, credential, address, end: () => stream.end() });
}

/** Sends what the reader has missed, as fast as it reads, until the hub has nothing that it lacks. */
async function follow(view: StreamView, member: Member): Promise<void> {
  const { stream } = member;
  let missed = 0;
  try {
    while (stream.isOpen && !join(view, member)) {
      missed += await catchUp(view, member);
      if (missed > (view.format.mostMissed ?? Number.POSITIVE_INFINITY)) {
        await summarize(view, member);
        missed = 0;
      }
      await stream.drained();
    }
  } catch (error) {
    // A filter is refused that was accepted before: the reader gets to know it when it connects again.
    if (!(error instanceof Refusal)) throw error;
    stream.end();
  }
}

/** Returns the number of events. */
async function catchUp(view: StreamView, member: Member): Promise<number> {
  const { events, readUpTo } = await readEvents(view, member.at, await committedNow());
  if (!(await areChecked())) return 0;
  if (events.length > 0) member.stream.send(chunkOf(events));
  member.at = Math.max(member.at, readUpTo);
  return events.length;
}

async function summarize({ caller, format }: StreamView, member: Member): Promise<void> {
  const upTo = await committedNow();
  const event = format.summary?.(await readNewest(caller, upTo));
  if (event && (await areChecked())) member.stream.send(chunkOf([event]));
  member.at = upTo;
}
