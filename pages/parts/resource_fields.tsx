// Lists, facts and forms that show every field of a resource: a page renders some fields itself, all others are added
// here.
import type { TSchema } from "@sinclair/typebox";
import type { ComponentChildren } from "preact";
import { eventLabel } from "../../src/history/words.ts";
import { KIND_RULES } from "../../src/input/kinds.ts";
import { REFERS_TO, SITE_PARTS } from "../../src/input/shape.ts";
import type { Field as FieldOf } from "../../src/store/fields.ts";
import { partsFor, type Resource } from "../../src/store/resource.ts";
import {
  definitionsFor,
  mayEditField,
  SITE_FIELD,
  withParts,
} from "../../src/store/site/definitions.ts";
import { siteSchemas } from "../../src/store/site/field.ts";
import { LINK } from "../../src/store/site/types.ts";
import { colourOfName, Pill } from "../lists/pill.tsx";
import { RecordLink, RecordLinks, recordPath } from "../records/links.tsx";
import { Day, isDay, Time } from "../records/time.tsx";
import { useFrame } from "../request/frame.ts";
import { Fact } from "./facts.tsx";
import { CheckBox, Field, type Filled, idOf, nameInWords } from "./forms.tsx";
import type { Column } from "./list_columns.tsx";
import { ListField } from "./list_field.tsx";
import { Prose } from "./prose.tsx";
import { Select } from "./select.tsx";
import { Suggestions, suggesting } from "./typeahead.tsx";

/** A column that a page places itself. Without a label or a cell it has those of the field. */
type OwnColumn<Row> = Omit<Column<Row>, "label" | "cell"> & Partial<Column<Row>>;

/**
 * The columns of a list: those that the page renders, then all other fields, hidden until they are chosen. `within`
 * names fields without a column: another column shows them, or the list does not read them.
 */
export function columnsOf<Row extends object, Record extends object = Row>(
  { fields }: Resource,
  own: OwnColumn<Row>[],
  within: ReadonlyArray<string & keyof Record> = [],
): Column<Row>[] {
  const drawn = own.map((column) => {
    const field = fields[column.name];
    const cell = (row: Row) => field && shownIn(field, fieldValue(row, column.name));
    return { label: field?.label ?? column.name, cell, ...column };
  });
  const known = [...own.map(({ name }) => name), ...within];
  const further = shownFields(fields, known).map(
    ([name, field]): Column<Row> => ({
      name,
      label: field.label,
      sortable: isSortable(field),
      rare: true,
      ...(CLASSES[field.kind] && { class: CLASSES[field.kind] }),
      cell: (row) => shownIn(field, fieldValue(row, name)),
    }),
  );
  return [...drawn, ...further];
}

const CLASSES: Partial<Record<FieldOf["kind"], string>> = {
  integer: "number",
  number: "number",
  code: "mono",
  ip: "mono",
  block: "mono",
  mac: "mono",
  time: "time",
};

/** The fields that a list reads: those that its page renders, and those chosen as columns. */
export function fieldsToRead<Name extends string>(
  own: readonly Name[],
  columns: ReadonlyArray<Pick<Column<never>, "name" | "rare">>,
  params: URLSearchParams,
): Name[] {
  const names: readonly string[] = own;
  const chosen = params.getAll("cols");
  const further = columns.filter(
    ({ name, rare }) => rare && chosen.includes(name) && !names.includes(name),
  );
  // Those that the caller does not know of are not read.
  const ofSite = chosen.filter((name) => name.startsWith(`${SITE_FIELD}.`));
  return [...own, ...[...further.map(({ name }) => name), ...ofSite].map((name) => name as Name)];
}

function isSortable({ kind, schema }: FieldOf): boolean {
  return KIND_RULES[kind].lookups.length > 0 && schema?.type !== "array";
}

function shownFields(fields: Resource["fields"], known: readonly string[]) {
  // Fields within a field are shown by themselves.
  return Object.entries(fields).filter(
    ([name, { schema, parts }]) => schema && !parts && !known.includes(name),
  );
}

/** Of a field within another, also from the record that has the other one. */
export function fieldValue(row: object, name: string): unknown {
  return (name in row ? (row as Record<string, unknown>) : withParts(row))[name];
}

function partsOf(resource: Resource): Array<[string, FieldOf]> {
  const { caller } = useFrame();
  return caller ? Object.entries(partsFor(resource, caller)) : [];
}

/** The columns of the fields that the site has defined, hidden until they are chosen. */
export function siteColumns<Row extends object>(resource: Resource): Column<Row>[] {
  return partsOf(resource).map(([name, field]) => ({
    name,
    label: field.label,
    sortable: isSortable(field),
    rare: true,
    ...(CLASSES[field.kind] && { class: CLASSES[field.kind] }),
    cell: (row) => shownIn(field, fieldValue(row, name)),
  }));
}

