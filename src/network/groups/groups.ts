// A group of hosts and the variables that automation knows them by. Its hosts are put there, or a query
// finds them; through its children it has theirs too.
import { type Static, Type } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { groups } from "../../../db/tables/network.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { collectErrors, type Fault, forbidden, notFound, refuse } from "../../input/errors.ts";
import { closed, KEY, some } from "../../input/shape.ts";
import * as crud from "../../store/crud.ts";
import { inside } from "../../store/read.ts";
import * as records from "../../store/records.ts";
import { changes, creation, recordOf } from "../../store/resource.ts";
import { advisoryLock, changeSetOf, lock, type Transaction, write } from "../../store/write.ts";
import { matching } from "../hosts/search.ts";
import { writtenVars } from "../variables/limits.ts";
import { adopt, keysOfChildren } from "./children.ts";
import { type Group, group, groupQuery } from "./group.ts";
import { faultsOf, type Kind, kindOf, STATIC } from "./kind.ts";
import { areHidden, gather, keysOfHosts, queries, scatter } from "./members.ts";
import { keepingReach, refuseAll } from "./reach.ts";

export const newGroup = closed(creation(group));
export const changedGroup = some(changes(group));
/** A group that is to be made or, with the key of one, to be changed. */
export const sketch = closed({
  id: Type.Optional(KEY),
  ...Type.Partial(Type.Object(changes(group))).properties,
});

export type NewGroup = Static<typeof newGroup>;
export type ChangedGroup = Static<typeof changedGroup>;

export async function list(
  caller: Caller,
  params: URLSearchParams,
): Promise<records.Listed<Group>> {
  return records.list(groupQuery(caller, await queries(database.rows)), params);
}

/** The same list with these fields of each group alone, `host_count` and `parents` among them. */
export async function listPicked<const Name extends string & keyof Group>(
  caller: Caller,
  names: readonly Name[],
  params: URLSearchParams,
): Promise<records.Listed<Required<Pick<Group, Name>>>> {
  const query = groupQuery(caller, await queries(database.rows));
  return records.list(records.pick(query, names), params);
}

export function find(
  caller: Caller,
  id: number,
  isRecursive = false,
): Promise<records.Found<Group>> {
  return read(caller, id, { isRecursive });
}

/** With the groups above it, which the record of a group does not name. */
export type GroupWithParents = Required<Omit<Group, "host_count">>;

const WITH_PARENTS = [...Object.keys(recordOf(group).properties), "parents"] as Array<
  keyof GroupWithParents
>;

/** In any case. */
export async function findNamed(
  caller: Caller,
  called: string,
): Promise<records.Found<GroupWithParents>> {
  const query = groupQuery(caller, await queries(database.rows));
  return records.find(
    records.pick(query, WITH_PARENTS),
    sql`lower(groups.name) = lower(${called}::text collate names)`,
  );
}

export function create(caller: Caller, input: NewGroup): Promise<records.Found<Group>> {
  return write(caller, async (tx) => read(caller, await make(tx, caller, input), { tx }));
}

/** As part of a write that does more. */
export function make(tx: Transaction, caller: Caller, input: NewGroup): Promise<number> {
  refuseAll(caller, "name", [input.name]);
  const changing = { group: input.name, field: fieldOf(input) };
  return keepingReach(tx, caller, changing, () => insert(tx, caller, input));
}

async function insert(tx: Transaction, caller: Caller, input: NewGroup): Promise<number> {
  const { kind, hosts, children } = await keysOf(tx, caller, { input, now: STATIC });
  const [made] = await tx
    .insert(groups)
    .values({
      name: input.name,
      ...(await furtherIn(tx, input)),
      ...kind,
      ...variables(input.vars),
    })
    .returning({ id: groups.id });
  const group = made?.id ?? 0;
  if (hosts) await gather(tx, caller, { group, hosts });
  if (children) await adopt(tx, { group, children });
  return group;
}

/** Hosts that are hidden from the caller stay in it, whatever hosts he names. */
export function update(
  caller: Caller,
  id: number,
  input: ChangedGroup,
): Promise<records.Found<Group>> {
  return write(caller, async (tx) => {
    await change(tx, caller, { id, ...input });
    return read(caller, id, { tx });
  });
}

/** As part of a write that does more. */
export async function change(
  tx: Transaction,
  caller: Caller,
  { id, ...input }: ChangedGroup & { id: number },
): Promise<void> {
  const group = await nameOf(tx, id);
  refuseAll(caller, "name", [group, input.name ?? ""]);
  const work = () => replace(tx, caller, { id, ...input });
  // The hosts that anybody but an admin puts in or takes out are none of those that this protects.
  if (Object.keys(input).every((field) => field === "hosts")) return work();
  await keepingReach(tx, caller, { group, field: fieldOf(input) }, work);
}

