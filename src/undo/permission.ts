// Who may undo a change: callers who may make the reverse change. Authors may undo their own changes for a day.
import { type SQL, sql } from "drizzle-orm";
import { type Caller, isAdmin, may, type Permission } from "../auth/auth.ts";
import { forbidden } from "../input/errors.ts";
import { ONLY_AUTHOR } from "../inventory/comments/comments.ts";
import { refuseChangeOfAll } from "../network/groups/reach.ts";
import { resourceOf } from "../resources.ts";
import { ownerOf } from "../store/file_owners.ts";
import { mayEdit, onlyForAdmins, protectedHosts } from "../store/may_edit.ts";
import type { Read } from "../store/read.ts";
import { type Change, missingRights, requireRightsFor } from "../store/rights/check.ts";
import { integerKeys, type Reversal } from "./reversals.ts";
import { editorsOf, ITEM_HOST_COLUMNS, type RestoredTable } from "./tables.ts";

interface ReversedChange {
  id: number;
  reversals: Reversal[];
}

export async function permitAll(
  read: Read,
  caller: Caller,
  { id, reversals }: ReversedChange,
): Promise<void> {
  if (isAdmin(caller)) return;
  if (!reversals.every((one) => may(caller, editorsOfReversal(one)))) {
    throw forbidden("You may not change all records of this change");
  }
  await requireRightsFor(read, caller, changesOf(reversals));
  await mayEdit(read, caller, await hostsOf(read, reversals));
  await refuseReserved(read, reversals);
  refuseChangeOfAll(caller, "id", namesOfGroups(reversals));
  if (await isFresh(read, caller, id)) return;
  if (!mayDeleteAll(caller, reversals)) {
    throw forbidden(
      "Only admins may delete records that this change created; its author may for 24 hours",
    );
  }
  if (!mayChangeComments(caller, reversals)) throw forbidden(ONLY_AUTHOR);
}

/** The ids of those that permitAll() permits, for a list: by one query for all of them. */
export async function permitted(
  read: Read,
  caller: Caller,
  changes: ReversedChange[],
): Promise<Set<number>> {
  if (isAdmin(caller)) return new Set(changes.map(({ id }) => id));
  const open = changes.filter(
    ({ reversals }) =>
      reversals.every((one) => may(caller, editorsOfReversal(one))) &&
      mayChangeGroups(caller, reversals),
  );
  if (open.length === 0) return new Set();
  const missing = await missingRights(
    read,
    caller,
    open.map(({ reversals }) => changesOf(reversals)),
  );
  const facts = await factsOf(read, caller, open);
  const isPermitted = open.filter(({ id, reversals }, at) => {
    if (missing[at]) return false;
    const reached = [
      ...hostsNamedIn(reversals).map((host) => `host ${host}`),
      ...valuesIn(reversals, "cnames", "interface_id").map((one) => `interface ${one}`),
      ...valuesIn(reversals, "interfaces", "network_id").map((one) => `network ${one}`),
    ];
    if (reached.some((one) => facts.has(one))) return false;
    if (facts.has(`own ${id}`)) return true;
    return mayDeleteAll(caller, reversals) && mayChangeComments(caller, reversals);
  });
  return new Set(isPermitted.map(({ id }) => id));
}

/** What the undo does to each row: from its state after the change back to the one before. */
function changesOf(reversals: Reversal[]): Change[] {
  return reversals.map(({ table, id, before, after }) => ({
    table,
    id,
    before: after,
    after: before,
  }));
}

/** The host of an item can be changed by editors of items and of hosts. */
function editorsOfReversal({ table, columns, before, after }: Reversal): readonly Permission[] {
  const isPlace = table === "items" && columns.every((one) => ITEM_HOST_COLUMNS.includes(one));
  if (isPlace) return [...editorsOf("items"), ...editorsOf("hosts")];
  const owner = table === "files" ? ownerOf({ ...before, ...after }) : undefined;
  return editorsOf(owner?.table ?? table);
}

/** Creators may delete their network records, and editors comments and members of groups. */
function mayDelete(caller: Caller, { table, after }: Reversal): boolean {
  if (["comments", "files", "group_hosts", "group_children"].includes(table)) return true;
  return editorsOf(table).includes("network") && after?.created_by === caller.id;
}

