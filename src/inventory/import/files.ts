// A file of items on its way into the register: read, looked through, mended row by row, then applied.
// Until then it is nobody's business but its owner's.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { imports } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { invalid, notFound } from "../../input/errors.ts";
import { MOST_COLUMNS } from "../../input/limits.ts";
import { mapInSlices } from "../../input/time_slices.ts";
import { readTableInThread } from "../../spreadsheet/table_thread.ts";
import { write } from "../../store/write.ts";
import * as engine from "./import.ts";

export interface ImportFile {
  id: number;
  file_name: string;
  columns: string[];
  rows: engine.Row[];
  /** Goes up with each change of the rows. */
  state: number;
  applied_state: number | null;
  /** What was applied last. */
  change_set: number | null;
}

const MOST_FILES = 10;

/** Keeps what the file holds, or refuses it as a whole; of one person's files the last few stay. */
export async function keep(
  caller: Caller,
  file: { name: string; bytes: Uint8Array },
): Promise<number> {
  const { columns, rows } = await readTableInThread(file.bytes, {
    limits: { rows: engine.MOST_ROWS, columns: MOST_COLUMNS },
    columns: engine.COLUMNS,
    ignored: engine.IGNORED,
  });
  return write(caller, async (tx) => {
    const [kept] = await tx.execute<{ id: number }>(sql`
      insert into ${imports} (user_id, file_name, columns, rows)
      values (${caller.id}, ${nameOf(file.name)}, ${sql.param(columns)}::text[], ${rows}::text::jsonb)
      returning id`);
    await tx.execute(sql`
      delete from ${imports} where user_id = ${caller.id} and id not in (
        select id from ${imports} where user_id = ${caller.id} order by id desc limit ${MOST_FILES})`);
    return kept?.id ?? 0;
  });
}

export type Waiting = Pick<ImportFile, "id" | "file_name"> & { created_at: string };

/** The files that still have rows to look through, the last one first. */
export function list(caller: Caller): Promise<Waiting[]> {
  return database.rows<Waiting>(sql`
    select id, file_name, shown(created_at) as created_at from imports
    where user_id = ${caller.id} and rows <> '{}' order by id desc`);
}

export async function find(caller: Caller, id: number): Promise<ImportFile> {
  const found = await database.row<Found>(sql`
    select id, file_name, columns, ${ROWS} as rows, state, applied_state, change_set::int as change_set
    from imports where ${own(caller, id)}`);
  if (!found) throw notFound();
  return { ...found, rows: await rowsIn(found.rows) };
}

/** The rows with what was typed into them, and without those that are left out. */
export async function mend(
  caller: Caller,
  id: number,
  { typed, left }: { typed: engine.Row[]; left: number[] },
): Promise<void> {
  await write(caller, async (tx) => {
    const [found] = await tx.execute<{ rows: string }>(
      sql`select ${ROWS} as rows from imports where ${own(caller, id)} for update`,
    );
    if (!found) throw notFound();
    const kept = await rowsIn(found.rows);
    const rows = new Map(kept.map(({ line, fields }) => [line, fields]));
    const mended = typed.flatMap(({ line, fields }) => {
      const before = rows.get(line);
      return before ? [[line, { ...before, ...onlyKnown(fields) }]] : [];
    });
    await tx.execute(sql`
      update imports set state = state + 1,
        rows = (rows || ${JSON.stringify(Object.fromEntries(mended))}::text::jsonb) - ${keys(left)}
      where id = ${id}`);
  });
}

export async function remove(caller: Caller, id: number): Promise<void> {
  await write(caller, async (tx) => {
    const removed = await tx.execute(
      sql`delete from imports where ${own(caller, id)} returning id`,
    );
    if (removed.length === 0) throw notFound();
  });
}

interface Looked {
  wanted: engine.Wanted;
  /** Of the rows, as they were looked at. */
  state: number;
}

/** Gives the number of the change; the same once more for the same rows. What was refused stays. */
export async function apply(
  caller: Caller,
  id: number,
  { wanted, state }: Looked,
): Promise<number> {
  const file = await find(caller, id);
  if (file.change_set !== null && file.applied_state === state) return file.change_set;
  if (file.state !== state || file.rows.length === 0) {
    throw invalid("rows", "The rows have changed since you looked at them; look again");
  }
  const once = onceOnly(caller, `import ${id} ${state}`);
  const { change_set, verdicts } = await engine.apply(once, file.rows, wanted);
  const done = verdicts.filter((one) => !engine.isRefused(one)).map(({ line }) => line);
  await write(caller, (tx) =>
    tx.execute(sql`
      update imports set rows = rows - ${keys(done)}, state = state + 1, applied_state = ${state},
        change_set = ${change_set}
      where ${own(caller, id)} and state = ${state}`),
  );
  return change_set;
}

type Found = Omit<ImportFile, "rows"> & { rows: string };

function own(caller: Caller, id: number): SQL {
  return sql`id = ${id} and user_id = ${caller.id}`;
}

function keys(lines: number[]): SQL {
  return sql`${sql.param(lines.map(String))}::text[]`;
}

/** Each row on a line of its own, behind its number: so none has to be read together with all others. */
const ROWS = sql`(
  select coalesce(string_agg(key || ' ' || value::text, E'\\n' order by key::int), '') from jsonb_each(rows))`;

async function rowsIn(text: string): Promise<engine.Row[]> {
  return mapInSlices(text === "" ? [] : text.split("\n"), (row) => {
    const at = row.indexOf(" ");
    return { line: Number(row.slice(0, at)), fields: JSON.parse(row.slice(at + 1)) };
  });
}

function onlyKnown(fields: engine.Row["fields"]): engine.Row["fields"] {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => engine.COLUMNS.includes(name)),
  );
}

/** Sent twice, or sent again after its answer was lost, it is one change. */
function onceOnly(caller: Caller, key: string): Caller {
  const wishes = caller.wishes ?? { request_id: "", dry_run: false, if_match: null };
  return { ...caller, wishes: { ...wishes, idempotency: { key, fingerprint: key } } };
}

function nameOf(name: string): string {
  const plain = name.toWellFormed().replace(/\p{C}/gu, "").trim();
  return plain.slice(0, 200) || "Unnamed file";
}
