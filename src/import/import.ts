// Creates and changes many records at once, from a sheet or from a program: a loop over the functions that write one record,
// with a savepoint for each, in one change set, so that one undo reverts it. A preview is the same loop in a dry run. What
// is special to a kind of records is in its area: inventory/import/ and network/import/.
import { QueryRejected } from "../../db/errors.ts";
import { asDryRun, type Caller, writeOptionsOf } from "../auth/auth.ts";
import { countProbes, refuseProbing } from "../auth/probing.ts";
import { type FieldError, invalid, Refusal, refuse } from "../input/errors.ts";
import { MOST_ROWS } from "../input/limits.ts";
import { isObject } from "../input/text.ts";
import { mapInSlices } from "../input/time_slices.ts";
import { nameOfHeading } from "../spreadsheet/table.ts";
import { tooManyRows } from "../spreadsheet/tally.ts";
import { analyzeChanged } from "../store/many_rows.ts";
import { inSavepoint } from "../store/savepoint.ts";
import { definitionsFor } from "../store/site/definitions.ts";
import { valueInText } from "../store/site/field.ts";
import { typeOf } from "../store/site/types.ts";
import { changeSetOf, type Transaction, writeMany } from "../store/write.ts";
import {
  type ApplyMode,
  applicable,
  fingerprintOf,
  NotApplied,
  type RowVerdict,
  requireApplicable,
} from "./verdicts.ts";

export interface ImportRow {
  line: number;
  /** By the names of the columns: texts from a sheet, or JSON values. */
  fields: Record<string, unknown>;
  /** Errors found before, such as a line that is not JSON. */
  errors?: FieldError[];
}

interface ImportColumns {
  /** Names the kind of records, as in the path of its list. */
  kind: string;
  columns: readonly string[];
  /** Columns of exports that cannot be set. */
  ignored: readonly string[];
  /** Further headings of columns in a spreadsheet, in lower case with underscores. */
  headings: Record<string, string>;
  /** Columns with objects whose fields are columns of their own, and the tables of their records: site.rp_class. */
  parted?: Record<string, string>;
  /** What the columns with fields of the site hold. */
  meanings?: Record<string, string>;
  /** A blank cell leaves the value as it is; JSON has null to clear it. */
  keepsBlanks?: boolean;
}

/** Called with the number of records that are done. */
export type Report = (done: number) => void;

export interface ImportWork<Entry> {
  tx: Transaction;
  caller: Caller;
  entries: Entry[];
  report: Report;
}

export interface WrittenRows<Verdict extends RowVerdict> {
  /** As a preview shows them: what is assigned at the end is left open, such as a temporary id. */
  verdicts: Verdict[];
  assigned: Verdict[];
  /** Errors that may reveal hidden records: they are counted. */
  probes: FieldError[];
}

/** How records of one kind are imported. */
interface ImportKind<Entry, Verdict extends RowVerdict> extends ImportColumns {
  readRow: (row: ImportRow) => Entry;
  /** Writes the rows that are valid, and says of each what it did or why it is refused. */
  write: (work: ImportWork<Entry>) => Promise<WrittenRows<Verdict>>;
}

interface ImportResult<Verdict extends RowVerdict> {
  change_set: number;
  verdicts: Verdict[];
  applied: number;
}

interface ApplyOptions {
  mode: ApplyMode;
  /** The fingerprint of the verdicts that the caller has seen; with others nothing is written. */
  seen?: string | undefined;
  report?: Report | undefined;
}

/** The import of one kind of records. */
export interface Importer<Verdict extends RowVerdict = RowVerdict> extends ImportColumns {
  /** With the columns of the fields that the caller knows of. */
  forCaller: (caller: Caller) => Importer<Verdict>;
  /** A dry run. */
  check: (caller: Caller, rows: ImportRow[], report?: Report) => Promise<Verdict[]>;
  apply: (
    caller: Caller,
    rows: ImportRow[],
    options: ApplyOptions,
  ) => Promise<ImportResult<Verdict>>;
}

