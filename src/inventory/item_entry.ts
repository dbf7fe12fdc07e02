// An item as a person fills it in: names throughout, its MAC addresses and a first comment with it, and
// attributes that do not exist yet made on the way. All in one write, or nothing.
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { comments, macs } from "../../db/tables/inventory.ts";
import type { Caller } from "../auth.ts";
import { type Fault, invalid, refuse } from "../errors.ts";
import { isMac } from "../kinds.ts";
import * as records from "../records.ts";
import { closed, line, nullable, paragraph } from "../shape.ts";
import { type Transaction, write } from "../write.ts";
import { kinds, pictureOf } from "./attributes.ts";
import { ICS_ID } from "./ics_ids.ts";
import { hostNamed } from "./item_choices.ts";
import { itemResource } from "./item_record.ts";
import { placeIn } from "./item_tree.ts";
import { type Values, valuesOf } from "./item_versions.ts";
import * as items from "./items.ts";
import { REFERRED, type Referred } from "./references.ts";

const { serial_number, ics_id, quantity, manufacturer, model, location, status, stack_member } =
  items.newItem.properties;
const fields = {
  serial_number,
  ics_id,
  quantity,
  manufacturer,
  model,
  location,
  status,
  parent: Type.Optional(nullable(ICS_ID)),
  host: Type.Optional(nullable(line(63, "Use the name of a host"))),
  stack_member,
  /** Which of the named attributes may be made if they are missing. */
  create: Type.Optional(Type.Array(Type.Union(REFERRED.map((kind) => Type.Literal(kind))))),
};

export const changedEntry = closed(fields);
export const newEntry = closed({
  ...fields,
  macs: Type.Optional(nullable(paragraph(2_000, "Use one MAC address on each line"))),
  comment: Type.Optional(nullable(paragraph(10_000))),
});

type NewEntry = Static<typeof newEntry>;
type ChangedEntry = Static<typeof changedEntry>;

/** Gives the id on its label. */
export async function create(caller: Caller, input: NewEntry): Promise<string> {
  const { parent, host, create: wanted = [], macs: addresses, comment, ...entered } = input;
  const missing = await picturesOf(wanted, input);
  return write(caller, async (tx) => {
    await addAttributes(tx, missing);
    const parent_id = parent ? (await placeIn(tx, parent.toUpperCase())).parent_id : null;
    const mounted = host ? { host_id: await hostNamed(tx, caller, host) } : {};
    // A blank takes the parent's place, or nothing; it does not clear.
    const item = { ...filled(entered), ...mounted, serial_number: input.serial_number, parent_id };
    const id = await items.add(tx, caller, item);
    await addMacs(tx, id, addresses ?? "");
    if (comment) await tx.insert(comments).values({ item_id: id, body: comment });
    return labelOf(tx, id);
  });
}

/** Changes what differs from the record as the form showed it, and nothing else. */
export async function update(
  caller: Caller,
  which: string,
  input: ChangedEntry,
): Promise<{ ics_id: string; changed: string[] }> {
  const { create: wanted = [], ...entered } = input;
  const missing = await picturesOf(wanted, input);
  return write(caller, async (tx) => {
    const id = await items.keyOf(which, tx);
    const { host, ...changed } = differing(entered, await valuesNow(tx, caller, id));
    const names = [...Object.keys(changed), ...(host === undefined ? [] : ["host"])];
    if (names.length === 0) return { ics_id: await labelOf(tx, id), changed: [] };
    await addAttributes(tx, missing);
    const mounted =
      host === undefined
        ? {}
        : { host_id: host === null ? null : await hostNamed(tx, caller, host) };
    await items.change(tx, caller, { which: String(id), ...changed, ...mounted });
    return { ics_id: await labelOf(tx, id), changed: names };
  });
}

type Entered = Omit<ChangedEntry, "create">;
type Changed = Omit<Entered, "ics_id"> & { ics_id?: string };

function differing(entered: Entered, now: Values): Partial<Changed> {
  const changed = Object.entries(entered).filter(
    ([field, value]) => folded(field, value) !== folded(field, now[field as keyof Values]),
  );
  const { ics_id: label, ...others } = Object.fromEntries(changed) as Partial<Entered>;
  // A temporary id without a label to follow it stays.
  return label == null ? others : { ...others, ics_id: label };
}

async function valuesNow(tx: Transaction, caller: Caller, id: number): Promise<Values> {
  return valuesOf(await records.find(itemResource(caller), sql`items.id = ${id}`, tx));
}

/** As text, and names without their case. */
function folded(field: string, value: unknown): string {
  const text = value == null ? "" : String(value);
  return field === "serial_number" ? text : text.toLowerCase();
}

function filled<Given extends object>(
  given: Given,
): { [Name in keyof Given]?: NonNullable<Given[Name]> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value != null)) as {
    [Name in keyof Given]?: NonNullable<Given[Name]>;
  };
}

interface Missing {
  kind: Referred;
  name: string;
  picture: string;
}

/** Pictures take their time: they are drawn before the write begins. */
async function picturesOf(wanted: Referred[], input: ChangedEntry): Promise<Missing[]> {
  const named = [...new Set(wanted)].flatMap((kind) => {
    const name = input[kind];
    return name ? [{ kind, name }] : [];
  });
  return Promise.all(
    named.map(async ({ kind, name }) => ({ kind, name, picture: await pictureOf(of(kind), name) })),
  );
}

function of(kind: Referred) {
  const found = kinds.find(({ name }) => name === kind);
  if (!found) throw new Error(`There is no kind ${kind}`);
  return found;
}

/** Those that exist by now are taken as they are. */
async function addAttributes(tx: Transaction, missing: Missing[]): Promise<void> {
  for (const { kind, name, picture } of missing) {
    await tx.execute(sql`
      insert into ${sql.identifier(of(kind).plural)} (name, qrcode) values (${name}, ${picture})
      on conflict do nothing`);
  }
}

/** A registered address without an item is put on this one; another item's stays where it is. */
async function addMacs(tx: Transaction, item_id: number, text: string): Promise<void> {
  const addresses = [...new Set(text.split(/[\s,;]+/).filter((one) => one !== ""))];
  const strange = addresses.filter((one) => !isMac(one));
  if (strange.length > 0) {
    throw refuse(strange.slice(0, 5).map((one) => fault(`'${one}' is not a MAC address`)));
  }
  if (addresses.length === 0) return;
  const given = sql`${sql.param(addresses)}::text[]::macaddr[]`;
  await tx.execute(sql`
    insert into ${macs} (address) select distinct unnest(${given}) on conflict (address) do nothing`);
  const taken = await tx.execute<{ address: string; ics_id: string }>(sql`
    select macs.address::text as address, items.ics_id from macs join items on items.id = macs.item_id
    where macs.address = any(${given}) order by 1`);
  if (taken.length > 0) {
    throw refuse(taken.map(({ address, ics_id: on }) => fault(`${address} is on the item ${on}`)));
  }
  await tx.execute(sql`update ${macs} set item_id = ${item_id} where address = any(${given})`);
}

function fault(message: string): Fault {
  return { field: "macs", message };
}

async function labelOf(tx: Transaction, id: number): Promise<string> {
  const [found] = await tx.execute<{ ics_id: string }>(
    sql`select ics_id from items where id = ${id}`,
  );
  if (!found) throw invalid("ics_id", "The item has gone meanwhile");
  return found.ics_id;
}
