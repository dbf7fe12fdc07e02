// Limits probing: refusals that may reveal a hidden record, because a name, an address or an item is not available. They
// are counted per user, dry runs included, and written to the audit log. After too many of them, each further request
// that could be refused so gets 429. Refusals that a visible record explains count less, so that users who register
// existing names by mistake can go on working.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import {
  type FieldError,
  Refusal,
  refuse,
  tooMany,
  type UnavailableValue,
} from "../input/errors.ts";
import { MOST_HIDDEN, MOST_TAKEN, PROBING_MINUTES } from "../input/limits.ts";
import * as audit from "./audit.ts";
import { type Caller, seesAll } from "./auth.ts";
import { mayKnowHost } from "./visibility.ts";

// Users of this process to check in the database; for others no query is needed.
const limited = new Set<number>();

/** Call it first in every write that could be refused in this way. */
export async function refuseProbing(caller: Caller): Promise<void> {
  const { id } = caller;
  if (id === null || !limited.has(id)) return;
  const { hidden, all } = await probesOf(id);
  if (hidden >= MOST_HIDDEN || all >= MOST_TAKEN) throw tooManyProbes();
  limited.delete(id);
}

/** Counts a refusal, and returns what to answer: the refusal, or 429. */
export async function countRefusal(caller: Caller, refusal: unknown): Promise<unknown> {
  if (!(refusal instanceof Refusal) || caller.id === null || seesAll(caller)) return refusal;
  const error = refusal.errors.find(({ taken }) => taken !== undefined);
  if (!error?.taken) return refusal;
  const { value, isHidden = !(await isSeen(caller, error.taken)) } = error.taken;
  const { dry_run = false } = caller.options ?? {};
  await audit.add({
    event: "name.probed",
    ...audit.auditCaller(caller),
    details: { field: error.field, asked: value, hidden: isHidden, dry_run },
  });
  const { hidden, all } = await probesOf(caller.id);
  if (hidden >= MOST_HIDDEN || all >= MOST_TAKEN) limited.add(caller.id);
  // So concurrent requests get no more answers than sequential ones.
  return hidden > MOST_HIDDEN || all > MOST_TAKEN ? tooManyProbes() : refusal;
}

/** The same for an error that is shown without a refusal; throws 429 after too many. */
export async function countProbe(caller: Caller, error: FieldError): Promise<void> {
  const answer = await countRefusal(caller, refuse([error]));
  if (answer instanceof Refusal && answer.status === 429) throw answer;
}

/**
 * The same for the errors of many rows. Each value that a hidden record explains counts once in PROBING_MINUTES,
 * however often its row is checked; the values of visible records count as one.
 */
export async function countProbes(caller: Caller, errors: FieldError[]): Promise<void> {
  if (caller.id === null || seesAll(caller)) return;
  const probes = new Map(
    errors.flatMap((error) => (error.taken ? [[error.taken.value, error]] : [])),
  );
  if (probes.size === 0) return;
  const counted = await database.rows<{ value: string }>(sql`
    select distinct details ->> 'asked' as value from audit_log
    where user_id = ${caller.id} and event = 'name.probed'
      and at > now() - make_interval(mins => ${PROBING_MINUTES})`);
  for (const { value } of counted) probes.delete(value);
  let areSeen = 0;
  for (const error of probes.values()) {
    if (!error.taken) continue;
    const { value, isHidden = !(await isSeen(caller, error.taken)) } = error.taken;
    areSeen += isHidden ? 0 : 1;
    if (isHidden || areSeen === 1) {
      await countProbe(caller, { ...error, taken: { value, isHidden } });
    }
  }
}

async function isSeen(caller: Caller, taken: UnavailableValue): Promise<boolean> {
  return (await visibleOwner(caller, taken)) !== undefined;
}

/** The visible host that has this name or address, itself or by an interface or a cname. */
export async function visibleOwner(
  caller: Caller,
  { value }: UnavailableValue,
): Promise<string | undefined> {
  // In SQL: a union over four tables that ends at the first row.
  const found = await database.row<{ name: string }>(sql`
    select name from hosts where ${mayKnowHost(caller, sql`hosts.id`)} and id in (
      select id from hosts where name in (${value}, split_part(${value}, '.', 1))
      union all select host_id from interfaces
      where name in (${value}, split_part(${value}, '.', 1)) or host(ip) = ${value} or mac::text = ${value}
      union all select host_id from cnames join interfaces on interfaces.id = interface_id
      where cnames.name = ${value} or split_part(cnames.name, '.', 1) = ${value})
    limit 1`);
  return found?.name;
}

interface Probes {
  hidden: number;
  all: number;
}

async function probesOf(user: number): Promise<Probes> {
  const found = await database.row<Probes>(sql`
    select count(*)::int as all, count(*) filter (where details ->> 'hidden' = 'true')::int as hidden
    from audit_log
    where user_id = ${user} and event = 'name.probed'
      and at > now() - make_interval(mins => ${PROBING_MINUTES})`);
  return found ?? { hidden: 0, all: 0 };
}

function tooManyProbes(): Refusal {
  const message = "Too many requests for unavailable names and addresses; try again later";
  return tooMany(PROBING_MINUTES * 60, message);
}
