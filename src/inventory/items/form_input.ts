// The item form: values are names, with the MAC addresses and a first comment, and missing attributes are created on
// request. Everything is saved in one write.

import { type Static, Type } from "@sinclair/typebox";
import { and, eq, ne } from "drizzle-orm";
import { changes } from "../../../db/tables/changes.ts";
import { items as itemTable } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { collectErrors, type FieldError, invalid, refuse } from "../../input/errors.ts";
import { atLeastOne, closed, nullable, paragraph, TRUE_OR_FALSE } from "../../input/shape.ts";
import * as crud from "../../store/crud.ts";
import type { Field } from "../../store/fields.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { changedNames, changedParts, type Texts, textsIn } from "../../store/versions.ts";
import { changeSetOf, type Transaction, write } from "../../store/write.ts";
import { ITEM_KINDS, type ItemKind, kindOf } from "../attributes/attribute.ts";
import { pictureOf } from "../attributes/attributes.ts";
import * as comments from "../comments/comments.ts";
import { keyOfHost } from "./choices.ts";
import * as itemMacs from "./form_macs.ts";
import { HOST_NAME, item } from "./item.ts";
import * as items from "./items.ts";
import { leavingParents, leavingWords, locationIn, lockTree } from "./tree.ts";

const { parent_id, host_id, ...own } = items.newItem.properties;
const { parent, host } = item.fields;
const fields = {
  ...own,
  parent: Type.Optional(parent.change),
  host: Type.Optional({ ...nullable(HOST_NAME), title: host.label }),
  macs: itemMacs.macFields.macs,
  /** The kinds of attributes that may be created if they are missing. */
  create: Type.Optional(
    Type.Array(Type.Union(ITEM_KINDS.map((kind) => Type.Literal(kind))), {
      maxItems: ITEM_KINDS.length,
    }),
  ),
};

/** Whether an item that moves away is taken out of its parent. */
const leave_parent = Type.Optional(TRUE_OR_FALSE);
/** MAC addresses are given as additions and removals, so that concurrent edits do not undo each other. */
export const changedEntry = closed({ ...fields, free: itemMacs.macFields.free, leave_parent });
/** In-place changes of where an item is: one field at a time. */
export const placeEntry = atLeastOne({
  location: own.location,
  status: own.status,
  parent: fields.parent,
  leave_parent,
});
/** The fields of an existing item in the form. */
export const FORM_FIELDS = Object.keys(item.fields).filter(
  (name) => name in fields && name !== "macs",
);
export const newEntry = closed({
  ...fields,
  comment: Type.Optional(nullable(paragraph(10_000))),
});

type NewEntry = Static<typeof newEntry>;
type ChangedEntry = Static<typeof changedEntry>;
type ChangesOfItem = Partial<Omit<ChangedEntry, "create">> & { id: number };

/** Returns the ICS id. */
export async function create(
  caller: Caller,
  { create: missingKinds = [], ...input }: NewEntry,
): Promise<string> {
  const missing = await withPictures(missingKinds, input);
  return write(caller, async (tx) => {
    await addAttributes(tx, missing);
    return (await createIn(tx, caller, input)).ics_id;
  });
}

/** Part of a larger write. */
export async function createIn(
  tx: Transaction,
  caller: Caller,
  { parent, host, macs: text, comment, ...entered }: Omit<NewEntry, "create">,
  temporary?: string,
): Promise<{ id: number; ics_id: string }> {
  const errors: FieldError[] = [];
  const parent_id = await collectErrors(errors, () => keyOfParent(tx, caller, parent));
  const mounted = await collectErrors(errors, () => mountedOn(tx, caller, host ?? undefined));
  const addresses = (await collectErrors(errors, () => itemMacs.takeMacs(tx, text ?? ""))) ?? [];
  const { serial_number } = entered;
  // A blank location or status is that of the parent.
  const named = { ...withoutBlanks(entered), serial_number, parent_id };
  const whole = mounted ? { ...named, ...mounted } : withoutStackMember(named);
  const made = await collectErrors(errors, () => items.add(tx, caller, whole, temporary));
  if (errors.length > 0 || !made) throw refuse(errors);
  await itemMacs.addMacs(tx, made.id, addresses);
  if (comment) await comments.add(tx, [made.id], { body: comment });
  return made;
}

interface SavedItem {
  ics_id: string;
  change_set: number;
  /** The names of the changed fields. */
  changed: string[];
  /** How many items inside it changed with it. */
  inside: number;
}

/** Changes only the fields that differ from the record as the form showed it. */
export async function update(
  caller: Caller,
  which: string,
  { create: missingKinds = [], ...input }: Partial<ChangedEntry>,
): Promise<SavedItem> {
  const missing = await withPictures(missingKinds, input);
  return write(caller, async (tx) => {
    const id = await items.keyOf(which, tx);
    const changed = await updateIn(tx, caller, { id, ...input }, missing);
    const change_set = await changeSetOf(tx);
    const inside = await changedItemsInside(tx, change_set, id);
    return { ics_id: await labelOf(tx, id), change_set, changed, inside };
  });
}

