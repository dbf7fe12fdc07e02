// The input of the group form: variables and hosts as text, with the values that they had when the form was
// opened.
import { type Static, Type } from "@sinclair/typebox";
import { groups as table } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { LONGEST_GROUP_VARS } from "../../input/limits.ts";
import { closed, line, nullable, paragraph } from "../../input/shape.ts";
import { mergedNames } from "../../input/text.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import type * as records from "../../store/records.ts";
import { changeSetOf, lock, write } from "../../store/write.ts";
import { readVarsInThread } from "../variables/text_thread.ts";
import type { Vars } from "../variables/variables.ts";
import { moveMembers, readGroup, refuseTooMany } from "./bulk.ts";
import { type Group, group } from "./group.ts";
import * as groups from "./groups.ts";
import { type GroupPreview, groupPreview } from "./preview.ts";

const { name, ...own } = groups.newGroup.properties;
const hosts = Type.Optional({
  ...nullable(paragraph(500_000, "Enter host names, one per line")),
  title: group.fields.hosts.label,
});
const fields = {
  ...own,
  vars: Type.Optional({
    ...nullable(paragraph(LONGEST_GROUP_VARS)),
    title: group.fields.vars.label,
  }),
  hosts,
  /** One more host, chosen from suggestions. */
  host: Type.Optional({ ...nullable(line(63)), title: "Add host" }),
};

export const newEntry = closed({ name, ...fields });
/** With the lists as they were, so that two users who edit at the same time keep each other's additions. */
export const changedEntry = closed({
  name: Type.Optional(name),
  ...fields,
  hosts_before: hosts,
  children_before: own.children,
});

export type NewEntry = Static<typeof newEntry>;
export type ChangedEntry = Static<typeof changedEntry>;

const LISTS = ["children", "hosts"];

/** The fields of the form that have one text each. */
export const FORM_FIELDS = Object.keys(changedEntry.properties).filter(
  (field) => field in group.fields && !LISTS.includes(field),
);

const FURTHER = FORM_FIELDS.filter((field) => !["name", "type", "query", "vars"].includes(field));

export async function create(caller: Caller, input: NewEntry): Promise<records.RecordJson<Group>> {
  return groups.create(caller, await newGroupOf(input));
}

interface SavedGroup {
  name: string;
  /** The names of the changed fields. */
  changed: string[];
  change_set: number;
}

/** Changes only fields that differ from the present record. */
export async function update(caller: Caller, id: number, input: ChangedEntry): Promise<SavedGroup> {
  const vars = await enteredVars(input);
  return write(caller, async (tx) => {
    await advisoryLock(tx, "groups");
    await lock(tx, caller, { table, id });
    const now = await readGroup(tx, caller, id);
    const changed = changedFields(now, { ...input, vars });
    const names = Object.keys(changed);
    if (names.length > 0) await groups.change(tx, caller, { id, ...changed });
    const change_set = await changeSetOf(tx);
    return { name: changed.name ?? now.name, changed: names, change_set };
  });
}

/** The hosts that saving the form would affect. */
export async function previewNew(caller: Caller, input: NewEntry): Promise<GroupPreview> {
  return groupPreview(caller, await newGroupOf(input));
}

/** The same for a change of an existing group. */
export async function previewChanged(
  caller: Caller,
  now: Group,
  input: ChangedEntry,
): Promise<GroupPreview> {
  const vars = await enteredVars(input);
  return groupPreview(caller, {
    id: now.id,
    name: now.name,
    ...changedFields(now, { ...input, vars }),
  });
}

interface Membership {
  add?: string[];
  remove?: string[];
}

/** Adds hosts to a group and removes others, under a lock; returns the change set. */
export function changeMembers(
  caller: Caller,
  id: number,
  { add = [], remove = [] }: Membership,
): Promise<number> {
  return write(caller, async (tx) => {
    await moveMembers(tx, caller, id, { add, remove, replaces: false });
    return changeSetOf(tx);
  });
}

async function newGroupOf({ name: newName, ...input }: NewEntry): Promise<groups.NewGroup> {
  const { children: inside = [] } = input;
  return {
    name: newName,
    ...further(input),
    ...kindOf(input),
    ...hostsOf(input, []),
    vars: await readVarsInThread(input.vars ?? ""),
    children: inside,
  };
}

/** With parsed variables, if any are sent. */
type EnteredValues = Omit<ChangedEntry, "vars"> & { vars: Vars | undefined };

function changedFields(now: Group, input: EnteredValues): groups.ChangedGroup {
  const { name: called = now.name, children: entered, children_before: before } = input;
  const wanted = {
    name: called,
    ...further(input),
    ...kindOf(input),
    ...(input.vars === undefined ? {} : { vars: input.vars }),
    ...(entered && { children: mergedNames(now.children, { before, entered }) }),
    ...hostsOf(input, now.type === "static" ? now.hosts : []),
  };
  const pairs = Object.entries(wanted).filter(
    ([field, value]) => !isSame(now[field as keyof Group], value),
  );
  return Object.fromEntries(pairs);
}

/** The fields without rules of their own, as they were entered. */
function further(input: object): Partial<groups.NewGroup> {
  return Object.fromEntries(Object.entries(input).filter(([field]) => FURTHER.includes(field)));
}

/** Drops the query of a static group, whatever its field contains. */
function kindOf({ type: wanted, query: text }: Pick<ChangedEntry, "type" | "query">) {
  return wanted === "query" ? { type: wanted, query: text ?? null } : { type: "static" as const };
}

async function enteredVars({ vars }: ChangedEntry): Promise<Vars | undefined> {
  return vars === undefined ? undefined : readVarsInThread(vars ?? "");
}

type EnteredHosts = Partial<Pick<ChangedEntry, "type" | "hosts" | "hosts_before" | "host">>;

function hostsOf(input: EnteredHosts, now: string[]) {
  if (input.type === "query" || input.hosts === undefined) return {};
  const entered = [...namesIn(input.hosts), ...namesIn(input.host)];
  const hosts = mergedNames(now, { before: namesIn(input.hosts_before), entered });
  return { hosts: refuseTooMany(hosts) };
}

/** Names separated by spaces, commas or semicolons. */
export function namesIn(text: string | null | undefined): string[] {
  const names = (text ?? "").toLowerCase().split(/[\s,;]+/);
  return [...new Set(names.filter((one) => one !== ""))];
}

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return Bun.deepEquals(one.toSorted(), other.toSorted());
  }
  return Bun.deepEquals(one, other);
}
