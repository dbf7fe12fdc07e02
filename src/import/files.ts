// An uploaded file: read, reviewed, corrected row by row, then applied. Only its owner sees it.
import { and, eq, type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { imports } from "../../db/tables/inventory.ts";
import { type Caller, writeOptionsOf } from "../auth/auth.ts";
import { invalid, notFound, refuse } from "../input/errors.ts";
import { MOST_COLUMNS, MOST_ROWS } from "../input/limits.ts";
import { mapInSlices } from "../input/time_slices.ts";
import { unknownKey } from "../spreadsheet/table.ts";
import { readTableInThread } from "../spreadsheet/table_thread.ts";
import { write } from "../store/write.ts";
import type { Importer, ImportRow, Report } from "./import.ts";
import { type ApplyMode, isRefused, type RowVerdict } from "./verdicts.ts";

export interface ImportFile {
  id: number;
  file_name: string;
  /** Unknown ones have to be assigned before the preview. */
  columns: string[];
  rows: ImportRow[];
  /** Incremented with each change of the rows. */
  state: number;
  applied_state: number | null;
  /** The last change set that was applied. */
  change_set: number | null;
}

/** With what a job has found of its rows, as they are; undefined if none has checked them. */
export type FileWithVerdicts<Verdict extends RowVerdict> = ImportFile & { verdicts?: Verdict[] };

const MOST_FILES = 10;

/** Stores the rows of the file, or refuses it as a whole. Only the last few files of a user are kept. */
export async function store(
  { kind, columns: names, ignored, headings }: Importer,
  caller: Caller,
  file: { name: string; bytes: Uint8Array },
): Promise<Pick<ImportFile, "id" | "columns">> {
  const { columns, rows } = await readTableInThread(file.bytes, {
    limits: { rows: MOST_ROWS, columns: MOST_COLUMNS },
    columns: names,
    ignored,
    headings,
  });
  return write(caller, async (tx) => {
    const [stored] = await tx.execute<{ id: number }>(sql`
      insert into ${imports} (kind, user_id, file_name, columns, rows)
      values (${kind}, ${caller.id}, ${nameOf(file.name)}, ${sql.param(columns)}::text[], ${rows}::text::jsonb)
      returning id`);
    await tx.execute(sql`
      delete from ${imports} where user_id = ${caller.id} and id not in (
        select id from ${imports} where user_id = ${caller.id} order by id desc limit ${MOST_FILES})`);
    return { id: stored?.id ?? 0, columns };
  });
}

export type WaitingFile = Pick<ImportFile, "id" | "file_name"> & { created_at: string };

/** The files that still have rows to review, the last one first. */
export function list({ kind }: Importer, caller: Caller): Promise<WaitingFile[]> {
  return database.rows<WaitingFile>(sql`
    select id, file_name, shown(created_at) as created_at from imports
    where user_id = ${caller.id} and kind = ${kind} and rows <> '{}' order by id desc`);
}

export async function find<Verdict extends RowVerdict>(
  importer: Importer<Verdict>,
  caller: Caller,
  id: number,
): Promise<FileWithVerdicts<Verdict>> {
  const found = await database.row<StoredFile>(sql`
    select id, file_name, columns, ${ROWS} as rows, state, applied_state, change_set::int as change_set,
      case when checked_state = state then verdicts end as verdicts
    from imports where ${ownFile(importer, caller, id)}`);
  if (!found) throw notFound();
  const { rows, verdicts, ...file } = found;
  const read = (line: string): Verdict => JSON.parse(line);
  const checked = verdicts && { verdicts: await mapInSlices(verdicts.split("\n"), read) };
  return { ...file, rows: await rowsIn(rows), ...checked };
}

/** Of rows that have changed meanwhile they are not kept. */
export async function keepVerdicts(
  importer: Importer,
  caller: Caller,
  { id, state }: Pick<ImportFile, "id" | "state">,
  verdicts: RowVerdict[],
): Promise<void> {
  const lines = await mapInSlices(verdicts, (verdict) => JSON.stringify(verdict));
  const isSame = sql`${ownFile(importer, caller, id)} and state = ${state}`;
  await write(caller, (tx) =>
    tx
      .update(imports)
      .set({ verdicts: lines.join("\n"), checked_state: state })
      .where(isSame),
  );
}

/** Saves what was typed into the rows, and removes the rows that were left out. */
export async function correct(
  importer: Importer,
  caller: Caller,
  id: number,
  { typed, left }: { typed: ImportRow[]; left: number[] },
): Promise<void> {
  await write(caller, async (tx) => {
    const [found] = await tx
      .select({ rows: ROWS })
      .from(imports)
      .where(ownFile(importer, caller, id))
      .for("update");
    if (!found) throw notFound();
    const stored = await rowsIn(found.rows);
    const rows = new Map(stored.map(({ line, fields }) => [line, fields]));
    const corrected = typed.flatMap(({ line, fields }) => {
      const before = rows.get(line);
      return before ? [[line, { ...before, ...onlyKnown(importer, fields) }]] : [];
    });
    const changes = JSON.stringify(Object.fromEntries(corrected));
    await tx
      .update(imports)
      .set({ state: sql`state + 1`, rows: sql`(rows || ${changes}::text::jsonb) - ${keys(left)}` })
      .where(eq(imports.id, id));
  });
}

/** The columns that have to be assigned, with the keys of their cells and of what is chosen for them. */
export function unknownColumns({ columns }: Importer, file: Pick<ImportFile, "columns">) {
  return file.columns
    .map((heading, place) => ({ heading, key: unknownKey(place) }))
    .filter(({ heading }) => !columns.includes(heading));
}

/** Renames the unknown columns as chosen by key, and removes those with a blank choice. */
export async function assign(
  importer: Importer,
  caller: Caller,
  id: number,
  chosen: Record<string, string>,
): Promise<void> {
  await write(caller, async (tx) => {
    const own = ownFile(importer, caller, id);
    const [found] = await tx.execute<Pick<ImportFile, "columns">>(
      sql`select columns from imports where ${own} for update`,
    );
    if (!found) throw notFound();
    const unknown = unknownColumns(importer, found).map(({ key }) => key);
    if (unknown.length === 0) return;
    const known = found.columns.filter((name) => importer.columns.includes(name));
    const assigned = unknown
      .filter((key) => chosen[key] !== "")
      .map((key) => ({ key, name: chosen[key] ?? "" }));
    const columns = [...known, ...assigned.map(({ name }) => name)];
    const wrong = assigned.filter(
      ({ name }, at) =>
        !importer.columns.includes(name) || columns.indexOf(name) < known.length + at,
    );
    const message = "Choose a column that is neither in the file nor chosen twice, or leave it out";
    if (wrong.length > 0) throw refuse(wrong.map(({ key: field }) => ({ field, message })));
    if (columns.length === 0) throw invalid(unknownKey(0), "Assign at least one column");
    const cells = assigned.map(({ key, name }) => sql`${name}::text, value -> ${key}::text`);
    const row = sql`value - ${keys(unknown)} || jsonb_build_object(${sql.join(cells, sql`, `)})`;
    const rows = sql`(select coalesce(jsonb_object_agg(key, ${row}), '{}') from jsonb_each(rows))`;
    await tx.update(imports).set({ columns, rows, state: sql`state + 1` }).where(own);
  });
}

export async function remove(importer: Importer, caller: Caller, id: number): Promise<void> {
  await write(caller, async (tx) => {
    const removed = await tx
      .delete(imports)
      .where(ownFile(importer, caller, id))
      .returning({ id: imports.id });
    if (removed.length === 0) throw notFound();
  });
}

export interface Review {
  mode: ApplyMode;
  /** The state of the rows that the caller reviewed. */
  state: number;
  /** The fingerprint of the verdicts that the caller reviewed. */
  seen?: string | undefined;
  report?: Report;
}

/** Returns the change set; the same one again for the same rows. Refused rows stay in the file. */
export async function apply<Verdict extends RowVerdict>(
  importer: Importer<Verdict>,
  caller: Caller,
  id: number,
  { mode, state, seen, report }: Review,
): Promise<number> {
  const file = await find(importer, caller, id);
  if (file.change_set !== null && file.applied_state === state) return file.change_set;
  if (file.state !== state || file.rows.length === 0) {
    throw invalid("rows", "The rows have changed since the preview; check them again");
  }
  const idempotent = withIdempotency(caller, `import ${id} ${state}`);
  const { change_set, verdicts } = await importer.apply(idempotent, file.rows, {
    mode,
    seen,
    report,
  });
  const done = verdicts.filter((one) => !isRefused(one)).map(({ line }) => line);
  await write(caller, (tx) =>
    tx
      .update(imports)
      .set({
        rows: sql`rows - ${keys(done)}`,
        state: sql`state + 1`,
        applied_state: state,
        change_set,
      })
      .where(and(ownFile(importer, caller, id), eq(imports.state, state))),
  );
  return change_set;
}

type StoredFile = Omit<ImportFile, "rows"> & { rows: string; verdicts: string | null };

function ownFile({ kind }: Importer, caller: Caller, id: number): SQL {
  return sql`id = ${id} and kind = ${kind} and user_id = ${caller.id}`;
}

function keys(names: Array<number | string>): SQL {
  return sql`${sql.param(names.map(String))}::text[]`;
}

/** One row a line, after its number, so that rows can be parsed in slices. */
const ROWS = sql<string>`(
  select coalesce(string_agg(key || ' ' || value::text, E'\\n' order by key::int), '') from jsonb_each(rows))`;

async function rowsIn(text: string): Promise<ImportRow[]> {
  return mapInSlices(text === "" ? [] : text.split("\n"), (row) => {
    const at = row.indexOf(" ");
    return { line: Number(row.slice(0, at)), fields: JSON.parse(row.slice(at + 1)) };
  });
}

function onlyKnown({ columns }: Importer, fields: ImportRow["fields"]): ImportRow["fields"] {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => columns.includes(name)));
}

/** Makes a repeated request one change, by an idempotency key. */
function withIdempotency(caller: Caller, key: string): Caller {
  return {
    ...caller,
    options: { ...writeOptionsOf(caller), idempotency: { key, fingerprint: key } },
  };
}

function nameOf(name: string): string {
  const plain = name.toWellFormed().replace(/\p{C}/gu, "").trim();
  return plain.slice(0, 200) || "Unnamed file";
}