/** Part of a larger write; attributes that are missing are added if anything changes. Returns the names of the changed fields. */
export async function updateIn(
  tx: Transaction,
  caller: Caller,
  { id, macs: text, free = [], leave_parent, ...entered }: ChangesOfItem,
  missing: MissingAttribute[] = [],
): Promise<string[]> {
  const now = await currentValues(tx, caller, id);
  const { host, ...changed } = changedFields(entered, now);
  const names = [...changedNames(changed, now), ...(host === undefined ? [] : ["host"])];
  const errors: FieldError[] = [];
  const mounted = await collectErrors(errors, () => mountedOn(tx, caller, host));
  const addresses =
    (await collectErrors(errors, () => itemMacs.takeMacs(tx, text ?? "", id))) ?? [];
  if (names.length > 0) {
    await addAttributes(tx, missing);
    const whole = mounted ? { ...changed, ...mounted } : withoutStackMember(changed);
    await collectErrors(errors, async () => {
      const left = await parentLeft(tx, caller, { ...changed, id, leave_parent });
      names.push(...Object.keys(left));
      await items.change(tx, caller, { which: String(id), ...whole, ...left });
    });
  }
  if (errors.length > 0) throw refuse(errors);
  const freed = await itemMacs.removeMacs(tx, id, free);
  const added = await itemMacs.addMacs(tx, id, addresses);
  return freed + added > 0 ? [...names, "macs"] : names;
}

export const CHOOSE_BELOW = "; choose below, then save again";

/** With a new place away from its parent an item leaves it, or stays; the user is asked first. */
async function parentLeft(
  tx: Transaction,
  caller: Caller,
  { id, location, parent, leave_parent }: Partial<ChangedEntry> & { id: number },
): Promise<{ parent?: null }> {
  if (location === undefined || parent !== undefined || leave_parent === false) return {};
  await lockTree(tx);
  const { location_id } = await crud.columnsIn(tx, caller, item, { location });
  const [leaving] = await leavingParents(tx.execute, [id], location_id);
  if (leaving && leave_parent === undefined)
    throw invalid("location", `${leaving.ics_id} ${leavingWords(leaving, true)}${CHOOSE_BELOW}`);
  return leaving ? { parent: null } : {};
}

async function changedItemsInside(
  tx: Transaction,
  change_set: number,
  id: number,
): Promise<number> {
  return tx.$count(
    changes,
    and(
      eq(changes.change_set, change_set),
      eq(changes.table_name, "items"),
      ne(changes.row_id, id),
    ),
  );
}

async function keyOfParent(tx: Transaction, caller: Caller, label: string | null | undefined) {
  return label ? (await locationIn(tx, caller, label.toUpperCase())).parent_id : null;
}

/** A null takes the item off its host; undefined leaves it where it is. */
async function mountedOn(tx: Transaction, caller: Caller, host: string | null | undefined) {
  if (host === undefined) return {};
  return { host_id: host === null ? null : await keyOfHost(tx, caller, host) };
}

/** Without a valid host the stack member cannot be checked. */
function withoutStackMember<Given extends { stack_member?: unknown }>({
  stack_member,
  ...item
}: Given) {
  return item;
}

type EnteredItem = Omit<ChangedEntry, "create" | "macs" | "free" | "leave_parent">;
type ChangedItemFields = Omit<EnteredItem, "ics_id"> & { ics_id?: string };

function changedFields(entered: Partial<EnteredItem>, now: Texts): Partial<ChangedItemFields> {
  const { site = {}, ...plain } = entered;
  const parts = changedParts(site, now);
  const changed = Object.entries({ ...plain, ...(parts && { site: parts }) }).filter(
    ([name, value]) => name === "site" || comparable(name, value) !== comparable(name, now[name]),
  );
  const { ics_id: label, ...others } = Object.fromEntries(changed) as Partial<EnteredItem>;
  // A blank ICS id keeps the temporary one.
  return label == null ? others : { ...others, ics_id: label };
}

async function currentValues(tx: Transaction, caller: Caller, id: number): Promise<Texts> {
  const fields = records.pick(recordQuery(item, caller), FORM_FIELDS);
  return textsIn(records.rowOf(await records.find(fields, eq(itemTable.id, id), tx)), FORM_FIELDS);
}

const allFields: Record<string, Field | undefined> = item.fields;

/** As text; ICS ids and names of other records in lower case. */
function comparable(name: string, value: unknown): string {
  const text = Array.isArray(value) ? value.join("\n") : String(value ?? "");
  const { kind, refersTo } = allFields[name] ?? {};
  return refersTo || kind === "code" ? text.toLowerCase() : text;
}

function withoutBlanks<Given extends object>(
  given: Given,
): { [Name in keyof Given]?: NonNullable<Given[Name]> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value != null)) as {
    [Name in keyof Given]?: NonNullable<Given[Name]>;
  };
}

interface MissingAttribute {
  kind: ItemKind;
  name: string;
  picture: string;
}

/** QR codes are drawn before the write begins, because that is slow. */
async function withPictures(
  missingKinds: ItemKind[],
  input: Partial<ChangedEntry>,
): Promise<MissingAttribute[]> {
  const named = [...new Set(missingKinds)].flatMap((kind) => {
    const name = input[kind];
    return name ? [{ kind, name }] : [];
  });
  return Promise.all(
    named.map(async ({ kind, name }) => ({
      kind,
      name,
      picture: await pictureOf(kindOf(kind), name),
    })),
  );
}

/** Attributes that have been created meanwhile are not changed. */
async function addAttributes(tx: Transaction, missing: MissingAttribute[]): Promise<void> {
  for (const { kind, name, picture } of missing) {
    await tx.insert(kindOf(kind).table).values({ name, qrcode: picture }).onConflictDoNothing();
  }
}

async function labelOf(tx: Transaction, id: number): Promise<string> {
  const [found] = await tx
    .select({ ics_id: itemTable.ics_id })
    .from(itemTable)
    .where(eq(itemTable.id, id));
  if (!found) throw invalid("ics_id", "The item has been deleted");
  return found.ics_id;
}