async function replace(
  tx: Transaction,
  caller: Caller,
  { id, ...input }: ChangedGroup & { id: number },
): Promise<void> {
  if (input.children) await advisoryLock(tx, "groups");
  await lock(tx, caller, { table: groups, id });
  const [now = STATIC] = await inside(tx)<Kind>(sql`
    select type, query from groups where id = ${id}`);
  const { kind, hosts, children } = await keysOf(tx, caller, { input, now, group: id });
  const scatters = kind.type === "query" && now.type === "static";
  if (scatters) await scatter(tx, caller, id);
  const moved = hosts && !scatters ? await gather(tx, caller, { group: id, hosts }) : [];
  const adopts = children !== undefined && (await adopt(tx, { group: id, children }));
  const isUnseen = !adopts && (await areHidden(tx, moved));
  await tx
    .update(groups)
    .set({
      ...(await furtherIn(tx, input)),
      ...kind,
      ...variables(input.vars),
      // Unless something else changes too, the database leaves version, time and author as they are.
      ...(isUnseen ? { unseen: sql`unseen + 1` } : {}),
    })
    .where(eq(groups.id, id));
}

/** The columns of fields that have no rules of their own. */
function furtherIn(tx: Transaction, input: ChangedGroup) {
  const { type, query, vars, children, hosts, ...plain } = input;
  return crud.columnsIn(tx, group, plain);
}

/** What a refusal of the whole is about. */
function fieldOf(input: ChangedGroup): string {
  const told = ["vars", "query", "children", "type", "name"] as const;
  return told.find((field) => input[field] !== undefined) ?? "name";
}

async function nameOf(tx: Transaction, id: number): Promise<string> {
  const [found] = await inside(tx)<{ name: string }>(sql`select name from groups where id = ${id}`);
  if (!found) throw notFound();
  return found.name;
}

/** Its hosts and children stay, without it. By whoever made it, or an admin. */
export async function remove(caller: Caller, id: number): Promise<void> {
  await write(caller, (tx) => end(tx, caller, [id]));
}

/** Several at once, or none of them; gives the change set. */
export function removeAll(caller: Caller, ids: number[]): Promise<number> {
  const inTurn = [...new Set(ids)].toSorted((one, other) => one - other);
  return write(caller, async (tx) => {
    await end(tx, caller, inTurn);
    return changeSetOf(tx);
  });
}

/** Whoever made it may also delete it. */
export async function isMadeBy({ id: user }: Caller, id: number): Promise<boolean> {
  const found = await database.row(
    sql`select from groups where id = ${id} and created_by = ${user}`,
  );
  return found !== undefined;
}

const MOST_NAMED = 5;

async function end(tx: Transaction, caller: Caller, ids: number[]): Promise<void> {
  const names: string[] = [];
  for (const id of ids.slice(0, MOST_NAMED)) names.push(await nameOf(tx, id));
  const changing = { group: names.join("', '"), field: "id" };
  await keepingReach(tx, caller, changing, async () => {
    for (const id of ids) await erase(tx, caller, id);
  });
}

async function erase(tx: Transaction, caller: Caller, id: number): Promise<void> {
  await lock(tx, caller, { table: groups, id });
  const [made] = await tx
    .select({ by: groups.created_by, name: groups.name })
    .from(groups)
    .where(eq(groups.id, id));
  if (!isAdmin(caller) && made?.by !== caller.id) {
    throw forbidden("Only who made this group and admins delete it");
  }
  refuseAll(caller, "id", [made?.name ?? ""]);
  await tx.delete(groups).where(eq(groups.id, id));
}

interface Wanted {
  input: ChangedGroup;
  now: Kind;
  /** Which one is changed, where it is there already. */
  group?: number;
}

/** What it is to be, and the keys behind all the names; what is wrong is told at once. */
async function keysOf(tx: Transaction, caller: Caller, { input, now, group }: Wanted) {
  const faults: Fault[] = [];
  await collectErrors(faults, () => refuseAll(caller, "children", input.children ?? []));
  const kind = kindOf(input, now);
  faults.push(...faultsOf(kind, input));
  const { query } = kind;
  if (query !== null) await collectErrors(faults, () => matching(query, "query"));
  const hosts = input.hosts && (await keysOfHosts(tx, caller, { names: input.hosts, faults }));
  const children =
    input.children && (await keysOfChildren(tx, { names: input.children, faults, group }));
  if (faults.length > 0) throw refuse(faults);
  return { kind, hosts, children };
}

/** As text, which PostgreSQL reads as JSON whatever is in it. */
function variables(given: object | undefined) {
  return given ? { vars: sql`${writtenVars("vars", given)}::text::jsonb` } : {};
}

/** With the hosts that its query finds now. */
export async function read(
  caller: Caller,
  id: number,
  { tx, isRecursive = records.wantsRecursive(caller) }: records.ReadOptions,
): Promise<records.Found<Group>> {
  const chosen = await queries(tx ? inside(tx) : database.rows, sql`id = ${id}`);
  return records.find({ ...groupQuery(caller, chosen), isRecursive }, sql`groups.id = ${id}`, tx);
}
