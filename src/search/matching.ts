// What `q` asks of a list: the same language over whatever its records say.
import { type SQL, sql } from "drizzle-orm";
import { LONGEST_SEARCH } from "../../db/searching.ts";
import { invalid, Refusal } from "../input/errors.ts";
import { integers } from "../input/keys.ts";
import { type Bits, bytesOf, count, keysIn } from "./cache/key_set.ts";
import { type Evaluated, type Evaluating, evaluate } from "./evaluate.ts";
import { expand } from "./expand_terms.ts";
import { parse } from "./language/parser.ts";
import type { Searched } from "./language/search_document.ts";
import { SyntaxFault } from "./language/syntax_error.ts";
import type { Group } from "./language/tree.ts";
import { untilWhen } from "./limits/deadline.ts";
import { searching } from "./limits/places.ts";
import { TakesTooLong } from "./limits/takes_too_long.ts";
import { type Context, compile } from "./sql/compile.ts";
import { syntaxHint } from "./suggest/hints.ts";

/** True of the records that the query finds; `field` is to blame where it cannot be read. */
export function matchingIn(searched: Searched, text: string, field = "q"): Promise<SQL> {
  const until = untilWhen();
  return inWords({ field, text, searched }, () =>
    searching(until, () => conditionFor(searched, text, until)),
  );
}

async function conditionFor(searched: Searched, text: string, until: number): Promise<SQL> {
  const context = { searched, now: Date.now() };
  return compile(await read(parse(text, searched.aliases), context, until), context);
}

interface Found {
  where: SQL;
  total: number;
  /** Where they are ranked: conditions of which each record meets one, the best first. */
  tiers?: SQL[];
}

/** The same of a list, whose keys are found beforehand: that is bounded, and its page is not held up by it. */
export async function matchingByKeys(
  searched: Searched,
  text: string,
  isRanked = false,
): Promise<Found> {
  const { keys, tiers } = await keysFor(text, { searched, isRanked });
  const { id } = searched;
  return {
    where: isAmong(id, keys),
    total: count(keys),
    ...(isRanked && { tiers: tiers.map((tier) => isAmong(id, tier)) }),
  };
}

/** With more keys it is cheaper to look at each row than to look up each key. */
const MANY_KEYS = 1_000;

/** True of a key that is one of these. */
export function isAmong(id: SQL, keys: Bits): SQL {
  if (count(keys) <= MANY_KEYS) return sql`${id} = any(${integers(keysIn(keys))})`;
  const bytes = bytesOf(keys);
  return sql`case when ${id} < ${bytes.length * 8} then get_bit(${bytes}::bytea, ${id}) = 1 else false end`;
}

/** The keys of what it finds, and the news that it took. */
export function keysFor(
  text: string,
  which: Omit<Evaluating, "now" | "until">,
): Promise<Evaluated> {
  return inWords({ field: "q", text, searched: which.searched }, () => {
    const until = untilWhen();
    const context = { ...which, until, now: Date.now(), keeps: which.following !== undefined };
    const query = parse(text, which.searched.aliases);
    return searching(until, async () => evaluate(await read(query, context, until), context));
  });
}

async function read(query: Group, context: Context, until: number): Promise<Group> {
  const { unfold } = context.searched;
  return expand(unfold ? await unfold(query) : query, context, until);
}

/**
 * The same of a query that was kept. One that cannot be read any more finds nothing, and so does one that takes too
 * long, unless `late` says otherwise.
 */
export async function matchingKept(
  searched: Searched,
  text: string,
  late = sql`false`,
): Promise<SQL> {
  // Many of them are asked at once, by whoever asks for a group: to wait must not mean to find nothing.
  const until = untilWhen() + LONGEST_SEARCH;
  try {
    return await inWords({ field: "query", text, searched }, () =>
      conditionFor(searched, text, until),
    );
  } catch (fault) {
    if (fault instanceof Refusal && fault.status === 422) return fault.syntax ? sql`false` : late;
    throw fault;
  }
}

interface Asked {
  field: string;
  text: string;
  searched: Searched;
}

async function inWords<T>(asked: Asked, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    throw worded(fault, asked);
  }
}

function worded(fault: unknown, { field, text, searched }: Asked): unknown {
  if (fault instanceof TakesTooLong) return invalid(field, fault.message);
  if (!(fault instanceof SyntaxFault)) return fault;
  const { message, kind, offset, end, column, expected } = fault;
  const faults = [{ field, message }];
  const hint = syntaxHint(text, fault, searched);
  return new Refusal(422, `${field}: ${message}`, {
    faults,
    syntax: { kind, offset, end, column, expected, hint },
  });
}
