// A feed is asked for every minute and changes once a day. So that "nothing changed" costs next to nothing,
// each answer is stored with what it was made from: see stored_content.ts and docs/decisions/0029-feeds.md.
import { type Caller, seesAll } from "../../auth/auth.ts";
import { invalid } from "../../input/errors.ts";
import { readQuery } from "../../input/query.ts";
import { readTime } from "../../input/times.ts";
import type { Feed, Said } from "./feed.ts";
import { SINCE } from "./parameters.ts";
import { stateOf } from "./state.ts";
import { type Kept, recall, remember, settle } from "./stored_content.ts";

export interface Asked {
  params: URLSearchParams;
  /** The header If-None-Match. */
  known: string | null;
}

/** Without a text where the asker has it already. */
export interface Told {
  etag: string;
  text?: string;
}

export async function tell(caller: Caller, feed: Feed, { params, known }: Asked): Promise<Told> {
  const wanted = readQuery(feed.query, params);
  const has = [holds(known), readSince(params.get("since"))];
  const isKnown = (kept: Kept) => has.some((test) => test(kept));
  const asked = nameOf(caller, feed, params);
  const last = await recall(asked);
  if (last?.is_fresh && isKnown(last)) return { etag: last.etag };
  const now = last?.is_fresh ? last : await stateOf(caller);
  if (last?.state === now.state && isKnown(last)) {
    await settle(asked, now);
    return { etag: last.etag };
  }
  const { kept, say } = await makeOnce(`${asked} ${now.state}`, async () => {
    const made = await feed.make(caller, wanted);
    return {
      say: made,
      kept: await remember(asked, { ...now, tag: Bun.hash(made(0)).toString(36) }),
    };
  });
  return isKnown(kept) ? { etag: kept.etag } : { etag: kept.etag, text: say(kept.serial) };
}

interface Made {
  kept: Kept;
  say: Said;
}

const underWay = new Map<string, Promise<Made>>();

/** Whoever asks the same of the same records while it is being made waits for that. */
function makeOnce(name: string, make: () => Promise<Made>): Promise<Made> {
  const making = underWay.get(name) ?? make().finally(() => underWay.delete(name));
  underWay.set(name, making);
  return making;
}

/** Whoever may know as much and asks the same is told the same. */
function nameOf(caller: Caller, feed: Feed, params: URLSearchParams): string {
  const wanted = new URLSearchParams([...params].filter(([name]) => name !== "since"));
  wanted.sort();
  const hash = new Bun.CryptoHasher("sha256").update(wanted.toString()).digest("hex");
  return `${feed.name} ${seesAll(caller) ? "all" : "unhidden"} ${hash}`;
}

function holds(tags: string | null): (kept: Kept) => boolean {
  return ({ etag }) => tags !== null && (tags === "*" || tags.includes(etag));
}

/** What was last told, or a time: of the minute or day that it names, the beginning. */
function readSince(text: string | null): (kept: Kept) => boolean {
  if (text === null) return () => false;
  const [, tag] = /^(?:W\/)?"?([0-9a-z]+\.[0-9a-z]+)"?$/.exec(text) ?? [];
  if (tag) return holds(`"${tag}"`);
  const moment = readTime(text)?.begin ?? Number.NaN;
  if (!(moment <= Date.now())) throw invalid("since", SINCE);
  return ({ changed_at }) => changed_at.getTime() < moment;
}
