// The verdicts of an import: what each row would do, or why it is refused.
import { type FieldError, Refusal, refuse, shownError } from "../input/errors.ts";
import { MOST_ERRORS } from "../input/limits.ts";
import { mapInSlices } from "../input/time_slices.ts";
import type { FieldDifference } from "../store/resource.ts";
import { SITE_FIELD, withParts } from "../store/site/definitions.ts";

export interface RowVerdict {
  line: number;
  verdict: "new" | "change" | "same" | "refused";
  changes: FieldDifference[];
  errors: FieldError[];
  /** Why the row is probably a mistake, although it can be applied. */
  warnings?: RowWarning[];
}

export interface RowWarning extends FieldError {
  /** Values with which the row would change the record that exists. */
  instead?: Record<string, string>;
}

/** With "good" the valid rows are applied; with "all" either all rows or none. */
export type ApplyMode = "all" | "good";

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

/** How many would be applied. */
export function applicable(verdicts: RowVerdict[]): number {
  return verdicts.filter(({ verdict }) => verdict === "new" || verdict === "change").length;
}

export function isRefused({ verdict }: RowVerdict): boolean {
  return verdict === "refused";
}

/** Equal for equal verdicts: tells whether the records have changed since a preview. */
export async function fingerprintOf(verdicts: RowVerdict[]): Promise<string> {
  let hash = 0n;
  await mapInSlices(verdicts, (verdict) => {
    hash = BigInt(Bun.hash(JSON.stringify(verdict), hash));
  });
  return hash.toString(36);
}

/** Refuses to write what the mode does not allow. */
export function requireApplicable(verdicts: RowVerdict[], mode: ApplyMode): void {
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
      if (found.length === MOST_ERRORS) return found;
    }
  }
  return found;
}

export function refusedRow<Named extends { line: number }>(
  named: Named,
  errors: FieldError[],
): Named & RowVerdict {
  return { ...named, verdict: "refused", changes: [], errors: errors.map(shownError) };
}

/** The errors of a row, and further ones of other fields. */
export function withFurther(errors: FieldError[], further: FieldError[]): FieldError[] {
  const wrong = new Set(errors.map(({ field }) => field));
  return [...errors, ...further.filter(({ field }) => !wrong.has(field))];
}

export type SeenValues = Record<string, unknown>;

/** What is different in a record, in words; of a new one all that it has. */
export function changesOfRow(
  fields: readonly string[],
  before: SeenValues | undefined,
  now: SeenValues,
): FieldDifference[] {
  const ofSite = fields.filter((field) => field.endsWith(SITE_FIELD));
  const [was, is] = [before, now].map((values) =>
    values === undefined ? undefined : ofSite.reduce(withParts, values),
  );
  const each = fields.flatMap((field) => {
    const inside = Object.keys({ ...was, ...is }).filter((one) => one.startsWith(`${field}.`));
    return inside.length > 0 ? inside : field;
  });
  const changes = each.map((field) => ({
    field,
    old: was ? inWords(was[field]) : null,
    now: inWords(is?.[field]),
  }));
  return changes.filter(({ old, now: text }) => old !== text);
}

function inWords(value: unknown): string | null {
  if (Array.isArray(value)) return value.join(", ") || null;
  if (typeof value === "object" && value !== null) return sortedJson(value);
  return value == null ? null : String(value);
}

/** Objects that PostgreSQL takes for equal have equal texts. */
function sortedJson(object: object): string | null {
  if (Object.keys(object).length === 0) return null;
  return JSON.stringify(object, (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : value,
  );
}

/** For what only one row of a file may have. */
export function alreadyInRow(
  field: string,
  value: string | null,
  { line }: Pick<RowVerdict, "line">,
): FieldError {
  return { field, message: `${value} is already in line ${line}` };
}
