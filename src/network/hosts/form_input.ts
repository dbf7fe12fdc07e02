// The input of the host form: variables as text, and lists of items and groups with the values that they had
// when the form was opened.
import { type Static, Type } from "@sinclair/typebox";
import type { Caller } from "../../auth/auth.ts";
import { collectErrors, type FieldError, refuse } from "../../input/errors.ts";
import { LONGEST_HOST_VARS } from "../../input/limits.ts";
import { closed, nullable, paragraph } from "../../input/shape.ts";
import { mergedNames } from "../../input/text.ts";
import * as crud from "../../store/crud.ts";
import { rowOf } from "../../store/records.ts";
import { changedNames, changedParts } from "../../store/versions.ts";
import { type Transaction, write } from "../../store/write.ts";
import { readVarsInThread } from "../variables/text_thread.ts";
import type { Vars } from "../variables/variables.ts";
import { type Host, host } from "./host.ts";
import * as hosts from "./hosts.ts";
import { refuseMounted } from "./mounted_items.ts";

const { network, ip, mac, automation_vars: _, ...shared } = hosts.newHost.properties;
const { name, device_type, is_ioc, items, automation_groups, ...further } = shared;
const automation_vars = Type.Optional({
  ...nullable(paragraph(LONGEST_HOST_VARS, "Use YAML or a JSON object of variables")),
  title: host.fields.automation_vars.label,
});
/** Whether to move items here that are mounted on other hosts. */
const take_items = Type.Optional(Type.Boolean());

export const newEntry = closed({
  name,
  device_type,
  is_ioc,
  network,
  ip,
  mac,
  items,
  automation_groups,
  ...further,
  automation_vars,
  take_items,
});
/** With the lists as they were, so that two users who edit at the same time keep each other's additions. */
export const changedEntry = closed({
  name: Type.Optional(name),
  device_type: Type.Optional(device_type),
  is_ioc,
  items,
  items_before: items,
  automation_groups,
  automation_groups_before: automation_groups,
  ...further,
  automation_vars,
  take_items,
});

const LISTS = ["items", "automation_groups"];

/** The fields of the form that have one text each. */
export const FORM_FIELDS = Object.keys(changedEntry.properties).filter(
  (field) => field in host.fields && !LISTS.includes(field),
);

type NewEntry = Static<typeof newEntry>;
type ChangedEntry = Static<typeof changedEntry>;

/** Returns the name of the host. */
export async function create(caller: Caller, input: NewEntry): Promise<string> {
  const { take_items: takes, ...fields } = input;
  const vars = await varsIn(input.automation_vars);
  await write(caller, async (tx) => {
    if (!takes) await refuseMounted(tx, caller, { items: fields.items });
    await hosts.createIn(tx, caller, { ...fields, automation_vars: vars });
  });
  return input.name.toLowerCase();
}

interface SavedHost {
  name: string;
  /** The names of the changed fields. */
  changed: string[];
}

/** Changes only fields that differ from the present record. */
export async function update(caller: Caller, id: number, input: ChangedEntry): Promise<SavedHost> {
  const {
    items_before,
    automation_groups_before: groups_before,
    take_items: takes,
    ...rest
  } = input;
  const { automation_vars: text, ...plain } = rest;
  const { items, automation_groups: groups } = plain;
  const vars = text === undefined ? {} : { automation_vars: await varsIn(text) };
  return write(caller, async (tx) => {
    const now = await read(tx, caller, id);
    const entered = {
      ...plain,
      ...vars,
      items: items && mergedNames(now.items, { before: items_before, entered: items }),
      automation_groups:
        groups && mergedNames(now.automation_groups, { before: groups_before, entered: groups }),
    };
    const changed = Object.fromEntries(
      Object.entries(entered).filter(([field, value]) => differs(now, field, value)),
    ) as hosts.ChangedHost;
    if (!takes) await refuseMounted(tx, caller, { host: id, items: changed.items });
    if (Object.keys(changed).length > 0) await hosts.change(tx, caller, { id, ...changed });
    return { name: changed.name?.toLowerCase() ?? now.name, changed: changedNames(changed, now) };
  });
}

async function read(tx: Transaction, caller: Caller, id: number): Promise<Host> {
  return rowOf(await crud.find(host, caller, id, { tx, isRecursive: false }));
}

export function differs(now: Omit<Host, "interfaces">, field: string, value: unknown): boolean {
  if (value === undefined) return false;
  if (field === "site") return changedParts(Object(value), now) !== undefined;
  const was = (now as Record<string, unknown>)[field];
  if (Array.isArray(value))
    return !Bun.deepEquals(lowerSorted(value), lowerSorted(was as string[]));
  const isName = field === "name" || field === "device_type";
  return isName
    ? String(value).toLowerCase() !== String(was).toLowerCase()
    : !Bun.deepEquals(value, was);
}

function lowerSorted(names: string[]): string[] {
  return names.map((name) => name.toLowerCase()).toSorted();
}

/** Reads variables in YAML or as a JSON object. */
async function varsIn(text: string | null | undefined): Promise<Vars> {
  const errors: FieldError[] = [];
  const vars = await collectErrors(errors, () => readVarsInThread(text ?? ""));
  if (vars) return vars;
  throw refuse(errors.map(({ message }) => ({ field: "automation_vars", message })));
}
