// Who may take a change back: whoever may do the reverse; what one has made oneself, for a day.
import { sql } from "drizzle-orm";
import { type Caller, type Group, isAdmin, may } from "../auth.ts";
import { forbidden } from "../errors.ts";
import { onlyForAdmins } from "../network/allocation.ts";
import type { Read } from "../read.ts";
import { keys, type Reversal } from "./reversals.ts";
import { EDITORS, PLACE_ON_HOST, type Table } from "./tables.ts";

interface Undone {
  id: number;
  reversals: Reversal[];
}

export async function permitAll(
  read: Read,
  caller: Caller,
  { id, reversals }: Undone,
): Promise<void> {
  if (isAdmin(caller)) return;
  if (!reversals.every((one) => may(caller, editorsOf(one)))) {
    throw forbidden("You may not change everything that this change changed");
  }
  await refuseReserved(read, caller, reversals);
  if (await isFresh(read, caller, id)) return;
  const made = reversals.filter(({ was }) => !was);
  if (!made.every((one) => mayDelete(caller, one))) {
    throw forbidden("Only admins may delete what this change made; its author may for 24 hours");
  }
  // A comment that returns is as its author left it; one that changes or goes is not.
  const words = reversals.filter(({ table, left }) => table === "comments" && left);
  if (words.some(({ left }) => left?.created_by !== caller.id)) {
    throw forbidden("Only its author and admins may change a comment");
  }
}

/** An item is put on a host, and taken off it, on the pages of both. */
function editorsOf({ table, columns }: Reversal): readonly Group[] {
  const isPlace = table === "items" && columns.every((one) => PLACE_ON_HOST.includes(one));
  return isPlace ? [...EDITORS.items, ...EDITORS.hosts] : EDITORS[table];
}

/** Of the network, what one has made; out of groups, whatever one may put there. */
function mayDelete(caller: Caller, { table, left }: Reversal): boolean {
  if (["comments", "group_hosts", "group_children"].includes(table)) return true;
  return EDITORS[table] === EDITORS.hosts && left?.created_by === caller.id;
}

async function isFresh(read: Read, caller: Caller, id: number): Promise<boolean> {
  const own = await read(sql`
    select 1 from change_sets
    where id = ${id} and user_id = ${caller.id} and at > now() - interval '24 hours'`);
  return own.length > 0;
}

/** Only admins work in a network that is theirs alone, with what is in it and with what is to return there. */
async function refuseReserved(read: Read, caller: Caller, reversals: Reversal[]): Promise<void> {
  const found = (table: Table, column: string) =>
    reversals
      .filter((one) => one.table === table)
      .flatMap(({ id, was, left }) => [was, left].map((state) => state && { ...state, id }))
      .flatMap((state: Record<string, unknown> | null) => state?.[column] ?? []);
  const placed = may(caller, EDITORS.items) ? [] : found("items", "host_id");
  const hosts = [...found("hosts", "id"), ...found("group_hosts", "host_id"), ...placed];
  const [reserved] = await read<{ vlan_name: string }>(sql`
    select vlan_name from networks where admin_only and (
      id = any(${keys(found("interfaces", "network_id"))}) or id in (
        select network_id from interfaces
        where host_id = any(${keys(hosts)}) or id = any(${keys(found("cnames", "interface_id"))})))
    order by vlan_name limit 1`);
  if (reserved) throw onlyForAdmins(reserved.vlan_name);
}
