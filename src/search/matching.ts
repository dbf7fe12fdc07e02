// What `q` asks of a list: the same language over whatever its records say.
import { type SQL, sql } from "drizzle-orm";
import { SHARE } from "../../db/searching.ts";
import { invalid, Refusal } from "../errors.ts";
import { integers } from "../keys.ts";
import { type Bits, bytesOf, count, keysIn } from "./bits.ts";
import { compile } from "./compile.ts";
import type { Searched } from "./document.ts";
import { type Evaluated, type Evaluating, evaluate } from "./evaluate.ts";
import { expand } from "./expand.ts";
import { parse } from "./parser.ts";
import { shares } from "./shares.ts";
import { untilWhen } from "./slowly.ts";
import { SyntaxFault } from "./syntax_fault.ts";
import { TakesTooLong } from "./takes_too_long.ts";

/** True of the records that the query finds; `field` is to blame where it cannot be read. */
export function matchingIn(searched: Searched, text: string, field = "q"): Promise<{ where: SQL }> {
  return inWords(field, async () => {
    const context = { searched, now: Date.now() };
    const query = await expand(parse(text, searched.aliases), context, untilWhen());
    return { where: compile(query, context) };
  });
}

/** The same of a table with very many, whose keys are found beforehand. */
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

const sharing = shares(SHARE);

/** The keys of what it finds, and the news that it took. */
export function keysFor(
  text: string,
  which: Omit<Evaluating, "now" | "until">,
): Promise<Evaluated> {
  return inWords("q", () => {
    const until = untilWhen();
    const context = { ...which, until, now: Date.now(), keeps: which.following !== undefined };
    const query = parse(text, which.searched.aliases);
    return sharing(until, async () => evaluate(await expand(query, context, until), context));
  });
}

/** The same of a query that was kept: what cannot be read any more, or not in time, finds nothing. */
export async function matchingKept(searched: Searched, text: string): Promise<SQL> {
  try {
    return (await matchingIn(searched, text)).where;
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
  if (fault instanceof TakesTooLong) {
    return invalid(field, "This expression takes too long; narrow it down");
  }
  if (!(fault instanceof SyntaxFault)) return fault;
  const { message, kind, offset, end, column, expected } = fault;
  const faults = [{ field, message }];
  return new Refusal(422, `${field}: ${message}`, {
    faults,
    syntax: { kind, offset, end, column, expected },
  });
}
