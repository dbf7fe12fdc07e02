// The import of a resource that has no import of its own: each row makes the record that it names so.
import { Type } from "@sinclair/typebox";
import { type FieldError, type Refusal, refuse } from "../input/errors.ts";
import { closed, REQUIRED } from "../input/shape.ts";
import { nameOfHeading } from "../spreadsheet/table.ts";
import { inSavepoint } from "../store/savepoint.ts";
import { type Importer, type ImportRow, type ImportWork, importer, tryAll } from "./import.ts";
import { type MadeRecord, makeSoIn, type Settable, settableFields } from "./make_so.ts";
import { blankOf, listSeparators, partedIn, type RowColumns, readCells } from "./rows.ts";
import { alreadyInRow, type RowVerdict, refusedRow, withFurther } from "./verdicts.ts";

export interface RecordEntry {
  line: number;
  /** Undefined if the cell is blank or not valid. */
  name: string | undefined;
  /** What is to be set. */
  given: Record<string, unknown>;
  errors: FieldError[];
}

interface RecordRow extends RecordEntry {
  made?: MadeRecord;
}

/** With the name of the record, by the field that has it. */
export type RecordVerdict = RowVerdict & Record<string, unknown>;

/** The schema of a row. */
export function rowSchemaOf(of: Settable) {
  const { key } = of.resource;
  return Type.Partial(
    closed({ [key]: of.created.properties[key] ?? Type.String(), ...settableFields(of) }),
  );
}

export function recordImporter(of: Settable): Importer<RecordVerdict> {
  const { resource } = of;
  const { key, fields } = resource;
  const schema = rowSchemaOf(of);
  const columns = Object.keys(schema.properties);
  const labels = Object.entries(fields).map(([name, { label }]) => [nameOfHeading(label), name]);
  const cells: RowColumns = {
    schema,
    names: columns,
    kindOf: (name) => fields[name]?.kind,
    separators: listSeparators(fields),
    objects: columns.filter((name) => fields[name]?.kind === "value"),
    elementError: (field, element, message) => ({ field, message: `'${element}': ${message}` }),
  };
  return importer({
    kind: resource.plural,
    columns,
    ignored: ["id", ...Object.keys(fields)].filter((name) => !columns.includes(name)),
    headings: Object.fromEntries(labels),
    parted: partedIn(schema),
    readRow: (row) => readRow(cells, key, row),
    write: (work) => writeRows(of, work),
  });
}

function readRow(cells: RowColumns, key: string, row: ImportRow): RecordEntry {
  const { filled, blank, errors } = readCells(cells, row);
  const { [key]: name, ...given } = filled;
  const cleared = [...blank].flatMap((field) => {
    const schema = cells.schema.properties[field];
    const value = schema && blankOf(schema);
    return field === key || value === undefined ? [] : [[field, value] as const];
  });
  const isNamed = name !== undefined || errors.some(({ field }) => [key, "row"].includes(field));
  return {
    line: row.line,
    name: name === undefined ? undefined : String(name),
    given: { ...given, ...Object.fromEntries(cleared) },
    errors: isNamed ? errors : [...errors, { field: key, message: REQUIRED, code: "required" }],
  };
}

async function writeRows(of: Settable, work: ImportWork<RecordEntry>) {
  const { tx, caller } = work;
  const rows = ordered(of, refuseRepeats(of, work.entries));
  const write = async (row: RecordRow) => {
    row.made = await makeSoIn(tx, caller, of, { name: row.name ?? "", given: row.given });
  };
  await tryAll(work, rows, {
    isPlain: ({ errors }) => errors.length === 0,
    write,
    // A row that is refused anyway is tried for its other errors.
    tryAlone: async (row) => {
      const refusal = await inSavepoint(tx, caller, async () => {
        if (row.name !== undefined) await write(row);
        if (row.errors.length > 0) throw refuse(row.errors);
      });
      if (refusal) row.errors = withFurther(row.errors, errorsOf(of, refusal));
    },
  });
  const verdicts = rows
    .toSorted((one, other) => one.line - other.line)
    .map((row) => verdictOf(of, row));
  const probes = rows.flatMap(({ errors }) => errors.filter(({ taken }) => taken !== undefined));
  return { verdicts, assigned: verdicts, probes };
}

/** Of two rows for the same record, the second one is refused. */
function refuseRepeats({ resource: { key } }: Settable, entries: RecordEntry[]): RecordRow[] {
  const first = new Map<string, RecordEntry>();
  return entries.map((entry) => {
    const name = entry.name?.toLowerCase();
    const other = name === undefined ? undefined : first.get(name);
    if (name !== undefined && !other) first.set(name, entry);
    const repeated = other ? [alreadyInRow(key, entry.name ?? null, other)] : [];
    return { ...entry, errors: withFurther(entry.errors, repeated) };
  });
}

/** A row comes after those that make what it refers to. */
function ordered({ resource: { name: table, fields } }: Settable, rows: RecordRow[]): RecordRow[] {
  const toItself = Object.keys(fields).filter((name) => fields[name]?.shows === table);
  if (toItself.length === 0) return rows;
  // Of two rows for one record, the first one makes it.
  const byName = new Map(rows.toReversed().map((row) => [row.name?.toLowerCase(), row]));
  const referred = ({ given }: RecordRow) =>
    toItself
      .flatMap((field) => given[field] ?? [])
      .flatMap((name) => byName.get(String(name).toLowerCase()) ?? []);
  const done = new Set<RecordRow>();
  const begun = new Set<RecordRow>();
  // With a stack of its own: rows may lead through thousands of others.
  const waiting = rows.toReversed();
  for (let row = waiting.at(-1); row; row = waiting.at(-1)) {
    const before = begun.has(row) ? [] : referred(row).filter((one) => !begun.has(one));
    begun.add(row);
    if (before.length > 0) waiting.push(...before);
    else {
      waiting.pop();
      done.add(row);
    }
  }
  return [...done];
}

function errorsOf({ resource: { key } }: Settable, { errors, message }: Refusal): FieldError[] {
  if (errors.length === 0) return [{ field: key, message }];
  return errors.map((error) => ({ ...error, field: error.field.replace(/_id$/, "") }));
}

function verdictOf({ resource: { key } }: Settable, row: RecordRow): RecordVerdict {
  const { line, name = null, errors, made } = row;
  const named = { line, [key]: name };
  if (errors.length > 0 || !made) return refusedRow(named, errors);
  return { ...named, verdict: made.verdict, changes: made.changes, errors: [] };
}