export function importer<Entry, Verdict extends RowVerdict>(
  of: ImportKind<Entry, Verdict>,
): Importer<Verdict> {
  const { kind, columns, ignored, headings, meanings = {} } = of;
  return {
    kind,
    columns,
    ignored,
    headings,
    meanings,
    forCaller: (caller) => importer(withSiteColumns(of, caller)),
    check: async (caller, rows, report) => {
      const entries = await read(withSiteColumns(of, caller), rows);
      let checked: Verdict[] | undefined;
      const keep = async (_: Transaction, { verdicts }: WrittenRows<Verdict>) => {
        checked = verdicts;
        return verdicts;
      };
      return run(of, asDryRun(caller), entries, report, keep).catch((refusal) => {
        // A page shows the rows, also if some of them are outside of the places of the caller.
        const isOfPlace = refusal instanceof Refusal && refusal.status === 403;
        if (checked && isOfPlace && !caller.options?.dry_run) return checked;
        throw refusal;
      });
    },
    apply: async (caller, rows, { report, ...options }) => {
      const entries = await read(withSiteColumns(of, caller), rows);
      const done = (tx: Transaction, written: WrittenRows<Verdict>) =>
        applied(tx, written, options);
      return run(of, caller, entries, report, done).catch((error) => {
        throw error instanceof QueryRejected
          ? invalid("rows", "Other users are changing the same records; try again")
          : error;
      });
    },
  };
}

/** Milliseconds of an import of MOST_ROWS rows on a slow machine. */
export const LONGEST_IMPORT = 180_000;

function run<Entry, Verdict extends RowVerdict, T>(
  { write }: ImportKind<Entry, Verdict>,
  caller: Caller,
  entries: Entry[],
  report: Report = () => {},
  done: (tx: Transaction, written: WrittenRows<Verdict>) => Promise<T>,
): Promise<T> {
  // Of a single record; the rows have none of these.
  const ofRows = withOptions(caller, {
    if_match: null,
    force: undefined,
    unique_serial: false,
    onWarning: undefined,
  });
  const work = async (tx: Transaction) => {
    await refuseProbing(caller);
    const written = await write({ tx, caller: ofRows, entries, report });
    await countProbes(caller, written.probes);
    return done(tx, written);
  };
  return writeMany(caller, work, LONGEST_IMPORT);
}

/** Records that are written together: a rule is judged once for all of them. */
const TOGETHER = 64;

interface WayToWrite<Unit> {
  /** Nothing is known that refuses it. */
  isPlain: (unit: Unit) => boolean;
  write: (unit: Unit) => Promise<void>;
  /** Writes one in a savepoint of its own, and notes why it is refused. */
  tryAlone: (unit: Unit) => Promise<void>;
}

/** After so many units PostgreSQL counts the rows of their tables, and again after four times as many. */
const COUNTED_FIRST = 4 * TOGETHER;

/** Writes each unit that is valid, in this order. */
export async function tryAll<Unit>(
  work: Pick<ImportWork<unknown>, "tx" | "caller" | "report">,
  units: Unit[],
  attempt: WayToWrite<Unit>,
): Promise<void> {
  let from = 0;
  let count = COUNTED_FIRST;
  while (from < units.length) {
    const next = units.slice(from, from + TOGETHER);
    const firstWrong = next.findIndex((unit) => !attempt.isPlain(unit));
    const plain = firstWrong < 0 ? next : next.slice(0, Math.max(firstWrong, 1));
    await tryHalves(work, plain, attempt);
    from += plain.length;
    if (from >= count) {
      await analyzeChanged(work.tx);
      count *= 4;
    }
    work.report(from);
  }
}

/** If one of many is refused, each half is tried by itself, down to the one. */
async function tryHalves<Unit>(
  work: Pick<ImportWork<unknown>, "tx" | "caller">,
  units: Unit[],
  attempt: WayToWrite<Unit>,
): Promise<void> {
  const [first] = units;
  if (units.length === 1 && first) return attempt.tryAlone(first);
  if (await areWritten(work, units, attempt.write)) return;
  const half = Math.ceil(units.length / 2);
  await tryHalves(work, units.slice(0, half), attempt);
  await tryHalves(work, units.slice(half), attempt);
}

