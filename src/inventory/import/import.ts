// The import of items: each row is written as the form for one item would write it. Parents come first; rows that need what
// another row gives up are tried again after it, and those that need it of each other are tried together.

import { type SQL, sql } from "drizzle-orm";
import {
  areWritten,
  type ImportWork,
  importer,
  tryAll,
  type WrittenRows,
} from "../../import/import.ts";
import { partedIn } from "../../import/rows.ts";
import {
  alreadyInRow,
  changesOfRow,
  type RowVerdict,
  type RowWarning,
  refusedRow,
  withFurther,
} from "../../import/verdicts.ts";
import { type FieldError, type Refusal, refuse } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { REQUIRED } from "../../input/shape.ts";
import { mapInSlices } from "../../input/time_slices.ts";
import { FILE_FIELDS } from "../../store/file_fields.ts";
import type { Read } from "../../store/read.ts";
import * as records from "../../store/records.ts";
import { type FieldDifference, recordQuery } from "../../store/resource.ts";
import { inSavepoint } from "../../store/savepoint.ts";
import * as comments from "../comments/comments.ts";
import { createIn, updateIn } from "../items/form_input.ts";
import { removeMacs } from "../items/form_macs.ts";
import { freeTemporaries, lockTemporaryIds } from "../items/ics_ids.ts";
import { item } from "../items/item.ts";
import { NO_TEMPORARY_ID } from "../items/item_rules.ts";
import { newItem } from "../items/items.ts";
import {
  isProbablySame,
  otherSerialMessage,
  sameSerialMessage,
  withSerials,
} from "../items/same_serials.ts";
import { lockTree } from "../items/tree.ts";
import { parentsFirst } from "./parents_first.ts";
import {
  COLUMNS,
  formInput,
  type ImportEntry,
  ITEM_HEADINGS,
  importedItem,
  macsOf,
  newComments,
  type RowOfItem,
  readRow,
  type SeenItem,
} from "./rows.ts";

export { importedItem } from "./rows.ts";

export interface ItemVerdict extends RowVerdict {
  /** Null for an item that will get a temporary id. */
  ics_id: string | null;
}

export const itemImporter = importer({
  kind: "items",
  columns: COLUMNS,
  ignored: ["id", "children", "user", "created_at", "updated_at", "history", ...FILE_FIELDS],
  headings: ITEM_HEADINGS,
  parted: partedIn(importedItem),
  keepsBlanks: true,
  readRow,
  write: writeRows,
});

interface ItemLoop extends ImportWork<ImportEntry> {
  rows: RowOfItem[];
  /** The first row of each ICS id. */
  byLabel: Map<string, RowOfItem>;
  /** Free ones, for the next new items without a label. */
  temporaryIds: string[];
}

async function writeRows(work: ImportWork<ImportEntry>): Promise<WrittenRows<ItemVerdict>> {
  // Imports and moves of items wait for each other.
  await lockTree(work.tx);
  const loop = await prepare(work);
  const ordered = await parentsFirst(work.tx.execute, loop.rows, loop.byLabel);
  await tryAll(loop, ordered, {
    isPlain: ({ wrong }) => wrong.length === 0,
    write: async (row) => {
      const wrong = wrongOf(loop, row);
      if (wrong.length > 0) throw refuse(wrong);
      await writeRow(loop, row);
    },
    tryAlone: (row) => tryRow(loop, row),
  });
  await tryAgain(loop, ordered);
  return outcomeOf(loop);
}

async function prepare(work: ImportWork<ImportEntry>): Promise<ItemLoop> {
  const { tx, entries } = work;
  const labels = entries.flatMap(({ label }) => label ?? []);
  const seen = await seenItems(work, sql`items.ics_id = any(${sql.param(labels)}::text[])`);
  const before = new Map(seen.map((one) => [one.ics_id, one]));
  const rows = entries.map((entry): RowOfItem => {
    const known = before.get(entry.label ?? "");
    return {
      entry,
      before: known,
      wrong: [...entry.errors, ...missingIn(entry, known)],
      errors: [],
    };
  });
  const unlabelled = labels.length < rows.length;
  if (unlabelled) await lockTemporaryIds(tx);
  const temporaryIds = await freeTemporaries(tx.execute, rows.length - labels.length);
  return { ...work, rows, byLabel: refuseRepeats(rows), temporaryIds };
}

/** Of two rows for the same item or MAC address, the second one is refused. Returns the first rows. */
function refuseRepeats(rows: RowOfItem[]): ItemLoop["byLabel"] {
  const [labels, macs] = [new Map<string, RowOfItem>(), new Map<string, RowOfItem>()];
  for (const row of rows) {
    const { label } = row.entry;
    const first = labels.get(label ?? "");
    if (first) row.wrong.push(alreadyInRow("ics_id", label, first.entry));
    else if (label) labels.set(label, row);
    for (const address of first ? [] : macsOf(row.entry)) {
      const other = macs.get(address);
      if (other) row.wrong.push(alreadyInRow("macs", address, other.entry));
      else macs.set(address, row);
    }
  }
  return labels;
}

