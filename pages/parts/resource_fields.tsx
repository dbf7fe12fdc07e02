// Lists, records and forms that show whatever a resource has: a page draws some fields in its own way, and every other
// field appears by itself.
import type { TSchema } from "@sinclair/typebox";
import type { ComponentChildren } from "preact";
import { KIND_RULES } from "../../src/input/kinds.ts";
import { type Field as FieldOf, REFERS_TO } from "../../src/store/fields.ts";
import type { Resource } from "../../src/store/resource.ts";
import { Fact } from "./facts.tsx";
import { Check, Field, type Filled, idOf } from "./forms.tsx";
import type { Column } from "./list_columns.tsx";
import { Prose } from "./prose.tsx";
import { Suggestions, suggesting } from "./typeahead.tsx";

/** A column that a page draws in its own way; what it does not say is as the resource describes it. */
type OwnColumn<Row> = Omit<Column<Row>, "label"> & { label?: string };

/**
 * The columns of a list: those that the page draws, then all further fields, shown to those who choose them; but
 * for fields that the page shows within another column.
 */
export function columnsOf<Row extends object>(
  { fields }: Resource,
  own: OwnColumn<Row>[],
  within: ReadonlyArray<string & keyof Row> = [],
): Column<Row>[] {
  const drawn = own.map((column) => ({
    label: fields[column.name]?.label ?? column.name,
    ...column,
  }));
  const known = [...own.map(({ name }) => name), ...within] as string[];
  const further = shownFields(fields, known).map(
    ([name, field]): Column<Row> => ({
      name,
      label: field.label,
      sortable: isSortable(field),
      rare: true,
      ...(CLASSES[field.kind] && { class: CLASSES[field.kind] }),
      cell: (row) => inText(valueIn(row, name)),
    }),
  );
  return [...drawn, ...further];
}

const CLASSES: Partial<Record<FieldOf["kind"], string>> = {
  integer: "number",
  ip: "mono",
  block: "mono",
  mac: "mono",
  time: "time",
};

function isSortable({ kind, schema }: FieldOf): boolean {
  return KIND_RULES[kind].lookups.length > 0 && schema?.type !== "array";
}

function shownFields(fields: Resource["fields"], known: readonly string[]) {
  return Object.entries(fields).filter(([name, { schema }]) => schema && !known.includes(name));
}

function valueIn(row: object, name: string): unknown {
  return (row as Record<string, unknown>)[name];
}

function inText(value: unknown): string | null {
  if (value == null || value === "") return null;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : null;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

interface FactsProps<Row> {
  of: Resource;
  row: Row;
  /** What the page draws in its own way, by the names of fields. */
  own?: Partial<Record<string & keyof Row, ComponentChildren>>;
  /** What the page shows elsewhere. */
  elsewhere?: ReadonlyArray<string & keyof Row>;
}

/** The fields of a record as lines of a dl.facts, in the order of the resource, the stamps apart. */
export function Facts<Row extends object>({ of, row, own = {}, elsewhere = [] }: FactsProps<Row>) {
  const drawn = own as Record<string, ComponentChildren>;
  return (
    <>
      {shownFields(of.fields, [...elsewhere, ...STAMPS]).map(([name, field]) => (
        <Fact label={field.label}>
          {name in drawn ? drawn[name] : inFact(field, inText(valueIn(row, name)))}
        </Fact>
      ))}
    </>
  );
}

const STAMPS = ["user", "created_at", "updated_at"];

function inFact({ kind }: FieldOf, value: string | null): ComponentChildren {
  if (value === null) return null;
  if (kind === "text") return <Prose text={value} />;
  return CLASSES[kind] === "mono" ? <span class="mono">{value}</span> : value;
}

/** The fields of a form that the page has not placed, in the order of its shape. */
export function OtherFields({ filled, placed }: { filled: Filled; placed: readonly string[] }) {
  return (
    <>
      {Object.entries(filled.shape.properties)
        .filter(([name]) => !placed.includes(name))
        .map(([name, schema]) => (
          <Input filled={filled} name={name} schema={schema} />
        ))}
    </>
  );
}

/** What is longer is written on several lines. */
const LONGEST_LINE = 255;

function Input({ filled, name, schema }: { filled: Filled; name: string; schema: TSchema }) {
  const kinds: TSchema[] = schema.anyOf ?? [schema];
  const { title: label = name, [REFERS_TO]: table } = schema;
  if (kinds.some(({ type }) => type === "boolean")) {
    return <Check filled={filled} name={name} label={label} />;
  }
  if (table) {
    const id = idOf(name);
    const more = suggesting({ id, suggest: `/_names/${table}` });
    return (
      <Field filled={filled} name={name} more={more}>
        <Suggestions id={id} names={[]} />
      </Field>
    );
  }
  const longest = kinds.find(({ type }) => type === "string")?.maxLength ?? LONGEST_LINE;
  const isLong = longest > LONGEST_LINE || kinds.some(({ type }) => type === "array");
  return <Field filled={filled} name={name} {...(isLong && { rows: 2 })} />;
}