/** The value of a field; the names of records lead to their pages. */
function shownIn({ kind, shows, schema }: FieldOf, value: unknown): ComponentChildren {
  if (labelsOf(schema)) return shownText({ schema }, value);
  if (schema?.pattern === LINK && typeof value === "string") {
    return (
      <a href={value} rel="noreferrer">
        {value}
      </a>
    );
  }
  if (kind === "time" && typeof value === "string") return <Time at={value} />;
  // A field of another type may have left other texts.
  if (kind === "date" && isDay(value)) return <Day at={value} />;
  if (shows && typeof value === "string" && value !== "" && recordPath(shows, value)) {
    return <RecordLink table={shows} name={value} />;
  }
  if (shows && Array.isArray(value) && value.length > 0) {
    return <RecordLinks table={shows} names={value} />;
  }
  if (kind === "tags" && Array.isArray(value) && value.length > 0) return <Tags names={value} />;
  return inText(value);
}

/** What people read instead of the choices of a field. */
export function labelsOf(schema: TSchema | undefined): Map<unknown, string> | undefined {
  const kinds: TSchema[] = schema?.items?.anyOf ?? schema?.anyOf ?? [];
  const words = kinds.filter((one) => one.const !== undefined && one.title);
  return words.length > 0 ? new Map(words.map((one) => [one.const, String(one.title)])) : undefined;
}

/** The value in words, for what is printed. */
export function shownText({ schema }: Pick<FieldOf, "schema">, value: unknown): string | null {
  const labels = labelsOf(schema);
  return inText(
    labels && value != null ? [value].flat().map((one) => labels.get(one) ?? one) : value,
  );
}

/** The same tag has the same colour everywhere. */
function Tags({ names }: { names: string[] }) {
  return (
    <>
      {names.map((name, at) => (
        <>
          {at > 0 && " "}
          <Pill colour={colourOfName(name) ?? "grey"}>{name}</Pill>
        </>
      ))}
    </>
  );
}