function seenItems(
  { tx, caller }: Pick<ItemLoop, "tx" | "caller">,
  where: SQL,
): Promise<SeenItem[]> {
  const query = records.pick(recordQuery(item, caller), ["id", "manufacturer_id", ...COLUMNS]);
  return records.matching<SeenItem>(query, where, tx.execute);
}

/** A row that is refused anyway is tried for its other errors. */
async function tryRow(loop: ItemLoop, row: RowOfItem): Promise<void> {
  const { tx, caller } = loop;
  const wrong = wrongOf(loop, row);
  // The database would refuse it for that first.
  const lacksMore = wrong.some(
    ({ field, message }) => message === REQUIRED && field !== "serial_number",
  );
  const refusal = await inSavepoint(tx, caller, async () => {
    if (!lacksMore) await writeRow(loop, row);
    if (wrong.length > 0) throw refuse(wrong);
  });
  row.errors = refusal ? withFurther(wrong, errorsOf(refusal)) : [];
  if (refusal && (await wasAdded(loop, row))) await tryRow(loop, row);
}

/** Somebody else has added the item since the import began. */
async function wasAdded(loop: ItemLoop, row: RowOfItem): Promise<boolean> {
  if (row.before || !row.errors.some(({ field }) => field === "ics_id")) return false;
  const { label } = row.entry;
  const [found] = label ? await seenItems(loop, sql`items.ics_id = ${label}`) : [];
  if (!found || loop.byLabel.get(found.ics_id) !== row) return false;
  row.before = found;
  return true;
}

async function writeRow(loop: ItemLoop, row: RowOfItem): Promise<void> {
  const { tx, caller } = loop;
  const { entry, before } = row;
  const { serial_number = UNKNOWN, ...input } = formInput(entry);
  if (before) {
    const given = { ...input, ...(entry.filled.serial_number && { serial_number }) };
    await updateIn(tx, caller, {
      id: before.id,
      ...given,
      free: freedBy(row),
      leave_parent: false,
    });
    row.id = before.id;
  } else {
    if (entry.label === null) row.temporary ??= loop.temporaryIds.shift();
    const made = await createIn(tx, caller, { ...input, serial_number }, row.temporary);
    row.id = made.id;
  }
  for (const body of newComments(entry, before?.comments ?? [])) {
    await comments.add(tx, [row.id], { body });
  }
}

/** Stands for a serial number that is missing, while the row is tried for its other errors. */
const UNKNOWN = "?";

/** MAC addresses that the item has and the row does not name. They stay registered. */
function freedBy({ entry, before }: RowOfItem): string[] {
  if (!entry.filled.macs && !entry.blank.has("macs")) return [];
  const stay = macsOf(entry);
  return (before?.macs ?? []).filter((address) => !stay.includes(address));
}

function missingIn({ filled, errors }: ImportEntry, before: SeenItem | undefined): FieldError[] {
  const isWrong = (name: string) => errors.some(({ field }) => field === name);
  if (before || isWrong("row") || isWrong("ics_id")) return [];
  const missing = newItem.required?.filter(
    (name) => !Object.hasOwn(filled, name) && !isWrong(name),
  );
  return (missing ?? []).map((field) => ({ field, message: REQUIRED }));
}

/** Also what depends on the rows before. */
function wrongOf(loop: ItemLoop, row: RowOfItem): FieldError[] {
  const { entry, wrong, temporary } = row;
  const isLabelled =
    entry.label !== null || wrong.some(({ field }) => ["row", "ics_id"].includes(field));
  const hasNone = !isLabelled && !temporary && loop.temporaryIds.length === 0;
  return withFurther(wrong, [...(hasNone ? [NO_TEMPORARY_ID] : []), ...parentErrors(loop, row)]);
}

/** Nothing is put into an item that its own row does not make, or does not move to where it would fit. */
function parentErrors({ byLabel }: ItemLoop, { entry }: RowOfItem): FieldError[] {
  const parent = byLabel.get(entry.filled.parent?.toUpperCase() ?? "");
  if (!parent || parent.errors.length === 0) return [];
  const { label, line, filled } = parent.entry;
  const field = "parent";
  if (!parent.before)
    return [{ field, message: `'${label}' is created by line ${line}, which is refused` }];
  const message = "This move conflicts with an item whose own move is refused";
  return filled.parent === undefined ? [] : [{ field, message }];
}

function errorsOf({ errors, message }: Refusal): FieldError[] {
  if (errors.length === 0) return [{ field: "host", message }];
  return errors.map((error) => (error.field === "host_id" ? { ...error, field: "host" } : error));
}

/** What other rows may give up. */
const GIVEN_UP = ["macs", "stack_member"];

