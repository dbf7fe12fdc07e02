// What `q` asks of a list: the same language over whatever its records say.
import { type SQL, sql } from "drizzle-orm";
import { LONGEST_SEARCH } from "../../db/searching.ts";
import { invalid, Refusal } from "../errors.ts";
import { integers } from "../keys.ts";
import { type Bits, bytesOf, count, keysIn } from "./bits.ts";
import { compile } from "./compile.ts";
import type { Searched } from "./document.ts";
import { type Evaluated, type Evaluating, evaluate } from "./evaluate.ts";
import { expand } from "./expand.ts";
import { parse } from "./parser.ts";
import { searching } from "./shares.ts";
import { untilWhen } from "./slowly.ts";
import { SyntaxFault } from "./syntax_fault.ts";
import { TakesTooLong } from "./takes_too_long.ts";

/** True of the records that the query finds; `field` is to blame where it cannot be read. */
export function matchingIn(searched: Searched, text: string, field = "q"): Promise<SQL> {
  const until = untilWhen();
  return inWords(field, () => searching(until, () => conditionFor(searched, text, until)));
}

async function conditionFor(searched: Searched, text: string, until: number): Promise<SQL> {
  const context = { searched, now: Date.now() };
  return compile(await expand(parse(text, searched.aliases), context, until), context);
}

/** The same of a list, whose keys are found beforehand: that is bounded, and its page is not held up by it. */
export async function matchingByKeys(
  searched: Searched,
  text: string,
): Promise<{ where: SQL; total: number }> {
  const { keys } = await keysFor(text, { searched });
  return { where: isAmong(searched.id, keys), total: count(keys) };
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
  return inWords("q", () => {
    const until = untilWhen();
    const context = { ...which, until, now: Date.now(), keeps: which.following !== undefined };
    const query = parse(text, which.searched.aliases);
    return searching(until, async () => evaluate(await expand(query, context, until), context));
  });
}

/** The same of a query that was kept: what cannot be read any more, or not in time, finds nothing. */
export async function matchingKept(searched: Searched, text: string): Promise<SQL> {
  // Many of them are asked at once, by whoever asks for a group: to wait must not mean to find nothing.
  const until = untilWhen() + LONGEST_SEARCH;
  try {
    return await inWords("query", () => conditionFor(searched, text, until));
  } catch (fault) {
    if (fault instanceof Refusal && fault.status === 422) return sql`false`;
    throw fault;
  }
}

async function inWords<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    throw worded(fault, field);
  }
}

function worded(fault: unknown, field: string): unknown {
  if (fault instanceof TakesTooLong) return invalid(field, fault.message);
  if (!(fault instanceof SyntaxFault)) return fault;
  const { message, kind, offset, end, column, expected } = fault;
  const faults = [{ field, message }];
  return new Refusal(422, `${field}: ${message}`, {
    faults,
    syntax: { kind, offset, end, column, expected },
  });
}
