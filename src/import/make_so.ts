// Make it so: the record with this name is made, changed, or left as it is. PUT does it for one record, an import for the
// one on each line.
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../auth/auth.ts";
import { formatAddress, readAddress } from "../input/addresses.ts";
import { type FieldError, invalid, Refusal, refuse, stale } from "../input/errors.ts";
import { isMac, KIND_RULES } from "../input/kinds.ts";
import { closed, nullable, REFERS_TO, readInput } from "../input/shape.ts";
import { withArticle } from "../input/text.ts";
import * as crud from "../store/crud.ts";
import { condition } from "../store/filters.ts";
import * as records from "../store/records.ts";
import { type Resource, recordQuery } from "../store/resource.ts";
import { lock, partOf, type Transaction, write } from "../store/write.ts";
import { changesOfRow, type RowVerdict, type SeenValues } from "./verdicts.ts";

/** A resource whose records have names of their own, and the functions that write one. */
export interface Settable {
  resource: Resource;
  /** The bodies of POST and PATCH. */
  created: TObject;
  changed?: TObject | undefined;
  create: (caller: Caller, input: never) => Promise<records.RecordJson>;
  update?: ((caller: Caller, id: number, input: never) => Promise<records.RecordJson>) | undefined;
  /** What an existing record has of that which only a new one takes, if its fields do not show it. */
  shownOnce?: (tx: Transaction, id: number) => Promise<SeenValues>;
  /** What is never read back, so that nobody can tell whether it differs: it counts for a new record alone. */
  secrets?: readonly string[];
  /** The records among which a name is unique, if they are not all that the resource describes. */
  query?: (caller: Caller) => Pick<records.RecordQuery<SeenRow>, "visible">;
}

export interface MadeRecord extends Pick<RowVerdict, "changes"> {
  verdict: "new" | "change" | "same";
  record: records.RecordJson;
}

type GivenFields = Record<string, unknown>;

/** What may be set, besides the key: the fields of POST and PATCH, with the names of other records instead of their keys. */
export function settableFields({ resource, created, changed }: Settable): Record<string, TSchema> {
  const bodies = { ...created.properties, ...changed?.properties };
  const named = Object.entries(bodies).map(([name, schema]) => {
    const field = referenceOf(resource, name);
    return field ? [field, bodies[field] ?? nameInstead(resource, field, schema)] : [name, schema];
  });
  const { [resource.key]: _, ...others } = Object.fromEntries(named);
  return others;
}

/** The field that shows the record to which this key refers. */
function referenceOf({ fields }: Resource, name: string): string | undefined {
  const field = name.endsWith("_id") ? name.slice(0, -3) : "";
  return fields[field]?.refersTo && field;
}

function nameInstead({ fields }: Resource, field: string, key: TSchema): TSchema {
  const table = fields[field]?.refersTo?.table;
  const description = `Use the name of ${withArticle(field)}`;
  const name = Type.String({ maxLength: 1_000, description, [REFERS_TO]: table });
  return key.anyOf ? nullable(name) : name;
}

/** By PUT. A record that somebody else makes or deletes meanwhile is looked for again. */
export async function makeSo(
  of: Settable,
  caller: Caller,
  wanted: Wanted,
  tries = 3,
): Promise<MadeRecord> {
  try {
    return await write(caller, (tx) => makeSoIn(tx, caller, of, wanted));
  } catch (error) {
    if (tries === 0 || !(error instanceof Refusal)) throw error;
    const isTaken = error.errors.some(({ field }) => field === of.resource.key);
    const wasMade = isTaken && (await seen(undefined, caller, of, { name: readName(of, wanted) }));
    if (error.status !== 404 && !wasMade) throw error;
    return makeSo(of, caller, wanted, tries - 1);
  }
}

interface Wanted {
  name: string;
  given: GivenFields;
}

/** Part of a larger write. */
export async function makeSoIn(
  tx: Transaction,
  caller: Caller,
  of: Settable,
  wanted: Wanted,
): Promise<MadeRecord> {
  const { given } = wanted;
  const name = readName(of, wanted);
  const part = partOf(tx, caller);
  const before = await seen(tx, caller, of, { name });
  if (!before) return make(tx, part, of, { name, given });
  const { row } = before;
  const different = Object.entries(given).filter(
    ([field, value]) => !of.secrets?.includes(field) && !Bun.deepEquals(value, row[field]),
  );
  const changes = await changeable(tx, of, row, Object.fromEntries(different));
  if (Object.keys(changes).length === 0 || !of.update) {
    // Else the change looks at the version.
    if (caller.options?.if_match) await lock(tx, caller, { table: of.resource.table, id: row.id });
    return { verdict: "same", record: before, changes: [] };
  }
  const input = await withKeys(tx, caller, of, { body: of.changed, given: changes });
  const record = await of.update(part, row.id, input as never);
  const now = await seen(tx, caller, of, { id: row.id });
  const told = changesOfRow(Object.keys(changes), row, now?.row ?? {});
  return { verdict: told.length > 0 ? "change" : "same", record, changes: told };
}