/** Writes all of them, or none. */
export async function areWritten<Unit>(
  { tx, caller }: Pick<ImportWork<unknown>, "tx" | "caller">,
  units: Unit[],
  write: (unit: Unit) => Promise<void>,
): Promise<boolean> {
  const refusal = await inSavepoint(tx, caller, async () => {
    for (const unit of units) await write(unit);
  });
  return refusal === undefined;
}

async function applied<Verdict extends RowVerdict>(
  tx: Transaction,
  { verdicts, assigned }: WrittenRows<Verdict>,
  { mode, seen }: ApplyOptions,
): Promise<ImportResult<Verdict>> {
  if (seen !== undefined && seen !== (await fingerprintOf(verdicts))) {
    const message = "Records have changed since the preview; check the rows again";
    throw new NotApplied(verdicts, [{ field: "rows", message }]);
  }
  requireApplicable(verdicts, mode);
  return {
    change_set: await changeSetOf(tx),
    verdicts: assigned,
    applied: applicable(verdicts),
  };
}

function withOptions(caller: Caller, options: Partial<Caller["options"]>): Caller {
  return { ...caller, options: { ...writeOptionsOf(caller), ...options } };
}

/** Each part is a column, which goes by its name, its label, or its key. */
function withSiteColumns<Kind extends ImportColumns & { readRow: (row: ImportRow) => unknown }>(
  of: Kind,
  caller: Caller,
): Kind {
  const { columns, headings, parted = {}, readRow } = of;
  const parts = Object.entries(parted).flatMap(([column, table]) =>
    definitionsFor(caller, table).map((one) => {
      const { description = "Any text" } = typeOf(one).schema(one);
      return { ...one, name: `${column}.${one.key}`, column, table, description };
    }),
  );
  if (parts.length === 0) return of;
  const further = [...parts]
    .reverse()
    .flatMap(({ name, key, label }) => [
      [key, name] as const,
      [nameOfHeading(label), name] as const,
    ]);
  const isFree = (heading: string) => !columns.includes(heading) && !(heading in headings);
  const fold = (row: ImportRow): ImportRow => {
    const fields = { ...row.fields };
    for (const { name, column, table, key } of parts) {
      const value = fields[name];
      delete fields[name];
      if (value === undefined) continue;
      const others = isObject(fields[column]) ? fields[column] : {};
      const read = typeof value === "string" ? valueInText(table, key, value) : value;
      fields[column] = { ...others, [key]: read };
    }
    return { ...row, fields };
  };
  return {
    ...of,
    parted: {},
    meanings: Object.fromEntries(
      parts.map(({ name, description }) => [name, description.replace(/^Use /, "")]),
    ),
    columns: [...columns, ...parts.map(({ name }) => name)],
    headings: { ...Object.fromEntries(further.filter(([one]) => isFree(one))), ...headings },
    readRow: (row: ImportRow) => readRow(fold(row)),
  };
}

function withoutBlanks(row: ImportRow): ImportRow {
  const filled = Object.entries(row.fields).filter(
    ([, value]) => typeof value !== "string" || value.trim() !== "",
  );
  return { ...row, fields: Object.fromEntries(filled) };
}

async function read<Entry>(
  {
    columns,
    ignored,
    readRow,
    keepsBlanks = false,
  }: Pick<ImportKind<Entry, RowVerdict>, keyof ImportColumns | "readRow">,
  rows: ImportRow[],
): Promise<Entry[]> {
  if (rows.length === 0) throw invalid("rows", "There are no rows to import");
  if (rows.length > MOST_ROWS) {
    throw invalid("rows", tooManyRows(MOST_ROWS));
  }
  const known = new Set([...columns, ...ignored]);
  const unknown = new Set<string>();
  await mapInSlices(rows, ({ fields }) => {
    for (const name of Object.keys(fields)) if (!known.has(name)) unknown.add(name);
  });
  if (unknown.size > 0) {
    throw refuseColumns([...unknown]);
  }
  return mapInSlices(rows, (row) => readRow(keepsBlanks ? withoutBlanks(row) : row));
}

export function refuseColumns(names: string[]): Refusal {
  const message = "Unknown column";
  return refuse(names.map((field) => ({ field, message, code: "unknown_field" })));
}
