// Reads and writes groups: static ones and those that find their hosts by a query.

import { type Static, Type } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { groups } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { collectErrors, type FieldError, notFound, refuse } from "../../input/errors.ts";
import { atLeastOne, closed, KEY } from "../../input/shape.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import * as crud from "../../store/crud.ts";
import { requireCreator } from "../../store/may_edit.ts";
import * as records from "../../store/records.ts";
import { changeFields, creationFields, recordOf } from "../../store/resource.ts";
import { refuseAtEnd } from "../../store/rules.ts";
import { changeSetOf, lock, type Transaction, write } from "../../store/write.ts";
import { matching } from "../hosts/search.ts";
import { writtenVars } from "../variables/limits.ts";
import { idsOfChildren, setChildren } from "./children.ts";
import { type Group, group, groupQuery } from "./group.ts";
import { changedKind, type GroupKind, kindErrors, STATIC } from "./kind.ts";
import { areHidden, idsOfHosts, queries, removeMembers, setMembers } from "./members.ts";
import { protectReach, refuseChangeOfAll } from "./reach.ts";

export const newGroup = closed(creationFields(group));
export const changedGroup = atLeastOne(changeFields(group));
/** The input of a preview: a new group or, with an id, a change of an existing one. */
export const groupDraft = closed({
  id: Type.Optional(KEY),
  ...Type.Partial(Type.Object(changeFields(group))).properties,
});

export type NewGroup = Static<typeof newGroup>;
export type ChangedGroup = Static<typeof changedGroup>;

export async function list(
  caller: Caller,
  params: URLSearchParams,
): Promise<records.ListJson<Group>> {
  return records.list(await groupListQuery(caller), params);
}

export async function groupListQuery(caller: Caller): Promise<records.RecordQuery<Group>> {
  return groupQuery(caller, await queries(caller, database.rows));
}

/** The same list with only these fields; `host_count` and `parents` are available here. */
export async function listPicked<const Name extends string & keyof Group>(
  caller: Caller,
  names: readonly Name[],
  params: URLSearchParams,
): Promise<records.ListJson<Required<Pick<Group, Name>>>> {
  const query = await groupListQuery(caller);
  return records.list(records.pick(query, names), params);
}

export function find(
  caller: Caller,
  id: number,
  isRecursive = false,
): Promise<records.RecordJson<Group>> {
  return findWithMembers(caller, id, { isRecursive });
}

/** With its parents, which are not part of the record. */
export type GroupWithParents = Required<Omit<Group, "host_count">>;

const WITH_PARENTS = [...Object.keys(recordOf(group).properties), "parents"] as Array<
  keyof GroupWithParents
>;

/** By name, ignoring case. */
export async function findNamed(
  caller: Caller,
  name: string,
): Promise<records.RecordJson<GroupWithParents>> {
  const query = groupQuery(caller, await queries(caller, database.rows));
  return records.find(
    records.pick(query, WITH_PARENTS),
    sql`lower(groups.name) = lower(${name}::text collate names)`,
  );
}

export function create(caller: Caller, input: NewGroup): Promise<records.RecordJson<Group>> {
  return write(caller, async (tx) =>
    findWithMembers(caller, await createIn(tx, caller, input), { tx }),
  );
}

/** Part of a larger write. */
export function createIn(tx: Transaction, caller: Caller, input: NewGroup): Promise<number> {
  refuseChangeOfAll(caller, "name", [input.name]);
  const changing = { group: input.name, field: fieldOf(input) };
  return protectReach(tx, caller, changing, () => insert(tx, caller, input));
}

async function insert(tx: Transaction, caller: Caller, input: NewGroup): Promise<number> {
  const { kind, hosts, children } = await resolveNames(tx, caller, { input, now: STATIC });
  const [created] = await tx
    .insert(groups)
    .values({
      name: input.name,
      ...(await plainColumns(tx, caller, input)),
      ...kind,
      ...variables(input.vars),
    })
    .returning({ id: groups.id });
  const group = created?.id ?? 0;
  if (hosts) await setMembers(tx, caller, { group, hosts });
  if (children) await setChildren(tx, { group, children });
  return group;
}

/** Members that are hidden from the caller are kept, whatever hosts the input names. */
export function update(
  caller: Caller,
  id: number,
  input: ChangedGroup,
): Promise<records.RecordJson<Group>> {
  return write(caller, async (tx) => {
    await change(tx, caller, { id, ...input });
    return findWithMembers(caller, id, { tx });
  });
}

/** Part of a larger write. */
export async function change(
  tx: Transaction,
  caller: Caller,
  { id, ...input }: ChangedGroup & { id: number },
): Promise<void> {
  const group = await nameOf(tx, id);
  refuseChangeOfAll(caller, "name", [group, input.name ?? ""]);
  const work = () => replace(tx, caller, { id, ...input });
  // Members alone need no check of protected hosts: only admins add or remove those.
  if (Object.keys(input).every((field) => field === "hosts")) return work();
  await protectReach(tx, caller, { group, field: fieldOf(input) }, work);
}

