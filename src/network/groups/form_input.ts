// A group as a person fills it in: its variables and hosts as text, and what of them was there when the
// form was opened.
import { type Static, Type } from "@sinclair/typebox";
import { groups as table } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { invalid } from "../../input/errors.ts";
import { LONGEST_GROUP_VARS } from "../../input/limits.ts";
import { closed, line, nullable, paragraph } from "../../input/shape.ts";
import * as records from "../../store/records.ts";
import { advisoryLock, changeSetOf, lock, type Transaction, write } from "../../store/write.ts";
import { readVarsAside } from "../variables/text_thread.ts";
import type { Vars } from "../variables/variables.ts";
import { type Group, group, MOST_HOSTS } from "./group.ts";
import * as groups from "./groups.ts";
import { type Preview, previewOf } from "./preview.ts";

const { name, ...own } = groups.newGroup.properties;
const hosts = Type.Optional({
  ...nullable(paragraph(500_000, "Write names of hosts, one on each line")),
  title: group.fields.hosts.label,
});
const entered = {
  ...own,
  vars: Type.Optional({
    ...nullable(paragraph(LONGEST_GROUP_VARS)),
    title: group.fields.vars.label,
  }),
  hosts,
  /** One more, picked from suggestions. */
  host: Type.Optional(nullable(line(63))),
};

export const newEntry = closed({ name, ...entered });
/** With what was there before, so that two who edit never undo what the other one added. */
export const changedEntry = closed({
  name: Type.Optional(name),
  ...entered,
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

export async function create(caller: Caller, input: NewEntry): Promise<records.Found<Group>> {
  return groups.create(caller, await made(input));
}

export interface Saved {
  name: string;
  /** The names of the fields that are not as they were. */
  changed: string[];
  change_set: number;
}

/** Changes what differs from the record by now, and nothing else. */
export async function update(caller: Caller, id: number, input: ChangedEntry): Promise<Saved> {
  const vars = await varsGiven(input);
  return write(caller, async (tx) => {
    await advisoryLock(tx, "groups");
    await lock(tx, caller, { table, id });
    const now = await read(tx, caller, id);
    const changed = differing(now, { ...input, vars });
    const names = Object.keys(changed);
    if (names.length > 0) await groups.change(tx, caller, { id, ...changed });
    const change_set = await changeSetOf(tx);
    return { name: changed.name ?? now.name, changed: names, change_set };
  });
}

/** Whom saving it would touch. */
export async function previewNew(caller: Caller, input: NewEntry): Promise<Preview> {
  return previewOf(caller, await made(input));
}

/** The same of a change; of the group as it stands, where nothing differs. */
export async function previewChanged(
  caller: Caller,
  now: Group,
  input: ChangedEntry,
): Promise<Preview> {
  const vars = await varsGiven(input);
  return previewOf(caller, { id: now.id, name: now.name, ...differing(now, { ...input, vars }) });
}

interface Moved {
  come?: string[];
  go?: string[];
}

/** Puts hosts into a group and takes others out, whatever others do to it at the same time; gives the change set. */
export function move(caller: Caller, id: number, { come = [], go = [] }: Moved): Promise<number> {
  return write(caller, async (tx) => {
    await lock(tx, caller, { table, id });
    const now = await read(tx, caller, id);
    if (now.type === "query") throw invalid("host", "A query chooses the hosts of this group");
    const wanted = [...now.hosts.filter((host) => !go.includes(host)), ...come];
    await groups.change(tx, caller, { id, hosts: wanted });
    return changeSetOf(tx);
  });
}

async function made({ name: called, ...input }: NewEntry): Promise<groups.NewGroup> {
  const { children: inside = [] } = input;
  return {
    name: called,
    ...further(input),
    ...kindOf(input),
    ...hostsOf(input, []),
    vars: await readVarsAside(input.vars ?? ""),
    children: inside,
  };
}

/** With the variables as values, where any are given. */
type Changed = Omit<ChangedEntry, "vars"> & { vars: Vars | undefined };

function differing(now: Group, input: Changed): groups.ChangedGroup {
  const { name: called = now.name, children: sent, children_before: before = [] } = input;
  const wanted = {
    name: called,
    ...further(input),
    ...kindOf(input),
    ...(input.vars === undefined ? {} : { vars: input.vars }),
    ...(sent ? { children: merged(now.children, { before, sent }) } : {}),
    ...hostsOf(input, now.type === "static" ? now.hosts : []),
  };
  const pairs = Object.entries(wanted).filter(
    ([field, value]) => !isSame(now[field as keyof Group], value),
  );
  return Object.fromEntries(pairs);
}

/** The fields that no rule of groups is about, as they are entered. */
function further(input: object): Partial<groups.NewGroup> {
  return Object.fromEntries(Object.entries(input).filter(([field]) => FURTHER.includes(field)));
}

/** What does not go with the type is left out, whatever stood in its field. */
function kindOf({ type: wanted, query: text }: Pick<ChangedEntry, "type" | "query">) {
  return wanted === "query" ? { type: wanted, query: text ?? null } : { type: "static" as const };
}

async function varsGiven({ vars }: ChangedEntry): Promise<Vars | undefined> {
  return vars === undefined ? undefined : readVarsAside(vars ?? "");
}

type HostsGiven = Partial<Pick<ChangedEntry, "type" | "hosts" | "hosts_before" | "host">>;

function hostsOf(input: HostsGiven, now: string[]) {
  if (input.type === "query" || input.hosts === undefined) return {};
  const sent = [...namesIn(input.hosts), ...namesIn(input.host)];
  const hosts = merged(now, { before: namesIn(input.hosts_before), sent });
  if (hosts.length > MOST_HOSTS) {
    throw invalid("hosts", `Name at most ${MOST_HOSTS.toLocaleString("en")} hosts`);
  }
  return { hosts };
}

/** Names, however they are kept apart. */
export function namesIn(text: string | null | undefined): string[] {
  const names = (text ?? "").toLowerCase().split(/[\s,;]+/);
  return [...new Set(names.filter((one) => one !== ""))];
}

/** What is there by now, with what was added and without what was taken out since it was read. */
function merged(now: string[], { before, sent }: { before: string[]; sent: string[] }): string[] {
  const [had, has] = [new Set(before), new Set(sent)];
  const kept = now.filter((one) => has.has(one) || !had.has(one));
  return [...new Set([...kept, ...sent.filter((one) => !had.has(one))])];
}

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return Bun.deepEquals(one.toSorted(), other.toSorted());
  }
  return Bun.deepEquals(one, other);
}

async function read(tx: Transaction, caller: Caller, id: number): Promise<Group> {
  return records.rowOf(await groups.read(caller, id, { tx, isRecursive: false }));
}
