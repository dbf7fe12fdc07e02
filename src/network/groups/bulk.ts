// Changes and deletes several groups in one write: adds and removes hosts and children.
import { groups as table } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { type FieldError, invalid, refuse } from "../../input/errors.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import type { BulkArea, ListChange } from "../../store/bulk.ts";
import * as records from "../../store/records.ts";
import { lock, type Transaction } from "../../store/write.ts";
import { idsOfChildren } from "./children.ts";
import { type Group, group, MOST_HOSTS } from "./group.ts";
import * as groups from "./groups.ts";
import { FOUND_BY_QUERY } from "./kind.ts";
import { idsOfHosts } from "./members.ts";

export const groupBulk: BulkArea = {
  resource: group,
  change: (tx, caller, id, input) => groups.change(tx, caller, { id, ...input }),
  remove: (tx, caller, id) => groups.removeGroups(tx, caller, [id]),
  lists: {
    children: {
      check: (tx, caller, names) =>
        refuseUnknown((errors) => idsOfChildren(tx, caller, { names, errors })),
      change: moveChildren,
    },
    hosts: {
      check: (tx, caller, names) =>
        refuseUnknown((errors) => idsOfHosts(tx, caller, { names, errors })),
      change: moveMembers,
    },
  },
};

/** Adds hosts to a group and removes others; true if the group changes. */
export async function moveMembers(
  tx: Transaction,
  caller: Caller,
  id: number,
  by: ListChange,
): Promise<boolean> {
  await lock(tx, caller, { table, id });
  const now = await readGroup(tx, caller, id);
  if (now.type === "query") throw invalid("host", FOUND_BY_QUERY);
  const hosts = refuseTooMany(changedList(now.hosts, by));
  await groups.change(tx, caller, { id, hosts });
  return isOther(now.hosts, hosts);
}

async function moveChildren(
  tx: Transaction,
  caller: Caller,
  id: number,
  by: ListChange,
): Promise<boolean> {
  // As in every change of children, before the lock of the group.
  await advisoryLock(tx, "groups");
  await lock(tx, caller, { table, id });
  const now = await readGroup(tx, caller, id);
  const children = changedList(now.children, by);
  if (!isOther(now.children, children)) return false;
  await groups.change(tx, caller, { id, children });
  return true;
}

export function refuseTooMany(hosts: string[]): string[] {
  if (hosts.length <= MOST_HOSTS) return hosts;
  throw invalid("hosts", `Name at most ${MOST_HOSTS.toLocaleString("en")} hosts`);
}

/** The names after a change, ignoring case. */
function changedList(now: string[], { add, remove, replaces }: ListChange): string[] {
  const lower = (names: string[]) => new Set(names.map((one) => one.toLowerCase()));
  const gone = lower(remove);
  const kept = replaces ? [] : now.filter((one) => !gone.has(one.toLowerCase()));
  const has = lower(kept);
  return [...kept, ...add.filter((one) => !has.has(one.toLowerCase()))];
}

function isOther(now: string[], wanted: string[]): boolean {
  const [had, has] = [now, wanted].map((names) => new Set(names.map((one) => one.toLowerCase())));
  return (had?.symmetricDifference(has ?? new Set()).size ?? 0) > 0;
}

async function refuseUnknown(look: (errors: FieldError[]) => Promise<unknown>): Promise<void> {
  const errors: FieldError[] = [];
  await look(errors);
  if (errors.length > 0) throw refuse(errors);
}

/** As the transaction sees it, with the names of its members. */
export async function readGroup(tx: Transaction, caller: Caller, id: number): Promise<Group> {
  return records.rowOf(await groups.findWithMembers(caller, id, { tx, isRecursive: false }));
}
