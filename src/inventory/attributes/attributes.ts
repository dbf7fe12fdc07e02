// Lists and changes attributes of any kind: see attribute.ts.
import type { Static } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import QRCode from "qrcode";
import * as database from "../../../db/client.ts";
import { actions, favorites } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { notFound } from "../../input/errors.ts";
import { atLeastOne, closed } from "../../input/shape.ts";
import { textError } from "../../input/text.ts";
import { advisoryLock } from "../../store/advisory_lock.ts";
import * as crud from "../../store/crud.ts";
import * as records from "../../store/records.ts";
import {
  changeFields,
  creationFields,
  type Fields,
  type ListedRow,
  listedQuery,
  type Resource,
  recordQuery,
} from "../../store/resource.ts";
import { assign, lock, type Transaction, write } from "../../store/write.ts";
import {
  type Attribute,
  type AttributeKind,
  type KindName,
  kindNamed,
  kindOf,
  LOCATION_TREE,
} from "./attribute.ts";

const shapes = {
  action: shapesFor(kindOf("action").resource),
  manufacturer: shapesFor(kindOf("manufacturer").resource),
  model: shapesFor(kindOf("model").resource),
  location: shapesFor(kindOf("location").resource),
  status: shapesFor(kindOf("status").resource),
};

function shapesFor<F extends Fields>(resource: Resource<F>) {
  return { created: closed(creationFields(resource)), changed: atLeastOne(changeFields(resource)) };
}

/** The bodies of a kind. */
export function shapesOf({ name }: AttributeKind): (typeof shapes)[KindName] {
  return shapes[name];
}

type SpecialFields = Pick<Static<typeof shapes.location.changed>, "parent" | "tags"> &
  Pick<Static<typeof shapes.status.changed>, "colour">;
export type NewAttribute = Static<typeof shapes.manufacturer.created> & SpecialFields;
export type ChangedAttribute = Static<typeof shapes.manufacturer.changed> & SpecialFields;
/** As lists show it: with the number of items that use it, and whether it is a favorite of the caller. */
export type AttributeRow = ListedRow<AttributeKind<"manufacturer">["resource"]> &
  Attribute & { favorite: boolean };

export function list(
  caller: Caller,
  of: AttributeKind,
  params: URLSearchParams,
): Promise<records.ListJson<Attribute>> {
  return crud.list(of.resource, caller, params);
}

/** The list as pages show it. */
export function listRows(
  caller: Caller,
  of: AttributeKind,
  params: URLSearchParams,
): Promise<records.ListJson<AttributeRow>> {
  return records.list(attributesQuery(caller, of), params);
}

/** Each caller has other favorites, so they are no field of the description, which all callers share. */
export function attributesQuery(
  caller: Caller,
  of: AttributeKind,
): records.RecordQuery<AttributeRow> {
  const isFavorite = sql`exists (
    select 1 from ${favorites}
    where ${favorites.user_id} = ${caller.id} and ${favorites[`${of.name}_id`]} = ${of.table.id})`;
  return records.extend<Pick<AttributeRow, "favorite">>()(listedQuery(of.resource, caller), {
    favorite: { kind: "boolean", column: isFavorite },
  });
}

export function find(
  caller: Caller,
  of: AttributeKind,
  id: number,
  isRecursive = false,
): Promise<records.RecordJson<Attribute>> {
  return crud.find(of.resource, caller, id, { isRecursive });
}

/** By name, in any case. */
export function findNamed(
  caller: Caller,
  of: AttributeKind,
  name: string,
): Promise<records.RecordJson<Attribute>> {
  if (textError(name)) throw notFound();
  const query: records.RecordQuery<Attribute> = recordQuery(of.resource, caller);
  return records.find(query, sql`lower(${query.table}.name) = lower(${name}::text collate names)`);
}

export async function create(
  caller: Caller,
  of: AttributeKind,
  input: NewAttribute,
): Promise<records.RecordJson<Attribute>> {
  return crud.create(of.resource, caller, { ...input, qrcode: await pictureOf(of, input.name) });
}

export async function update(
  caller: Caller,
  { of, id }: { of: AttributeKind; id: number },
  input: ChangedAttribute,
): Promise<records.RecordJson<Attribute>> {
  return write(caller, async (tx) => {
    await change(tx, caller, { of, id }, input);
    return crud.find(of.resource, caller, id, { tx });
  });
}

/** Part of a larger write. */
export async function change(
  tx: Transaction,
  caller: Caller,
  { of, id }: { of: AttributeKind; id: number },
  input: ChangedAttribute,
): Promise<void> {
  const picture = input.name === undefined ? {} : { qrcode: await pictureOf(of, input.name) };
  const table: PgTable & { id: PgColumn } = of.table;
  // Two transactions that swap names would deadlock: each locks a row and waits for the name of the other.
  if (input.name !== undefined) await advisoryLock(tx, `names of ${of.plural}`);
  if (input.parent !== undefined) await advisoryLock(tx, LOCATION_TREE);
  await lock(tx, caller, { table, id });
  const columns = await crud.columnsIn(tx, caller, of.resource, input);
  await assign(tx, { table, where: eq(table.id, id) }, { ...columns, ...picture });
}

/** Refused while items use it. */
export function remove(caller: Caller, of: AttributeKind, id: number): Promise<void> {
  return crud.remove(of.resource, caller, id);
}

const ACTIONS = [
  "Assign ICS id",
  "Clear all",
  "Clear attributes",
  "Fetch",
  "Register",
  "Set as parent",
  "Update",
];

/** Adds the actions of the scan desk, which every database has. */
export async function seedActions(): Promise<void> {
  const known = await database.rows(database.build.select({ name: actions.name }).from(actions));
  const missing = ACTIONS.filter((name) => !known.some((one) => one.name === name));
  const action = kindNamed("action");
  const rows = await Promise.all(
    missing.map(async (name) => ({ name, qrcode: await pictureOf(action, name) })),
  );
  if (rows.length > 0) {
    await database.transaction((tx) => tx.insert(actions).values(rows).onConflictDoNothing());
  }
}

/** The QR code of an attribute. */
export function pictureOf(of: AttributeKind, name: string): Promise<string> {
  return qrcode(`CSE:${of.name}:${name}`);
}

/** A base64 PNG, small enough for a list and sharp enough for a label. */
async function qrcode(text: string): Promise<string> {
  const png = await QRCode.toBuffer(text, { errorCorrectionLevel: "M", margin: 2, scale: 4 });
  return png.toString("base64");
}
