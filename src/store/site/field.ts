// The field `site` of a record: the values of the fields that the site has defined. Everything that knows fields learns of
// them here; what a definition says is read when somebody asks.
import { type TObject, type TOptional, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { invalid, refuse } from "../../input/errors.ts";
import {
  closed,
  fieldErrors,
  nullable,
  orNull,
  readPartsBy,
  SITE_PARTS,
} from "../../input/shape.ts";
import { isObject } from "../../input/text.ts";
import * as crud from "../crud.ts";
import type { Field, FieldContext } from "../field.ts";
import { columnOf, sourceOf } from "../field_parts.ts";
import { jsonObject, referenceSql } from "../reference.ts";
import { registered } from "../registry.ts";
import { jsonb, type Transaction } from "../write.ts";
import {
  type Definition,
  definitionsFor,
  definitionsIn,
  lockDefinitions,
  SITE_TABLES,
  type SiteRecord,
} from "./definitions.ts";
import { typeOf } from "./types.ts";

const MOST_VALUES = 100;

type SiteValues = Record<string, unknown>;

const column = (name: string) => name;

/** A value as forms and sheets have it; a blank one is none. */
export function valueInText(table: string, key: string, text: string): unknown {
  const definition = definitionsIn(table).find((one) => one.key === key);
  if (text.trim() === "") return null;
  return definition ? (typeOf(definition).fromText?.(text, definition) ?? text) : text;
}

readPartsBy((table, key, texts) => valueInText(table, key, texts.join("\n")));

type Site = Field<SiteValues, TOptional<TObject>, TObject>;

export function siteValues(record: SiteRecord): Site {
  const table = SITE_TABLES[record];
  const schema = Type.Object(
    {},
    {
      additionalProperties: true,
      maxProperties: MOST_VALUES,
      title: "Site fields",
      description: "Use an object with fields of the site by their keys",
      [SITE_PARTS]: table,
    },
  );
  const parts = (caller: Caller) => partsOf(definitionsFor(caller, table));
  return {
    label: "Site fields",
    kind: "value",
    schema: Type.Object({}, { additionalProperties: true, [SITE_PARTS]: table }),
    create: Type.Optional(schema),
    change: schema,
    column,
    parts,
    toColumn: (tx: Transaction, caller: Caller, value: unknown) =>
      storable(tx, caller, { table, value }),
    query: (at) => {
      const all = queriesOf(parts(at.caller), at);
      const values = Object.entries(all).map(
        ([name, one]) => [name.slice(at.name.length + 1), one.recordValue ?? one.column] as const,
      );
      const recordValue =
        values.length > 0 ? jsonObject(Object.fromEntries(values)) : sql`'{}'::json`;
      return {
        [at.name]: { kind: "value", column: columnOf(at.table, at.name), recordValue },
        ...Object.fromEntries(
          Object.entries(all).map(([name, one]) => [name, { ...one, hidden: true }]),
        ),
      };
    },
    join: (at) => {
      const each = Object.entries(parts(at.caller)).map(
        ([name, part]) => part.join?.({ ...at, name }) ?? sql``,
      );
      return sql.join(each, sql` `);
    },
    sources: (at) =>
      Object.entries(parts(at.caller)).flatMap(([name, part]) => part.sources({ ...at, name })),
  };
}

/** What the caller knows of, by the keys: as it is in bodies and in records. */
export function siteSchemas(caller: Caller, table: string): Record<string, TSchema> {
  const all = Object.entries(partsOf(definitionsFor(caller, table)));
  return Object.fromEntries(
    all.flatMap(([name, { schema }]) => (schema ? [[name.slice("site.".length), schema]] : [])),
  );
}

function queriesOf(parts: Record<string, Field>, at: FieldContext) {
  return Object.assign(
    {},
    ...Object.entries(parts).map(([name, part]) => part.query({ ...at, name })),
  ) as ReturnType<Field["query"]>;
}

function partsOf(definitions: readonly Definition[]): Record<string, Field> {
  return Object.fromEntries(definitions.map((one) => [`site.${one.key}`, partOf(one)]));
}

const parts = new WeakMap<Definition, Field>();

function partOf(definition: Definition): Field {
  const made = parts.get(definition) ?? makePart(definition);
  parts.set(definition, made);
  return made;
}

function makePart(definition: Definition): Field {
  const { label, unit, key: called, references } = definition;
  const { kind, schema: schemaOf, value } = typeOf(definition);
  const title = unit ? `${label} (${unit})` : label;
  const schema = orNull({ ...schemaOf(definition), title });
  // As the index of the field has it; keys are a-z, 0-9 and _.
  const key = sql.raw(`'${called}'`);
  const group = definition.group === null ? {} : { group: definition.group };
  const field = { ...group, label: title, kind, schema, create: schema, change: schema };
  const siteOf = ({ table }: FieldContext) => columnOf(table, "site");
  if (!references) {
    return {
      ...field,
      query: (at) => ({
        [at.name]: {
          kind,
          column: value(siteOf(at), key),
          recordValue: sql`${siteOf(at)} -> ${key}`,
        },
      }),
      sources: ({ name, id, table }) => {
        const site = columnOf(table, "site");
        const own = value(site, key);
        if (kind !== "list" && kind !== "text") {
          return sourceOf(kind, name, { id, from: sql`${table} where true` }, own);
        }
        const indexed = {
          from: sql`${table} where ${site} <> '{}'`,
          words: { vector: sql`site_words(${site})`, before: `${called}=` },
          within: sql`(site_text(${site}) collate names)`,
        };
        const text = kind === "list" ? sql`array_to_string(${own}, ' ')` : own;
        return sourceOf("text", name, { id, ...indexed }, text);
      },
    };
  }
  const to = SITE_TABLES[references];
  const alias = sql.identifier(`site_${called}`);
  const others = ({ caller }: FieldContext) => sql`(
    select ${sql.identifier(to)}.id, ${sql.identifier(nameColumnOf(to))} as name from ${sql.identifier(to)}
    where ${registered(to)?.visible?.(caller) ?? sql`true`}) ${alias}`;
  const keyOf = (at: FieldContext) => value(siteOf(at), key);
  return {
    ...field,
    kind: "name",
    shows: to,
    query: (at) => ({
      [at.name]: referenceSql({
        kind: "name",
        key: keyOf(at),
        table: others(at),
        id: sql`${alias}.id`,
        name: sql`${alias}.name`,
      }),
    }),
    join: (at) => sql`left join ${others(at)} on ${alias}.id = ${keyOf(at)}`,
    sources: (at) => {
      const from = sql`${at.table} join ${others(at)} on ${alias}.id = ${keyOf(at)} where true`;
      const column = `${to}.${nameColumnOf(to)}`;
      return sourceOf("name", at.name, { id: at.id, from, column }, sql`${alias}.name`);
    },
  };
}

export function nameColumnOf(table: string): string {
  return { items: "ics_id", networks: "vlan_name" }[table] ?? "name";
}

/** What a body gives, for the trigger that merges it into the other values: keys of other records instead of their names. */
async function storable(
  tx: Transaction,
  caller: Caller,
  { table, value }: { table: string; value: unknown },
): Promise<SQL> {
  if (!isObject(value)) throw invalid("site", "Use an object");
  const definitions = await lockDefinitions(tx, caller, table);
  const known = definitions.filter(({ key }) => key in value);
  const schemas = known.map((one) => [one.key, nullable(typeOf(one).schema(one))] as const);
  // Not compiled: that takes longer than a hundred checks.
  const errors = fieldErrors(Value.Errors(closed(Object.fromEntries(schemas)), value));
  if (errors.length > 0) {
    throw refuse(errors.map((one) => ({ ...one, field: `site.${one.field}` })));
  }
  const references = known.flatMap(({ key, references: to }): crud.NamedReference[] => {
    if (!to) return [];
    const refersTo = {
      table: SITE_TABLES[to],
      name: nameColumnOf(SITE_TABLES[to]),
      isHidden: false,
    };
    const name = `site.${key}`;
    return [{ name, field: { refersTo } as Field, value: value[key] }];
  });
  const keys = await crud.keysOf(tx, caller, references);
  const named = references.map(({ name }) => [name.slice("site.".length), keys[name] ?? null]);
  // Blank texts and empty lists are no values.
  const given = Object.entries({ ...value, ...Object.fromEntries(named) }).map(
    ([key, one]) =>
      [key, one === "" || (Array.isArray(one) && one.length === 0) ? null : one] as const,
  );
  return jsonb({ "": Object.fromEntries(given) });
}
