// A feed is requested every minute and changes once a day. So that "not modified" is cheap, each answer is stored
// with the state that it was made from: see stored_content.ts and docs/decisions/0029-feeds.md.
import { onReplica } from "../../../db/replica.ts";
import type { Caller } from "../../auth/auth.ts";
import { visibilityOf } from "../../auth/visibility.ts";
import type { Encoding } from "../../http/encoding.ts";
import { invalid } from "../../input/errors.ts";
import { readQuery } from "../../input/query.ts";
import { readTime } from "../../input/times.ts";
import type { Feed } from "./feed.ts";
import { SINCE } from "./parameters.ts";
import { isUnchanged, type ReadFeedState, stateOf } from "./state.ts";
import {
  confirmContent,
  findStoredContent,
  type StoredContent,
  storeContent,
} from "./stored_content.ts";
import { type FeedBody, keepText, keptText, type PackedText, packText } from "./text_cache.ts";

export interface FeedRequest {
  params: URLSearchParams;
  /** The header If-None-Match. */
  ifNoneMatch: string | null;
  /** The one that the client should get. */
  encoding: Encoding | undefined;
}

/** Without a body if the client has it already. */
export interface FeedAnswer {
  etag: string;
  body?: FeedBody;
}

export async function answerFeed(
  caller: Caller,
  feed: Feed,
  { params, ifNoneMatch, encoding }: FeedRequest,
): Promise<FeedAnswer> {
  const query = readQuery(feed.query, params);
  const tests = [matchesTag(ifNoneMatch), readSince(params.get("since"))];
  const isKnown = (kept: StoredContent) => tests.some((test) => test(kept));
  const key = keyOf(caller, feed, params);
  const stored = await findStoredContent(key);
  if (stored?.now && isKnown(stored)) return { etag: stored.etag };
  const now = stored?.now ?? (await readState(visibilityOf(caller), () => stateOf(caller)));
  if (stored?.state === now.state) {
    if (!stored.now) await confirmContent(key, now);
    if (isKnown(stored)) return { etag: stored.etag };
    const kept = keptText(key, stored.etag);
    if (kept) return { etag: stored.etag, body: await kept.body(encoding) };
  }
  const work = async () => {
    // The state was read before, so what a replica has is not older.
    const made = await onReplica(() => feed.make(caller, query));
    const isCurrent = await isUnchanged(caller, now);
    const { state, settled } = isCurrent ? now : CHANGED;
    const tag = Bun.hash(made(0)).toString(36);
    const content = await storeContent(key, { state, settled, tag });
    const text = await packText(made(content.serial));
    if (isCurrent) keepText(key, content.etag, text);
    return { content, text };
  };
  const hasState = (made: GeneratedFeed) => made.content.state === now.state;
  const { content, text } = await generate(key, work, hasState);
  const { etag } = content;
  return isKnown(content) ? { etag } : { etag, body: await text.body(encoding) };
}

interface GeneratedFeed {
  content: StoredContent;
  text: PackedText;
}

/** Of content that may be newer than the state that was read before it: it is generated again for the next request. */
const CHANGED = { state: "changed meanwhile", settled: null };

// Each request reads the state or waits for one that is read after it came. Content is of that state or generated after
// that: shared content is never older than any of its requests.
const readState = sharedWork<ReadFeedState>();
const generate = sharedWork<GeneratedFeed>();

/** The key of stored content: callers with the same visibility share it. */
function keyOf(caller: Caller, feed: Feed, params: URLSearchParams): string {
  const wanted = new URLSearchParams([...params].filter(([name]) => name !== "since"));
  wanted.sort();
  const [visibility = "", ...seen] = visibilityOf(caller).split(" ");
  const hash = new Bun.CryptoHasher("sha256").update([wanted, ...seen].join(" ")).digest("hex");
  return `${feed.name} ${visibility} ${hash}`;
}

function matchesTag(tags: string | null): (kept: StoredContent) => boolean {
  return ({ etag }) => tags !== null && (tags === "*" || tags.includes(etag));
}

/** An ETag, or the beginning of a minute or day. */
function readSince(text: string | null): (kept: StoredContent) => boolean {
  if (text === null) return () => false;
  const [, tag] = /^(?:W\/)?"?([0-9a-z]+\.[0-9a-z]+)"?$/.exec(text) ?? [];
  if (tag) return matchesTag(`"${tag}"`);
  const moment = readTime(text)?.begin ?? Number.NaN;
  if (!(moment <= Date.now())) throw invalid("since", SINCE);
  return ({ changed_at }) => changed_at.getTime() < moment;
}

/**
 * Work that many requests want at the same time is done for all of them. Work that has shared may have read older records
 * than a later request must see. Such requests wait for it, take its result if it `suffices`, and share the next one if not.
 */
function sharedWork<T extends object>() {
  const running = new Map<string, Promise<T>>();

  function begin(key: string, work: () => Promise<T>): Promise<T> {
    const shared = work().finally(() => running.delete(key));
    running.set(key, shared);
    return shared;
  }

  return async (
    key: string,
    work: () => Promise<T>,
    suffices: (result: T) => boolean = () => false,
  ): Promise<T> => {
    const before = await running.get(key)?.catch(() => null);
    if (before && suffices(before)) return before;
    // What is running now, another request has shared after this one came.
    return running.get(key) ?? begin(key, work);
  };
}
