// Who may take a change back: whoever may do the reverse; what one has made oneself, for a day.
import { sql } from "drizzle-orm";
import { type Caller, type Group, isAdmin, may } from "../auth/auth.ts";
import { forbidden } from "../input/errors.ts";
import { ONLY_AUTHOR } from "../inventory/comments/comments.ts";
import { refuseChangeOfAll } from "../network/groups/reach.ts";
import { mayEdit, onlyForAdmins } from "../store/may_edit.ts";
import type { Read } from "../store/read.ts";
import { keys, type Reversal } from "./reversals.ts";
import { editorsOf, PLACE_ON_HOST, type Table } from "./tables.ts";

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
  if (!reversals.every((one) => may(caller, editorsOfReversal(one)))) {
    throw forbidden("You may not change everything that this change changed");
  }
  await mayEdit(read, caller, await hostsOf(read, reversals));
  await refuseReserved(read, reversals);
  refuseChangeOfAll(caller, "id", namesOfGroups(reversals));
  if (await isFresh(read, caller, id)) return;
  const made = reversals.filter(({ was }) => !was);
  if (!made.every((one) => mayDelete(caller, one))) {
    throw forbidden("Only admins may delete what this change made; its author may for 24 hours");
  }
  // A comment that returns is as its author left it; one that changes or goes is not.
  const words = reversals.filter(({ table, left }) => table === "comments" && left);
  if (words.some(({ left }) => left?.created_by !== caller.id)) {
    throw forbidden(ONLY_AUTHOR);
  }
}

/** An item is put on a host, and taken off it, on the pages of both. */
function editorsOfReversal({ table, columns }: Reversal): readonly Group[] {
  const isPlace = table === "items" && columns.every((one) => PLACE_ON_HOST.includes(one));
  return isPlace ? [...editorsOf("items"), ...editorsOf("hosts")] : editorsOf(table);
}

/** Of the network, what one has made; out of groups, whatever one may put there. */
function mayDelete(caller: Caller, { table, left }: Reversal): boolean {
  if (["comments", "group_hosts", "group_children"].includes(table)) return true;
  return editorsOf(table).includes("network") && left?.created_by === caller.id;
}

async function isFresh(read: Read, caller: Caller, id: number): Promise<boolean> {
  const own = await read(sql`
    select 1 from change_sets
    where id = ${id} and user_id = ${caller.id} and at > now() - interval '24 hours'`);
  return own.length > 0;
}

/** The keys of all hosts that get something back or lose something. */
async function hostsOf(read: Read, reversals: Reversal[]): Promise<number[]> {
  const placed = reversals.filter(
    ({ table, columns }) =>
      table === "items" && columns.some((column) => PLACE_ON_HOST.includes(column)),
  );
  const parts = reversals.filter(({ table }) => table === "interfaces" || table === "group_hosts");
  const found = await read<{ host_id: number }>(sql`
    select distinct host_id from interfaces where id = any(${keys(valuesIn(reversals, "cnames", "interface_id"))})`);
  return [
    ...reversals.filter(({ table }) => table === "hosts").map(({ id }) => id),
    ...[...placed, ...parts].flatMap(hostsIn),
    ...found.map(({ host_id }) => host_id),
  ];
}

function hostsIn({ was, left }: Reversal): number[] {
  return [was, left].flatMap((state) => (state?.host_id == null ? [] : [Number(state.host_id)]));
}

function valuesIn(reversals: Reversal[], table: Table, column: string): unknown[] {
  return reversals
    .filter((one) => one.table === table)
    .flatMap(({ was, left }) => [was?.[column], left?.[column]])
    .filter((value) => value != null);
}

function namesOfGroups(reversals: Reversal[]): string[] {
  return valuesIn(reversals, "groups", "name").map(String);
}

/** Nobody else works in a network that is for admins, nor lets something return there. */
async function refuseReserved(read: Read, reversals: Reversal[]): Promise<void> {
  const networks = valuesIn(reversals, "interfaces", "network_id");
  const [reserved] = await read<{ vlan_name: string }>(sql`
    select vlan_name from networks where (admin_only or sensitive) and id = any(${keys(networks)}) order by vlan_name limit 1`);
  if (reserved) throw onlyForAdmins(reserved.vlan_name);
}
