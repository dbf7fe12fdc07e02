// Creates and changes many records at once, from a sheet or from a program. The verdict for each row is computed from a
// few queries, and everything is written as one change set, so that one undo reverts it. What is special to a kind of
// records is in its area: inventory/import/ and network/import/.
import * as database from "../../db/client.ts";
import { QueryRejected } from "../../db/errors.ts";
import type { Caller } from "../auth/auth.ts";
import { countProbes, refuseProbing } from "../auth/probing.ts";
import { type FieldError, invalid, Refusal, refuse } from "../input/errors.ts";
import { MOST_ERRORS, MOST_ROWS } from "../input/limits.ts";
import { mapInSlices } from "../input/time_slices.ts";
import { tooManyRows } from "../spreadsheet/tally.ts";
import { isPlaced } from "../store/rights/check.ts";
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

export interface ImportPlan<Verdict extends RowVerdict> {
  verdicts: Verdict[];
  /** Errors that may reveal hidden records: they are counted. */
  probes: FieldError[];
}

interface ImportColumns {
  /** Names the kind of records, as in the path of its list. */
  kind: string;
  columns: readonly string[];
  /** Columns of exports that cannot be set. */
  ignored: readonly string[];
  /** Further headings of columns in a spreadsheet, in lower case with underscores. */
  headings: Record<string, string>;
}

/** The rules of one kind of records. */
interface ImportRules<Entry, Verdict extends RowVerdict, Plan extends ImportPlan<Verdict>>
  extends ImportColumns {
  readRow: (row: ImportRow) => Entry;
  /** Serialises imports and other writes of the same records. */
  lock: (tx: Transaction, caller: Caller, entries: Entry[]) => Promise<void>;
  /** Decides about all rows, and writes nothing. */
  plan: (tx: Transaction, caller: Caller, entries: Entry[]) => Promise<Plan>;
  /** Returns the verdicts with what was not known before, such as new ids. */
  write: (tx: Transaction, caller: Caller, plan: Plan) => Promise<Verdict[]>;
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
}

/** The import of one kind of records. */
export interface Importer<Verdict extends RowVerdict = RowVerdict> extends ImportColumns {
  /** A dry run. */
  check: (caller: Caller, rows: ImportRow[]) => Promise<Verdict[]>;
  apply: (
    caller: Caller,
    rows: ImportRow[],
    options: ApplyOptions,
  ) => Promise<ImportResult<Verdict>>;
}

export function importer<Entry, Verdict extends RowVerdict, Plan extends ImportPlan<Verdict>>(
  rules: ImportRules<Entry, Verdict, Plan>,
): Importer<Verdict> {
  const { kind, columns, ignored, headings } = rules;
  return {
    ...{ kind, columns, ignored, headings },
    check: (caller, rows) => check(rules, caller, rows),
    apply: (caller, rows, options) => apply(rules, caller, rows, options),
  };
}

type ImportRulesFor<Entry, Verdict extends RowVerdict> = ImportRules<
  Entry,
  Verdict,
  ImportPlan<Verdict>
>;

async function check<Entry, Verdict extends RowVerdict, Plan extends ImportPlan<Verdict>>(
  rules: ImportRules<Entry, Verdict, Plan>,
  caller: Caller,
  rows: ImportRow[],
): Promise<Verdict[]> {
  const entries = await read(rules, rows);
  await refuseProbing(caller);
  if (isPlaced(caller) && caller.options?.dry_run) return checkByWriting(rules, caller, entries);
  const plan = await database.transaction((tx) => rules.plan(tx, caller, entries), {
    wanted: database.LONG_TRANSACTION,
  });
  await countProbes(caller, plan.probes);
  return plan.verdicts;
}

/** For callers with rights by scope: what they would write is refused as in the import itself. */
function checkByWriting<Entry, Verdict extends RowVerdict, Plan extends ImportPlan<Verdict>>(
  rules: ImportRules<Entry, Verdict, Plan>,
  caller: Caller,
  entries: Entry[],
): Promise<Verdict[]> {
  return writeMany(caller, async (tx) => {
    await rules.lock(tx, caller, entries);
    const plan = await rules.plan(tx, caller, entries);
    await countProbes(caller, plan.probes);
    if (applicable(plan.verdicts) > 0) await rules.write(tx, caller, plan);
    return plan.verdicts;
  });
}

async function apply<Entry, Verdict extends RowVerdict, Plan extends ImportPlan<Verdict>>(
  rules: ImportRules<Entry, Verdict, Plan>,
  caller: Caller,
  rows: ImportRow[],
  options: ApplyOptions,
): Promise<ImportResult<Verdict>> {
  const entries = await read(rules, rows);
  const attempt = () => planAndWrite(rules, caller, entries, options);
  try {
    return await attempt();
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
  // The second attempt sees the change that came in between, and reports it for its row.
  return attempt().catch((error) => {
    throw error instanceof QueryRejected
      ? invalid("rows", "Other users are changing the same records; try again")
      : error;
  });
}

async function read<Entry>(
  {
    columns,
    ignored,
    readRow,
  }: Pick<ImportRulesFor<Entry, RowVerdict>, keyof ImportColumns | "readRow">,
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
    const message = "Unknown column";
    throw refuse([...unknown].slice(0, MOST_ERRORS).map((field) => ({ field, message })));
  }
  return mapInSlices(rows, readRow);
}

function planAndWrite<Entry, Verdict extends RowVerdict, Plan extends ImportPlan<Verdict>>(
  rules: ImportRules<Entry, Verdict, Plan>,
  caller: Caller,
  entries: Entry[],
  { mode, seen }: ApplyOptions,
): Promise<ImportResult<Verdict>> {
  return writeMany(caller, async (tx) => {
    await refuseProbing(caller);
    await rules.lock(tx, caller, entries);
    const plan = await rules.plan(tx, caller, entries);
    await countProbes(caller, plan.probes);
    if (seen !== undefined && seen !== (await fingerprintOf(plan.verdicts))) {
      const message = "Records have changed since the preview; check the rows again";
      throw new NotApplied(plan.verdicts, [{ field: "rows", message }]);
    }
    requireApplicable(plan.verdicts, mode);
    const verdicts = await rules.write(tx, caller, plan);
    return { change_set: await changeSetOf(tx), verdicts, applied: applicable(verdicts) };
  });
}

/** A constraint refused the write, because of a concurrent change. */
function isConflict(error: unknown): boolean {
  return (
    error instanceof QueryRejected || (error instanceof Refusal && !(error instanceof NotApplied))
  );
}
