// Actions, manufacturers, models, locations and statuses: five kinds of one thing.
import { type Static, Type } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { FOREIGN_KEY, Refused } from "../../../db/faults.ts";
import {
  actions,
  favorites,
  items,
  locations,
  manufacturers,
  models,
  statuses,
} from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { invalid, notFound } from "../../input/errors.ts";
import { closed, line, nullable, paragraph, some } from "../../input/shape.ts";
import * as records from "../../store/records.ts";
import { lock, type Transaction, takeTurn, write } from "../../store/write.ts";
import { qrcode } from "./qrcode.ts";
import { attributeDocument } from "./search_document.ts";

const tables = {
  action: actions,
  manufacturer: manufacturers,
  model: models,
  location: locations,
  status: statuses,
};
/** Which column of items refers to a kind; items have no action. */
const uses = {
  manufacturer: items.manufacturer_id,
  model: items.model_id,
  location: items.location_id,
  status: items.status_id,
};

export type KindName = keyof typeof tables;

export interface Kind {
  name: KindName;
  /** As in the paths of the API and in the database. */
  plural: string;
  resource: records.Resource;
}

const NAME = line(100, "Use 1 to 100 characters on one line");
const DESCRIPTION = nullable(paragraph(10_000));

export const newAttribute = closed({ name: NAME, description: Type.Optional(DESCRIPTION) });
export const changedAttribute = some({ name: NAME, description: DESCRIPTION });
export const attribute = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  qrcode: Type.String({ description: "A PNG in base64 of CSE:<kind>:<name>" }),
});
export type Attribute = Static<typeof attribute>;
export type NewAttribute = Static<typeof newAttribute>;
export type ChangedAttribute = Static<typeof changedAttribute>;
export type UsedAttribute = Attribute & { items: number; favorite: boolean };

export const kinds: readonly Kind[] = [
  kind("action", "actions"),
  kind("manufacturer", "manufacturers"),
  kind("model", "models"),
  kind("location", "locations"),
  kind("status", "statuses"),
];

/** By its name in the singular or the plural, in any case: Status, statuses. */
export function kindNamed(text: string): Kind {
  const name = text.toLowerCase();
  const found = kinds.find((one) => one.name === name || one.plural === name);
  if (!found) throw notFound();
  return found;
}

export function list(_caller: Caller, of: Kind, params: URLSearchParams): Promise<records.Listed> {
  return records.list(of.resource, params);
}

/** The list as people see it: with the number of items that use each, and whether it is a favourite. */
export function listWithUse(
  caller: Caller,
  of: Kind,
  params: URLSearchParams,
): Promise<records.Listed> {
  const { id } = tables[of.name];
  const used =
    of.name === "action"
      ? sql`0`
      : sql`(select count(*) from ${items} where ${uses[of.name]} = ${id})`;
  const mine = sql`exists (
    select 1 from ${favorites} where ${favorites.user_id} = ${caller.id} and ${favorites[`${of.name}_id`]} = ${id})`;
  const fields: records.Resource["fields"] = {
    ...of.resource.fields,
    items: { kind: "integer", column: sql`${used}::int` },
    favorite: { kind: "boolean", column: mine },
  };
  return records.list({ ...of.resource, fields }, params);
}

export function find(_caller: Caller, of: Kind, id: number): Promise<records.Found> {
  return read(of, id);
}

export async function create(
  caller: Caller,
  of: Kind,
  input: NewAttribute,
): Promise<records.Found> {
  const picture = await pictureOf(of, input.name);
  return write(caller, async (tx) => {
    const [made] = await tx
      .insert(tables[of.name])
      .values({ ...input, qrcode: picture })
      .returning({ id: tables[of.name].id });
    return read(of, made?.id ?? 0, tx);
  });
}

export async function update(
  caller: Caller,
  which: { of: Kind; id: number },
  input: ChangedAttribute,
): Promise<records.Found> {
  const { of, id } = which;
  const picture = input.name === undefined ? {} : { qrcode: await pictureOf(of, input.name) };
  return write(caller, async (tx) => {
    const table = tables[of.name];
    // Two who swap two names would each hold a row and wait for the other's name.
    if (input.name !== undefined) await takeTurn(tx, `names of ${of.plural}`);
    await lock(tx, caller, { table, id });
    await tx
      .update(table)
      .set({ ...input, ...picture })
      .where(eq(table.id, id));
    return read(of, id, tx);
  });
}

/** Refused while items use it. */
export async function remove(caller: Caller, of: Kind, id: number): Promise<void> {
  const table = tables[of.name];
  try {
    await write(caller, async (tx) => {
      await lock(tx, caller, { table, id });
      await tx.delete(table).where(eq(table.id, id));
    });
  } catch (fault) {
    if (fault instanceof Refused && fault.code === FOREIGN_KEY) throw await inUse(of, id);
    throw fault;
  }
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

/** The actions that the scanner knows, in every database. */
export async function seedActions(): Promise<void> {
  const known = await database.rows<{ name: string }>(sql`select name from ${actions}`);
  const missing = ACTIONS.filter((name) => !known.some((one) => one.name === name));
  const action = kindNamed("action");
  const rows = await Promise.all(
    missing.map(async (name) => ({ name, qrcode: await pictureOf(action, name) })),
  );
  if (rows.length > 0) {
    await database.transaction((tx) => tx.insert(actions).values(rows).onConflictDoNothing());
  }
}

function kind(name: KindName, plural: string): Kind {
  const table = tables[name];
  const fields: records.Resource["fields"] = {
    id: { kind: "integer", column: sql`${table.id}` },
    name: { kind: "name", column: sql`${table.name}` },
    description: { kind: "text", column: sql`${table.description}` },
    qrcode: { kind: "text", column: sql`${table.qrcode}` },
  };
  const document = attributeDocument(plural);
  const resource = {
    from: sql`${table}`,
    id: sql`${table.id}`,
    version: sql`${table.version}`,
    fields,
    document,
  };
  return { name, plural, resource: { ...resource, order: sql`lower(${table.name})` } };
}

function read(of: Kind, id: number, tx?: Transaction): Promise<records.Found> {
  return records.find(of.resource, sql`${tables[of.name].id} = ${id}`, tx);
}

/** The code on the labels of an attribute. */
export function pictureOf(of: Kind, name: string): Promise<string> {
  return qrcode(`CSE:${of.name}:${name}`);
}

async function inUse(of: Kind, id: number): Promise<Error> {
  if (of.name === "action") return invalid("id", "This action is in use");
  const count = await database.row<{ uses: number }>(
    sql`select count(*)::int as uses from ${items} where ${uses[of.name]} = ${id}`,
  );
  const number = count?.uses ?? 0;
  return invalid("id", `This ${of.name} is in use by ${number} ${number === 1 ? "item" : "items"}`);
}
