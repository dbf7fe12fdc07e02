// The choices of the item form, and the checks of what is chosen.

import { and, eq, type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { hosts } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import { notFound, refuse } from "../../input/errors.ts";
import { composed, literal, textError } from "../../input/text.ts";
import type { Choices } from "../../store/choices.ts";
import type { Read } from "../../store/read.ts";
import { unknownRecord } from "../../store/unknown_name.ts";
import type { Transaction } from "../../store/write.ts";
import { ITEM_KINDS, type ItemKind, kindOf } from "../attributes/attribute.ts";
import { idCondition } from "./items.ts";
import { isProbablySame, type SerialOfItem } from "./same_serials.ts";

/** The first names of each kind; any other name can be typed. */
export type ItemChoices = Record<ItemKind, string[]>;

const MOST_CHOICES = 100;
/** Of what is suggested while it is typed, on pages that are opened often. */
const FEW_CHOICES = 20;
/** A filter by status is a select. */
export const MOST_STATUSES = 50;

const ALL = choiceOf({
  manufacturer: MOST_CHOICES,
  model: MOST_CHOICES,
  location: MOST_CHOICES,
  status: MOST_CHOICES,
});
const OF_FILTERS = choiceOf({
  manufacturer: FEW_CHOICES,
  model: FEW_CHOICES,
  location: FEW_CHOICES,
  status: MOST_STATUSES,
});
const OF_PLACE = choiceOf({ location: FEW_CHOICES, status: FEW_CHOICES });

/** The choices of the form of an item. */
export function choices(_caller: Caller): Promise<ItemChoices> {
  return read(ALL);
}

/** The choices of the filters of the list. */
export const filterChoices: Choices<ItemChoices> = {
  json: () => sql`(select row_to_json(one) from (${OF_FILTERS}) one)`,
};

export type PlaceChoices = Pick<ItemChoices, "location" | "status">;

/** The choices where an item is changed in place. */
export async function placeChoices(ask: Read): Promise<PlaceChoices> {
  const [found] = await ask<PlaceChoices>(OF_PLACE);
  return found ?? { location: [], status: [] };
}

async function read<Choices extends Partial<ItemChoices>>(statement: SQL): Promise<Choices> {
  return (await database.row<Choices>(statement)) ?? ({} as Choices);
}

/** A statement that selects so many names of each kind. */
function choiceOf(most: Partial<Record<ItemKind, number>>): SQL {
  const each = ITEM_KINDS.flatMap((kind) => {
    const limit = sql.raw(String(most[kind] ?? 0));
    const names = sql`select name from ${tableOf(kind)} order by lower(name) limit ${limit}`;
    return most[kind] ? sql`array(${names}) as ${sql.identifier(kind)}` : [];
  });
  return sql`select ${sql.join(each, sql`, `)}`;
}

function tableOf(kind: ItemKind): SQL {
  return sql`${sql.identifier(kindOf(kind).plural)}`;
}

/** The kinds whose name no attribute has. */
export async function missing(names: Partial<Record<ItemKind, string>>): Promise<ItemKind[]> {
  const given = ITEM_KINDS.filter((kind) => names[kind] && !textError(names[kind]));
  if (given.length === 0) return [];
  const each = given.map(
    (kind) => sql`
      select ${kind}::text as kind where not exists (
        select from ${tableOf(kind)} where lower(name) = lower(${names[kind]}::text collate names))`,
  );
  const rows = await database.rows<{ kind: ItemKind }>(sql.join(each, sql` union all `));
  return rows.map(({ kind }) => kind);
}

export interface SerialDuplicate {
  ics_id: string;
  model: string | null;
  location: string | null;
}

const MOST_DUPLICATES = 5;
const MOST_ALIKE = 100;

/** Other items that are probably the same one. */
export async function duplicateSerials(
  { serial_number = "", manufacturer }: { serial_number?: string; manufacturer?: string | null },
  except = "",
  ask: Read = database.rows,
): Promise<SerialDuplicate[]> {
  const text = composed(serial_number.trim());
  const maker = composed(manufacturer?.trim() ?? "");
  if (text === "" || textError(text) || textError(maker)) return [];
  const found = await ask<SerialDuplicate & SerialOfItem & { wanted: number | null }>(sql`
    select items.ics_id, models.name as model, locations.name as location, serial_number, manufacturer_id,
      (select id from manufacturers where lower(name) = lower(${maker}::text collate names)) as wanted
    from items left join models on models.id = items.model_id left join locations on locations.id = items.location_id
    where items.serial_number = ${text} and items.ics_id <> ${except} order by items.id limit ${MOST_ALIKE}`);
  return found
    .filter((one) => isProbablySame(one, { serial_number: text, manufacturer_id: one.wanted }))
    .slice(0, MOST_DUPLICATES);
}

const MOST_HOSTS = 20;

/** Visible hosts whose name contains the text, those that begin with it first. */
export async function hostNames(caller: Caller, text: string): Promise<Array<{ name: string }>> {
  const part = text.trim().toLowerCase();
  if (textError(part)) return [];
  const isBeginning = sql`name like ${`${literal(part)}%`}`;
  return database.rows<{ name: string }>(sql`
    select name from hosts
    where name like ${`%${literal(part)}%`} and ${mayKnowHost(caller, sql`hosts.id`)}
    order by ${isBeginning} desc, name limit ${MOST_HOSTS}`);
}

/** The key of a visible host. */
export async function keyOfHost(tx: Transaction, caller: Caller, name: string): Promise<number> {
  const [found] = await tx
    .select({ id: hosts.id })
    .from(hosts)
    .where(and(eq(hosts.name, name.toLowerCase()), mayKnowHost(caller, sql`hosts.id`)));
  if (!found) {
    throw refuse([await unknownRecord(tx, caller, { field: "host", name, table: "hosts" })]);
  }
  return found.id;
}

export interface StackMembers {
  /** The free ones, and that of the item. */
  stack_members: number[];
  selected_member: number | null;
  /** Only a network device has stack members. */
  disabled: boolean;
}

/** The host is given by key or name. */
export async function stackMembers(
  caller: Caller,
  host: { id: number } | { name: string },
  item = "",
): Promise<StackMembers> {
  const wanted = "id" in host ? sql`hosts.id = ${host.id}` : sql`hosts.name = ${host.name}`;
  const own = item === "" ? sql`false` : idCondition(item);
  // In SQL: one answer with lists in it, which PostgreSQL builds as JSON.
  const found = await database.row<{ json: string }>(sql`
    select row_to_json(answer)::text as json from (
      select
        array(
          select place from generate_series(0, 9) place
          where device_types.name = 'Network' and not exists (
            select from items where host_id = hosts.id and stack_member = place and not (${own}))
          order by place
        ) as stack_members,
        (select stack_member from items where host_id = hosts.id and ${own}) as selected_member,
        device_types.name <> 'Network' as disabled
      from hosts join device_types on device_types.id = hosts.device_type_id
      where ${wanted} and ${mayKnowHost(caller, sql`hosts.id`)}
    ) answer`);
  if (!found) throw notFound();
  return JSON.parse(found.json);
}
