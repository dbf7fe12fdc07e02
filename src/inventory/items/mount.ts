// Mounts items on hosts. A mount is part of the host as much as of the item, so the caller has to be allowed to change
// both.
import { eq, sql } from "drizzle-orm";
import { items } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { refuseProbing } from "../../auth/probing.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { invalid, refuse } from "../../input/errors.ts";
import { mayEdit } from "../../store/may_edit.ts";
import type { Transaction } from "../../store/write.ts";
import { NO_STACK, unavailableItem } from "./item_rules.ts";

interface Mount {
  host_id?: number | null;
  stack_member?: number | null;
}

interface RequestedMount extends Mount {
  /** The key of an existing item, which is locked. */
  id?: number;
}

/**
 * The columns to write for a requested mount: the caller must be allowed to change the host. An item on a hidden host
 * looks to the caller as if it were on none, and stays there.
 */
export async function mountOf(
  tx: Transaction,
  caller: Caller,
  requested: RequestedMount,
): Promise<Mount> {
  if (requested.host_id === undefined && requested.stack_member === undefined) return {};
  const now = await currentMount(tx, caller, requested.id);
  const given = defined(requested);
  const { host_id, stack_member } = { ...(now.is_known ? now : UNMOUNTED), ...given };
  if (host_id === null) {
    // The database clears the stack member of an item that is taken off its host.
    if (stack_member !== null && given.host_id !== null) throw refuse([NO_STACK]);
    if (!now.is_known) return { host_id: now.host_id, stack_member: now.stack_member };
    await mayEdit(tx.execute, caller, now.host_id === null ? [] : [now.host_id]);
    return given;
  }
  await requireHost(tx, caller, host_id);
  if (host_id === now.host_id && stack_member === now.stack_member) return given;
  await refuseProbing(caller);
  await mayEdit(tx.execute, caller, [host_id]);
  await mayEdit(tx.execute, caller, now.host_id === null ? [] : [now.host_id], () =>
    refuse([unavailableItem("host_id", now.ics_id)]),
  );
  return given;
}

const UNMOUNTED = { host_id: null, stack_member: null };

interface CurrentMount {
  ics_id: string;
  host_id: number | null;
  stack_member: number | null;
  /** Whether the host is visible to the caller. */
  is_known: boolean;
}

async function currentMount(tx: Transaction, caller: Caller, id = 0): Promise<CurrentMount> {
  const [found] = await tx.execute<CurrentMount>(sql`
    select ics_id, host_id, stack_member, host_id is null or ${mayKnowHost(caller, sql`host_id`)} as is_known
    from items where ${eq(items.id, id)}`);
  return found ?? { ics_id: "", ...UNMOUNTED, is_known: true };
}

async function requireHost(tx: Transaction, caller: Caller, id: number): Promise<void> {
  const [host] = await tx.execute(sql`
    select from hosts where hosts.id = ${id} and ${mayKnowHost(caller, sql`hosts.id`)}`);
  if (!host) throw invalid("host_id", `There is no host ${id}`);
}

function defined({ host_id, stack_member }: RequestedMount): Mount {
  return {
    ...(host_id === undefined ? {} : { host_id }),
    ...(stack_member === undefined ? {} : { stack_member }),
  };
}