async function replace(
  tx: Transaction,
  caller: Caller,
  { id, ...input }: ChangedGroup & { id: number },
): Promise<void> {
  if (input.children) await advisoryLock(tx, "groups");
  await lock(tx, caller, { table: groups, id });
  const [now = STATIC] = await tx
    .select({ type: groups.type, query: groups.query })
    .from(groups)
    .where(eq(groups.id, id));
  const { kind, hosts, children } = await resolveNames(tx, caller, { input, now, group: id });
  const becomesQuery = kind.type === "query" && now.type === "static";
  if (becomesQuery) await removeMembers(tx, caller, id);
  const moved = hosts && !becomesQuery ? await setMembers(tx, caller, { group: id, hosts }) : [];
  const childrenChanged =
    children !== undefined && (await setChildren(tx, { group: id, children }));
  const onlyHidden = !childrenChanged && (await areHidden(tx, moved));
  await tx
    .update(groups)
    .set({
      ...(await plainColumns(tx, caller, input)),
      ...kind,
      ...variables(input.vars),
      // If nothing else changes, the database keeps version, time and author.
      ...(onlyHidden ? { unseen: sql`unseen + 1` } : {}),
    })
    .where(eq(groups.id, id));
}

/** The columns of fields without rules of their own. */
function plainColumns(tx: Transaction, caller: Caller, input: ChangedGroup) {
  const { type, query, vars, children, hosts, ...plain } = input;
  return crud.columnsIn(tx, caller, group, plain);
}

/** The field that a refusal of the whole change names. */
function fieldOf(input: ChangedGroup): string {
  const fields = ["vars", "query", "children", "type", "name"] as const;
  return fields.find((field) => input[field] !== undefined) ?? "name";
}

async function nameOf(tx: Transaction, id: number): Promise<string> {
  const [found] = await tx.select({ name: groups.name }).from(groups).where(eq(groups.id, id));
  if (!found) throw notFound();
  return found.name;
}

/** Allowed to its creator and to admins; its hosts and children are kept. */
export async function remove(caller: Caller, id: number): Promise<void> {
  await write(caller, (tx) => removeGroups(tx, caller, [id]));
}

/** All of them or none; returns the change set. */
export function removeAll(caller: Caller, ids: number[]): Promise<number> {
  const inTurn = [...new Set(ids)].toSorted((one, other) => one - other);
  return write(caller, async (tx) => {
    await removeGroups(tx, caller, inTurn);
    return changeSetOf(tx);
  });
}

/** The creator of a group may delete it. */
export async function isCreatedBy({ id: user }: Caller, id: number): Promise<boolean> {
  const found = await database.row(
    sql`select from groups where id = ${id} and created_by = ${user}`,
  );
  return found !== undefined;
}

const MOST_NAMED = 5;

/** Part of a larger write. */
export async function removeGroups(tx: Transaction, caller: Caller, ids: number[]): Promise<void> {
  const names: string[] = [];
  for (const id of ids.slice(0, MOST_NAMED)) names.push(await nameOf(tx, id));
  const changing = { group: names.join("', '"), field: "id" };
  await protectReach(tx, caller, changing, async () => {
    for (const id of ids) await removeGroup(tx, caller, id);
  });
}

async function removeGroup(tx: Transaction, caller: Caller, id: number): Promise<void> {
  await lock(tx, caller, { table: groups, id });
  const [created] = await tx
    .select({ by: groups.created_by, name: groups.name })
    .from(groups)
    .where(eq(groups.id, id));
  requireCreator(caller, created?.by, "this group");
  refuseChangeOfAll(caller, "id", [created?.name ?? ""]);
  await tx.delete(groups).where(eq(groups.id, id));
}

interface KeyLookup {
  input: ChangedGroup;
  now: GroupKind;
  /** The id of the group; absent while it is created. */
  group?: number;
}

/** The type and query of the group and the ids behind all names; all errors are reported together. */
async function resolveNames(tx: Transaction, caller: Caller, { input, now, group }: KeyLookup) {
  const errors: FieldError[] = [];
  await collectErrors(errors, () => refuseChangeOfAll(caller, "children", input.children ?? []));
  const kind = changedKind(input, now);
  errors.push(...kindErrors(kind, input));
  const { query } = kind;
  if (query !== null) await collectErrors(errors, () => matching(caller, query, "query"));
  const hosts = input.hosts && (await idsOfHosts(tx, caller, { names: input.hosts, errors }));
  const childErrors: FieldError[] = [];
  const children =
    input.children &&
    (await idsOfChildren(tx, caller, { names: input.children, errors: childErrors, group }));
  if (errors.length > 0) throw refuse([...errors, ...childErrors]);
  refuseAtEnd(tx, childErrors);
  return { kind, hosts, children };
}

/** Sent as text: Bun 1.4 would send an object as a JSON string. */
function variables(given: object | undefined) {
  return given ? { vars: sql`${writtenVars("vars", given)}::text::jsonb` } : {};
}

/** With the hosts that its query finds at present. */
export async function findWithMembers(
  caller: Caller,
  id: number,
  { tx, isRecursive = records.wantsRecursive(caller) }: records.ReadOptions,
): Promise<records.RecordJson<Group>> {
  const queried = await queries(caller, tx ? tx.execute : database.rows, sql`id = ${id}`);
  return records.find({ ...groupQuery(caller, queried), isRecursive }, sql`groups.id = ${id}`, tx);
}