async function make(
  tx: Transaction,
  caller: Caller,
  of: Settable,
  { name, given }: Wanted,
): Promise<MadeRecord> {
  const { key } = of.resource;
  if (caller.options?.if_match) throw stale();
  const input = await withKeys(tx, caller, of, { body: of.created, given });
  const record = await of.create(caller, readInput(of.created, { ...input, [key]: name }) as never);
  const { id } = JSON.parse(record.json);
  const { row = { id } as SeenRow } = (await seen(tx, caller, of, { id })) ?? {};
  if (!isSame(name, row[key])) throw invalid(key, `Use the whole name, ${row[key]}`);
  return { verdict: "new", record, changes: changesOfRow(Object.keys(given), undefined, row) };
}

type SeenRow = SeenValues & { id: number };

/** The record as the caller sees it. */
async function seen(
  tx: Transaction | undefined,
  caller: Caller,
  { resource, query: among }: Settable,
  which: { name: string } | { id: number },
): Promise<(records.RecordJson & { row: SeenRow }) | undefined> {
  const query = { ...recordQuery(resource, caller), ...among?.(caller) };
  const where =
    "id" in which ? sql`${query.id} = ${which.id}` : isNamed(query, resource, which.name);
  const found = await records
    .find<SeenRow>(query, sql`${where} and ${query.visible ?? sql`true`}`, tx)
    .catch((refusal) => {
      if (refusal instanceof Refusal && refusal.status === 404) return undefined;
      throw refusal;
    });
  return found && { ...found, row: records.rowOf<SeenRow>(found) };
}

function isNamed(
  { fields }: Pick<records.RecordQuery, "fields">,
  { key }: Resource,
  name: string,
): SQL {
  const field = fields[key];
  if (!field) throw new Error(`The query has no ${key}`);
  return condition(field, "", [name]).where;
}

/** A text that may be looked for; whether it may be a new name is for the body of a new record to say. */
function readName({ resource: { key, fields } }: Settable, { name }: Pick<Wanted, "name">): string {
  const { schema } = KIND_RULES[fields[key]?.kind ?? "text"];
  return String(readInput(closed({ [key]: schema }), { [key]: name })[key]);
}

/** Refuses what a record keeps from its beginning, unless it is the same. */
async function changeable(
  tx: Transaction,
  { resource, created, changed, shownOnce }: Settable,
  row: SeenRow,
  different: GivenFields,
): Promise<GivenFields> {
  const taken = { ...changed?.properties };
  const isTaken = (name: string) => name in taken || `${name}_id` in taken;
  const fixed = Object.keys(different).filter((name) => !isTaken(name));
  const once = fixed.length > 0 && shownOnce ? await shownOnce(tx, row.id) : {};
  const has = (name: string) => once[name] ?? row[name] ?? null;
  const errors = fixed.flatMap((field): FieldError[] => {
    const value = different[field] ?? null;
    if (isSame(value, has(field))) return [];
    const message =
      field in created.properties || `${field}_id` in created.properties
        ? `Only a new ${resource.noun} takes this; this one has ${has(field) ?? "none"}`
        : "Unknown field";
    return [{ field, message }];
  });
  if (errors.length > 0) throw refuse(errors);
  return Object.fromEntries(Object.entries(different).filter(([name]) => isTaken(name)));
}

/** In whatever case, and MAC addresses and IP addresses in whatever notation. */
function isSame(value: unknown, has: unknown): boolean {
  const plain = (one: unknown) => {
    const text = String(one).toLowerCase();
    const address = readAddress(text);
    if (address) return formatAddress(address);
    return isMac(text) ? text.replace(/[^0-9a-f]/g, "") : text;
  };
  return Bun.deepEquals(value, has) || (value !== null && plain(value) === plain(has));
}

/** With the keys of other records where the body takes no names of them. */
async function withKeys(
  tx: Transaction,
  caller: Caller,
  { resource }: Settable,
  { body, given }: { body: TObject | undefined; given: GivenFields },
): Promise<GivenFields> {
  const { properties = {} } = body ?? {};
  const byKey = Object.keys(given).filter(
    (name) => !(name in properties) && `${name}_id` in properties,
  );
  const references = byKey.flatMap((name): crud.NamedReference[] => {
    const field = resource.fields[name];
    return field ? [{ name, field, value: given[name] }] : [];
  });
  const keys = await crud.keysOf(tx, caller, references);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) =>
      byKey.includes(name) ? [`${name}_id`, keys[name] ?? null] : [name, value],
    ),
  );
}