async function tryAgain(loop: ItemLoop, ordered: RowOfItem[]): Promise<void> {
  const waiting = (fields: string[]) =>
    ordered.filter(
      (row) =>
        row.errors.length > 0 &&
        row.errors.every(({ field }) => fields.includes(field)) &&
        wrongOf(loop, row).length === 0,
    );
  const again = [...GIVEN_UP, "parent"];
  let left = waiting(again);
  for (let times = 0; left.length > 0 && times < MOST_TIMES; times += 1) {
    for (const row of left) await tryRow(loop, row);
    await tryTogether(loop, waiting(GIVEN_UP));
    const rest = waiting(again);
    if (rest.length === left.length) return;
    left = rest;
  }
}

/** Rows that wait for each other in a longer chain are for the next import. */
const MOST_TIMES = 5;

/** They swap what they have. */
async function tryTogether(loop: ItemLoop, rows: RowOfItem[]): Promise<void> {
  if (rows.length < 2) return;
  const writeAll = async () => {
    for (const row of rows) if (row.before) await removeMacs(loop.tx, row.before.id, freedBy(row));
    for (const row of rows) await writeRow(loop, row);
  };
  if (await areWritten(loop, [writeAll], (write) => write()))
    for (const row of rows) row.errors = [];
}

async function outcomeOf(loop: ItemLoop): Promise<WrittenRows<ItemVerdict>> {
  const { tx, rows } = loop;
  const written = rows.flatMap(({ id, errors }) => (id && errors.length === 0 ? [id] : []));
  const seen = await seenItems(loop, sql`items.id = any(${integers(written)})`);
  const after = new Map(seen.map((one) => [one.id, one]));
  const warnings = await serialWarnings(tx.execute, rows, after);
  const verdicts = await mapInSlices(rows, (row): ItemVerdict => {
    const { before, errors } = row;
    const { line, label: ics_id } = row.entry;
    const now = errors.length === 0 && after.get(row.id ?? 0);
    if (!now) return refusedRow({ line, ics_id }, errors);
    const changes = changesOf(row, now);
    const verdict = !before ? "new" : changes.length > 0 ? "change" : "same";
    const warned = warnings.get(row);
    return { line, verdict, ics_id, changes, errors: [], ...(warned && { warnings: [warned] }) };
  });
  const labelOf = ({ id, errors }: RowOfItem) =>
    errors.length > 0 ? undefined : after.get(id ?? 0)?.ics_id;
  const assigned = verdicts.map((one, at) => {
    const row = rows[at];
    return { ...one, ics_id: (row && labelOf(row)) ?? one.ics_id };
  });
  // One for all rows, however many of them are refused for hidden records.
  const probe = rows.flatMap(({ errors }) => errors).find(({ taken }) => taken !== undefined);
  return { verdicts, assigned, probes: probe ? [probe] : [] };
}

const COMPARED = COLUMNS.filter((name) => name !== "ics_id" && name !== "comments");

function changesOf({ before }: RowOfItem, now: SeenItem): FieldDifference[] {
  const had = before?.comments.length ?? 0;
  const added = now.comments.slice(had).join("\n") || null;
  const changes = changesOfRow(COMPARED, before, now);
  return added ? [...changes, { field: "comments", old: null, now: added }] : changes;
}

/** Rows that are probably an item of the register or one of a row above, or that have the label of another item. */
async function serialWarnings(
  read: Read,
  rows: RowOfItem[],
  after: ReadonlyMap<number, SeenItem>,
): Promise<Map<RowOfItem, RowWarning>> {
  const written = rows.flatMap((row) => {
    const now = row.errors.length === 0 && after.get(row.id ?? 0);
    return now ? [{ row, now }] : [];
  });
  const stored = await withSerials(read, new Set(written.map(({ now }) => now.serial_number)));
  const added = new Set(written.flatMap(({ row, now }) => (row.before ? [] : [now.id])));
  const known = Map.groupBy(
    stored.filter(({ id }) => !added.has(id)),
    ({ serial_number }) => serial_number,
  );
  const inFile = Map.groupBy(written, ({ now }) => now.serial_number);
  const field = "serial_number";
  const warnings = written.flatMap(({ row, now }): Array<[RowOfItem, RowWarning]> => {
    const { before, entry } = row;
    const { serial_number } = now;
    const isOld =
      before?.serial_number === serial_number && before.manufacturer_id === now.manufacturer_id;
    if (isOld) return [];
    const first = inFile.get(serial_number)?.find((one) => isProbablySame(now, one.now));
    if (first && first.row !== row)
      return [[row, alreadyInRow(field, serial_number, first.row.entry)]];
    const others = (known.get(serial_number) ?? []).filter(
      (one) => one.id !== now.id && isProbablySame(now, one),
    );
    const [only, ...more] = others.map(({ ics_id }) => ics_id);
    if (only === undefined) {
      const isOther = before !== undefined && before.serial_number !== serial_number;
      return isOther ? [[row, { field, message: otherSerialMessage(before) }]] : [];
    }
    const isOffered = entry.label === null && more.length === 0;
    const message = sameSerialMessage([only, ...more]);
    return [[row, { field, message, ...(isOffered && { instead: { ics_id: only } }) }]];
  });
  return new Map(warnings);
}
