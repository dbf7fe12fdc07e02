// Creates and changes many items at once, from a sheet or from a program. The verdict for each row is computed from a
// few queries, and everything is written as one change set, so that one undo reverts it.

import * as database from "../../../db/client.ts";
import { QueryRejected } from "../../../db/errors.ts";
import type { Caller } from "../../auth/auth.ts";
import { countProbe, refuseProbing } from "../../auth/probing.ts";
import { type FieldError, invalid, Refusal, refuse } from "../../input/errors.ts";
import { MOST_ROWS } from "../../input/limits.ts";
import { mapInSlices } from "../../input/time_slices.ts";
import { tooManyRows } from "../../spreadsheet/tally.ts";
import { readIn } from "../../store/read.ts";
import { changeSetOf, writeMany } from "../../store/write.ts";
import { loadExisting, withSearchPlans } from "./existing_records.ts";
import { type ImportPlan, planOf, type RowVerdict } from "./plan.ts";
import { COLUMNS, type ImportEntry, type ImportRow, readRow } from "./rows.ts";
import { lockRows, writePlan } from "./write.ts";

export type { RowVerdict as Verdict } from "./plan.ts";
export { COLUMNS, type ImportRow, importedItem } from "./rows.ts";

/** Columns of the export that cannot be set: they are ignored. */
export const IGNORED: readonly string[] = [
  "id",
  "children",
  "user",
  "created_at",
  "updated_at",
  "history",
];
export { MOST_ROWS };

/** With "good" the valid rows are applied; with "all" either all rows or none. */
export type ApplyMode = "all" | "good";

interface ImportResult {
  change_set: number;
  verdicts: RowVerdict[];
  applied: number;
}

/** Nothing was written; the verdicts say what each row would have done. */
export class NotApplied extends Refusal {
  constructor(
    readonly verdicts: RowVerdict[],
    errors: FieldError[],
  ) {
    const { status, message } = refuse(errors);
    super(status, message, { errors });
  }
}

/** A dry run. */
export async function check(caller: Caller, rows: ImportRow[]): Promise<RowVerdict[]> {
  const entries = await read(rows);
  await refuseProbing(caller);
  const work = (tx: database.Transaction) =>
    withSearchPlans(tx, {
      rows: entries.length,
      work: () => loadExisting(readIn(tx), caller, entries),
    });
  const known = await database.transaction(work, database.LONG_TRANSACTION);
  const plan = await planOf(entries, known);
  await countRefused(caller, plan);
  return plan.verdicts;
}

export async function apply(
  caller: Caller,
  rows: ImportRow[],
  mode: ApplyMode,
): Promise<ImportResult> {
  const entries = await read(rows);
  const attempt = () => planAndWrite(caller, entries, mode);
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

/** How many would be applied. */
export function applicable(verdicts: RowVerdict[]): number {
  return verdicts.filter(({ verdict }) => verdict === "new" || verdict === "change").length;
}

export function isRefused({ verdict }: RowVerdict): boolean {
  return verdict === "refused";
}

async function read(rows: ImportRow[]): Promise<ImportEntry[]> {
  if (rows.length === 0) throw invalid("rows", "There are no rows to import");
  if (rows.length > MOST_ROWS) {
    throw invalid("rows", tooManyRows(MOST_ROWS));
  }
  const known = new Set([...COLUMNS, ...IGNORED]);
  const unknown = new Set<string>();
  await mapInSlices(rows, ({ fields }) => {
    for (const name of Object.keys(fields)) if (!known.has(name)) unknown.add(name);
  });
  if (unknown.size > 0) {
    const message = "Unknown column";
    throw refuse([...unknown].slice(0, MOST_SHOWN_ERRORS).map((field) => ({ field, message })));
  }
  return mapInSlices(rows, readRow);
}

function planAndWrite(
  caller: Caller,
  entries: ImportEntry[],
  mode: ApplyMode,
): Promise<ImportResult> {
  return writeMany(caller, async (tx) => {
    await refuseProbing(caller);
    const work = async () => {
      await lockRows(tx, entries);
      return loadExisting(readIn(tx), caller, entries);
    };
    const known = await withSearchPlans(tx, { rows: entries.length, work });
    const plan = await planOf(entries, known);
    await countRefused(caller, plan);
    requireApplicable(plan.verdicts, mode);
    const verdicts = await writePlan(tx, plan, known);
    return { change_set: await changeSetOf(tx), verdicts, applied: applicable(verdicts) };
  });
}

/** Counts one probe for a request, however many of its rows are refused for hidden records. */
async function countRefused(caller: Caller, { drafts }: ImportPlan): Promise<void> {
  for (const { errors } of drafts) {
    const error = errors.find(({ taken }) => taken !== undefined);
    if (error) return countProbe(caller, error);
  }
}

const MOST_SHOWN_ERRORS = 100;

function requireApplicable(verdicts: RowVerdict[], mode: ApplyMode): void {
  const errors = firstErrors(verdicts);
  if (mode === "all" && errors.length > 0) throw new NotApplied(verdicts, errors);
  if (applicable(verdicts) === 0) {
    const message = "Nothing to import: every row is unchanged or refused";
    throw new NotApplied(verdicts, [{ field: "rows", message }]);
  }
}

/** Limited, because each row may have a hundred errors. */
function firstErrors(verdicts: RowVerdict[]): FieldError[] {
  const found: FieldError[] = [];
  for (const { line, errors } of verdicts) {
    for (const { field, message } of errors) {
      found.push({ field: `rows.${line}.${field}`, message });
      if (found.length === MOST_SHOWN_ERRORS) return found;
    }
  }
  return found;
}

/** A constraint refused the write, because of a concurrent change. */
function isConflict(error: unknown): boolean {
  return (
    error instanceof QueryRejected || (error instanceof Refusal && !(error instanceof NotApplied))
  );
}