async function isFresh(read: Read, caller: Caller, id: number): Promise<boolean> {
  const own = await read(sql`
    select 1 from change_sets
    where id = ${id} and ${isFreshOf(caller)}`);
  return own.length > 0;
}

/** A condition for `change_sets`: made by the caller within a day. */
function isFreshOf({ id }: Caller): SQL {
  return sql`user_id = ${id} and at > now() - interval '24 hours'`;
}

/** The hosts and networks in the changes that are for admins alone, and the changes that are fresh. */
async function factsOf(
  read: Read,
  caller: Caller,
  changes: ReversedChange[],
): Promise<Set<string>> {
  const all = changes.flatMap(({ reversals }) => reversals);
  const ids = sql`${integerKeys(changes.map(({ id }) => id))}`;
  const rows = await read<{ fact: string }>(sql`
    with protected as materialized (${protectedHosts()})
    select 'host ' || protected_host as fact from protected
      where protected_host = any(${integerKeys(hostsNamedIn(all))})
    union all select 'interface ' || id from interfaces
      where id = any(${integerKeys(valuesIn(all, "cnames", "interface_id"))})
        and host_id in (select protected_host from protected)
    union all select 'network ' || id from networks
      where (admin_only or sensitive) and id = any(${integerKeys(valuesIn(all, "interfaces", "network_id"))})
    union all select 'own ' || id from change_sets where id = any(${ids}) and ${isFreshOf(caller)}`);
  return new Set(rows.map(({ fact }) => fact));
}

function mayChangeGroups(caller: Caller, reversals: Reversal[]): boolean {
  try {
    refuseChangeOfAll(caller, "id", namesOfGroups(reversals));
    return true;
  } catch {
    return false;
  }
}

function mayDeleteAll(caller: Caller, reversals: Reversal[]): boolean {
  return reversals.every((one) => one.before !== null || mayDelete(caller, one));
}

/** A restored comment is as its author left it; only its author may change or delete it. */
function mayChangeComments(caller: Caller, reversals: Reversal[]): boolean {
  return reversals
    .filter(({ table, after }) => table === "comments" && after)
    .every(({ after }) => after?.created_by === caller.id);
}

/** The ids of all hosts that the undo affects. */
async function hostsOf(read: Read, reversals: Reversal[]): Promise<number[]> {
  const found = await read<{ host_id: number }>(sql`
    select distinct host_id from interfaces where id = any(${integerKeys(valuesIn(reversals, "cnames", "interface_id"))})`);
  return [...hostsNamedIn(reversals), ...found.map(({ host_id }) => host_id)];
}

function hostsNamedIn(reversals: Reversal[]): number[] {
  const movedItems = reversals.filter(
    ({ table, columns }) =>
      table === "items" && columns.some((column) => ITEM_HOST_COLUMNS.includes(column)),
  );
  const parts = reversals.filter(
    ({ table }) => ["interfaces", "group_hosts"].includes(table) || resourceOf(table)?.ofHost,
  );
  return [
    ...reversals.filter(({ table }) => table === "hosts").map(({ id }) => id),
    ...[...movedItems, ...parts].flatMap(hostsIn),
  ];
}

function hostsIn({ before, after }: Reversal): number[] {
  return [before, after].flatMap((state) =>
    state?.host_id == null ? [] : [Number(state.host_id)],
  );
}

function valuesIn(reversals: Reversal[], table: RestoredTable, column: string): unknown[] {
  return reversals
    .filter((one) => one.table === table)
    .flatMap(({ before, after }) => [before?.[column], after?.[column]])
    .filter((value) => value != null);
}

function namesOfGroups(reversals: Reversal[]): string[] {
  return valuesIn(reversals, "groups", "name").map(String);
}

/** Only admins restore interfaces in admin-only and sensitive networks. */
async function refuseReserved(read: Read, reversals: Reversal[]): Promise<void> {
  const networks = valuesIn(reversals, "interfaces", "network_id");
  const [reserved] = await read<{ vlan_name: string }>(sql`
    select vlan_name from networks where (admin_only or sensitive) and id = any(${integerKeys(networks)}) order by vlan_name limit 1`);
  if (reserved) throw onlyForAdmins(reserved.vlan_name);
}