function inText(value: unknown): string | null {
  if (value == null || value === "") return null;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : null;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

interface FactsProps<Row, Whole> {
  of: Resource;
  row: Row;
  /** What the page renders itself, by field name. */
  own?: Partial<Record<string & keyof Row, ComponentChildren>>;
  /** Fields that the page shows elsewhere, or does not read. */
  elsewhere?: ReadonlyArray<string & keyof Whole>;
  children?: ComponentChildren;
}

/**
 * The fields of a record as lines of a dl.facts, in the order of the resource, without the stamps. Further lines follow,
 * and then the groups of the fields of the site.
 */
export function Facts<Row extends object, Whole extends object = Row>({
  of,
  row,
  own = {},
  elsewhere = [],
  children,
}: FactsProps<Row, Whole>) {
  const drawn = own as Record<string, ComponentChildren>;
  const filled = partsOf(of).filter(([name]) => fieldValue(row, name) != null);
  const groups = Map.groupBy(filled, ([, { group }]) => group);
  return (
    <>
      {shownFields(of.fields, [...elsewhere, ...STAMPS]).map(([name, field]) => (
        <Fact label={field.label}>
          {name in drawn ? drawn[name] : inFact(field, fieldValue(row, name))}
        </Fact>
      ))}
      <PartFacts of={groups.get(undefined) ?? []} row={row} />
      {children}
      {[...groups].map(
        ([group, fields]) =>
          group !== undefined && (
            <>
              <dt class="group">{group}</dt>
              <PartFacts of={fields} row={row} />
            </>
          ),
      )}
    </>
  );
}

function PartFacts({ of, row }: { of: Array<[string, FieldOf]>; row: object }) {
  return of.map(([name, field]) => (
    <Fact label={field.label}>{inFact(field, fieldValue(row, name))}</Fact>
  ));
}

const STAMPS = ["user", "created_at", "updated_at"];

function inFact(field: FieldOf, value: unknown): ComponentChildren {
  const { kind, shows } = field;
  const shown = shownIn(field, value);
  if (shown === null) return null;
  if (kind === "text" && !shows) return <Prose text={String(shown)} />;
  return CLASSES[kind] === "mono" ? <span class="mono">{shown}</span> : shown;
}

export function labelIn(resource: Resource, name: string): string {
  return eventLabel(resource.name, name);
}

/** Labels as used within a sentence: variables, IOC. */
export function fieldNames(resource: Resource, names: readonly string[]): string[] {
  const labels = names.map((name) => labelIn(resource, name));
  return labels.map((label) => label.replace(/^[A-Z](?=[a-z ])/, lowered));
}

function lowered(letter: string): string {
  return letter.toLowerCase();
}

interface OtherFieldsProps {
  filled: Filled;
  /** The fields that the page places itself. */
  placed: readonly string[];
  /** Distinguishes the fields of two forms on one page. */
  form?: string;
  /** The option of a choice for no value. */
  blank?: string;
  /** They are all fields of the form. */
  autofocus?: boolean;
  /** Shown below the input of a field. */
  below?: (name: string) => ComponentChildren;
}

/** The fields of a form that the page has not placed, in the order of its shape. */
export function OtherFields(props: OtherFieldsProps) {
  const { filled, placed, form, blank, autofocus, below } = props;
  return (
    <>
      {Object.entries(filled.shape.properties)
        .filter(([name, schema]) => !placed.includes(name) && !schema[SITE_PARTS])
        .map(([name, schema], at) => (
          <ResourceInput
            filled={filled}
            name={name}
            schema={schema}
            form={form}
            blank={blank}
            autofocus={autofocus && at === 0}
          >
            {below?.(name)}
          </ResourceInput>
        ))}
      <SiteInputs {...props} />
    </>
  );
}

/** The fields that the site has defined and the caller may edit, by their groups. */
function SiteInputs({ filled, placed, form, blank, below }: OtherFieldsProps) {
  const { caller } = useFrame();
  const tables = Object.entries(filled.shape.properties).flatMap(([name, schema]) =>
    schema[SITE_PARTS] && !placed.includes(name) ? [String(schema[SITE_PARTS])] : [],
  );
  if (!caller) return null;
  return tables.flatMap((table) => {
    const schemas = siteSchemas(caller, table);
    const editable = definitionsFor(caller, table).filter((one) => mayEditField(caller, one));
    return [...Map.groupBy(editable, ({ group }) => group ?? "")].map(([group, definitions]) => {
      const inputs = definitions.flatMap((one) => {
        const schema = schemas[one.key];
        if (!schema) return [];
        const name = `${SITE_FIELD}.${one.key}`;
        const models = one.models.length > 0 ? `Only of ${one.models.join(", ")}` : undefined;
        return (
          <ResourceInput
            filled={
              blank
                ? filled
                : { ...filled, values: { [name]: one.default ?? undefined, ...filled.values } }
            }
            name={name}
            schema={schema}
            hint={one.help ?? models}
            form={form}
            blank={blank}
          >
            {below?.(name)}
          </ResourceInput>
        );
      });
      if (group === "") return <>{inputs}</>;
      return (
        <fieldset class="part">
          <legend>{group}</legend>
          {inputs}
        </fieldset>
      );
    });
  });
}

/** Longer texts get a field with several lines. */
const LONGEST_LINE = 255;

interface ResourceInputProps {
  filled: Filled;
  name: string;
  schema: TSchema;
  form?: string | undefined;
  blank?: string | undefined;
  hint?: string | undefined;
  autofocus?: boolean | undefined;
  /** Shown below the input. */
  children: ComponentChildren;
}

function ResourceInput({ schema, blank = "Not set", children, ...field }: ResourceInputProps) {
  const { filled, name, form } = field;
  const kinds: TSchema[] = schema.anyOf ?? [schema];
  const options = optionsOf(kinds, blank);
  if (options) {
    return (
      <Select {...field} options={options}>
        {children}
      </Select>
    );
  }
  const { title: label = name, [REFERS_TO]: table } = schema;
  if (kinds.some(({ type }) => type === "boolean")) {
    return <CheckBox filled={filled} name={name} label={label} form={form} />;
  }
  if (table) {
    const id = idOf(name, form);
    const more = suggesting({ id, suggest: `/_names/${table}` });
    return (
      <Field {...field} more={more}>
        <Suggestions id={id} names={[]} />
        {children}
      </Field>
    );
  }
  if (name === "tags") {
    const values = (filled.values[name] ?? "").split("\n").filter((one) => one !== "");
    return (
      <>
        <ListField
          filled={filled}
          name={name}
          form={form}
          values={values}
          noun="tag"
          names={[]}
          suggest="/_names/tags"
        />
        {children}
      </>
    );
  }
  if (kinds.some(({ format }) => format === "day")) {
    return (
      <Field {...field} type="date">
        {children}
      </Field>
    );
  }
  const longest = kinds.find(({ type }) => type === "string")?.maxLength ?? LONGEST_LINE;
  const isLong = longest > LONGEST_LINE || kinds.some(({ type }) => type === "array");
  return (
    <Field {...field} {...(isLong && { rows: 2 })}>
      {children}
    </Field>
  );
}

/** The options of a choice of few words, or of yes, no and nothing. */
function optionsOf(kinds: TSchema[], blank: string) {
  const first = kinds.some(({ type }) => type === "null") ? [{ value: "", label: blank }] : [];
  const words = kinds.flatMap((one) => (typeof one.const === "string" ? [one.const] : []));
  if (words.length > 0) {
    const titles = new Map(kinds.map((one) => [one.const, one.title]));
    return [
      ...first,
      ...words.map((value) => ({ value, label: titles.get(value) ?? nameInWords(value) })),
    ];
  }
  if (first.length === 0 || !kinds.some(({ type }) => type === "boolean")) return undefined;
  return [...first, { value: "true", label: "Yes" }, { value: "false", label: "No" }];
}
