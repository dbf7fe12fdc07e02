// On which host an item is mounted, and at which place in its stack: a part of the host as much as of the item.
import { eq, sql } from "drizzle-orm";
import { items } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { refuseProbing } from "../../auth/probing.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { invalid, refuse } from "../../input/errors.ts";
import { mayEdit } from "../../store/may_edit.ts";
import { inside } from "../../store/read.ts";
import type { Transaction } from "../../store/write.ts";
import { stackFault, unavailable } from "./item_rules.ts";

export interface Mount {
  host_id?: number | null;
  stack_member?: number | null;
}

interface Wanted extends Mount {
  /** Of an item that is there already, and locked. */
  id?: number;
}

/**
 * What to write for what was asked: on a host that the caller may change, at a free place in the stack of a network device.
 * An item on a host that the caller does not know of looks as if it were on none, and stays there.
 */
export async function mountOf(tx: Transaction, caller: Caller, wanted: Wanted): Promise<Mount> {
  if (wanted.host_id === undefined && wanted.stack_member === undefined) return {};
  const now = await presentOf(tx, caller, wanted.id);
  const asked = defined(wanted);
  const { host_id, stack_member } = { ...(now.is_known ? now : NOWHERE), ...asked };
  const isOff = asked.host_id === null;
  await requireStack(tx, caller, { id: wanted.id, host_id, stack_member, isOff });
  if (host_id === null) {
    if (!now.is_known) return { host_id: now.host_id, stack_member: now.stack_member };
    await mayEdit(inside(tx), caller, now.host_id === null ? [] : [now.host_id]);
    return asked;
  }
  if (host_id === now.host_id && stack_member === now.stack_member) return asked;
  await refuseProbing(caller);
  await mayEdit(inside(tx), caller, [host_id]);
  await mayEdit(inside(tx), caller, now.host_id === null ? [] : [now.host_id], () =>
    refuse([unavailable("host_id", now.ics_id)]),
  );
  return asked;
}

const NOWHERE = { host_id: null, stack_member: null };

interface Present {
  ics_id: string;
  host_id: number | null;
  stack_member: number | null;
  /** Whether the caller may know of the host. */
  is_known: boolean;
}

async function presentOf(tx: Transaction, caller: Caller, id = 0): Promise<Present> {
  const [found] = await inside(tx)<Present>(sql`
    select ics_id, host_id, stack_member, host_id is null or ${mayKnowHost(caller, sql`host_id`)} as is_known
    from items where ${eq(items.id, id)}`);
  return found ?? { ics_id: "", ...NOWHERE, is_known: true };
}

interface Required {
  id?: number | undefined;
  host_id: number | null;
  stack_member: number | null;
  /** It is taken off its host, and the database takes its place in the stack away. */
  isOff: boolean;
}

async function requireStack(
  tx: Transaction,
  caller: Caller,
  { id = 0, host_id, stack_member, isOff }: Required,
): Promise<void> {
  if (host_id === null && (stack_member === null || isOff)) return;
  const [host] = await inside(tx)<{ isNetworkDevice: boolean; isTaken: boolean }>(sql`
    select device_types.name = 'Network' as "isNetworkDevice", exists (
      select from items where host_id = hosts.id and stack_member = ${stack_member} and items.id <> ${id}
    ) as "isTaken"
    from hosts join device_types on device_types.id = hosts.device_type_id
    where hosts.id = ${host_id} and ${mayKnowHost(caller, sql`hosts.id`)}`);
  if (!host && host_id !== null) throw invalid("host_id", `There is no host ${host_id}`);
  const fault = stackFault({ host, stack_member, isTaken: host?.isTaken ?? false });
  if (fault) throw refuse([fault]);
}

function defined({ host_id, stack_member }: Wanted): Mount {
  return {
    ...(host_id === undefined ? {} : { host_id }),
    ...(stack_member === undefined ? {} : { stack_member }),
  };
}
