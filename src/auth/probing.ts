// Refusals that may tell of what the asker does not see: a name, an address or an item that is not available. They are
// counted for each user, by dry runs too, written to the audit log, and limited: after too many of them a user makes no
// further request that could meet one, whatever it would meet. Those that nothing explains which the user sees count for
// more: somebody who registers names that exist already is not kept from his work.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { type Fault, Refusal, refuse, type Taken, tooMany } from "../input/errors.ts";
import { MOST_HIDDEN, MOST_TAKEN, PROBING_MINUTES } from "../input/limits.ts";
import * as audit from "./audit.ts";
import { type Caller, seesAll } from "./auth.ts";
import { mayKnowHost } from "./visibility.ts";

// Of this process, so that nobody else pays for a look-up; whether it still holds is asked of the database.
const limited = new Set<number>();

/** Comes first in every write that could meet such a refusal, before anything is known of what it would meet. */
export async function refuseProbing(caller: Caller): Promise<void> {
  const { id } = caller;
  if (id === null || !limited.has(id)) return;
  const { hidden, all } = await probesOf(id);
  if (hidden >= MOST_HIDDEN || all >= MOST_TAKEN) throw tooManyProbes();
  limited.delete(id);
}

/** What to answer instead of this refusal, once it is counted. */
export async function counted(caller: Caller, refusal: unknown): Promise<unknown> {
  if (!(refusal instanceof Refusal) || caller.id === null || seesAll(caller)) return refusal;
  const fault = refusal.faults.find(({ taken }) => taken !== undefined);
  if (!fault?.taken) return refusal;
  const { asked, isHidden = !(await isSeen(caller, fault.taken)) } = fault.taken;
  const { request_id, dry_run = false } = caller.wishes ?? {};
  await audit.add({
    event: "name.probed",
    user_id: caller.id,
    username: caller.username,
    ...(request_id ? { request_id } : {}),
    details: { field: fault.field, asked, hidden: isHidden, dry_run },
  });
  const { hidden, all } = await probesOf(caller.id);
  if (hidden >= MOST_HIDDEN || all >= MOST_TAKEN) limited.add(caller.id);
  // Requests at the same time get no more answers than those one after the other.
  return hidden > MOST_HIDDEN || all > MOST_TAKEN ? tooManyProbes() : refusal;
}

/** Of what is told without a refusal; refuses where it was one too many. */
export async function countProbe(caller: Caller, fault: Fault): Promise<void> {
  const answer = await counted(caller, refuse([fault]));
  if (answer instanceof Refusal && answer.status === 429) throw answer;
}

/** Whether the caller sees something that has this name or address. */
async function isSeen(caller: Caller, { asked }: Taken): Promise<boolean> {
  const found = await database.row(sql`
    select from hosts
    where name in (${asked}, split_part(${asked}, '.', 1)) and ${mayKnowHost(caller, sql`hosts.id`)}
    union all select from interfaces
    where (name in (${asked}, split_part(${asked}, '.', 1)) or host(ip) = ${asked} or mac::text = ${asked})
      and ${mayKnowHost(caller, sql`host_id`)}
    union all select from cnames join interfaces on interfaces.id = interface_id
    where (cnames.name = ${asked} or split_part(cnames.name, '.', 1) = ${asked})
      and ${mayKnowHost(caller, sql`host_id`)}
    limit 1`);
  return found !== undefined;
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
  const message = "Too many names and addresses that are not available; try again later";
  return tooMany(PROBING_MINUTES * 60, message);
}
