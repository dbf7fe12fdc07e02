// Photos and documents of records: added, changed, deleted and read by those who do so with the record.
import type { Static } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { files } from "../../db/tables/files.ts";
import { type Caller, may, permit } from "../auth/auth.ts";
import { mayKnowPast } from "../auth/visibility.ts";
import { invalid, notFound } from "../input/errors.ts";
import { LARGEST_SMALL, MOST_SMALL } from "../input/limits.ts";
import { atLeastOne } from "../input/shape.ts";
import { composed } from "../input/text.ts";
import * as crud from "../store/crud.ts";
import { FILE_OWNERS, type FileOwner } from "../store/file_owners.ts";
import { mayEdit, mayEditHost } from "../store/may_edit.ts";
import { findPast, type PastRecord, rowsAt } from "../store/past/record.ts";
import type { Read } from "../store/read.ts";
import * as records from "../store/records.ts";
import { registered } from "../store/registry.ts";
import { changeFields, type RowOf, recordQuery } from "../store/resource.ts";
import { mayWrite } from "../store/rights/check.ts";
import { insert, write } from "../store/write.ts";
import { keepBytes } from "./blobs.ts";
import { contentOf } from "./content.ts";
import { file } from "./file.ts";

export const changedFile = atLeastOne(changeFields(file));

/** The record that has the files. */
export interface FilesOf {
  table: FileOwner;
  id: number;
}

export interface Upload {
  name: string;
  bytes: Buffer;
  caption?: string | null;
  /** The same picture for lists. */
  small?: Buffer | null;
}

/** The name of the record, which is visible to the caller. */
async function requireRecord(read: Read, caller: Caller, { table, id }: FilesOf): Promise<string> {
  const name = sql.identifier(table);
  const { key = "name", visible } = registered(table) ?? {};
  const [found] = await read<{ name: string }>(sql`
    select ${name}.${sql.identifier(key)} as name from ${name}
    where ${name}.id = ${id} and ${visible?.(caller) ?? sql`true`}`);
  if (!found) throw notFound();
  return found.name;
}

/** Whoever changes records of this kind changes their files; where, the end of the write decides. */
function requireEditor(caller: Caller, { table }: FilesOf): void {
  permit(caller, registered(table)?.editors ?? [], true);
}

/** The record as pages name it. */
export function nameOfRecord(caller: Caller, of: FilesOf): Promise<string> {
  return requireRecord(database.rows, caller, of);
}

/** Whether pages offer to add and change files of the record, which is visible to the caller. */
export async function mayChange(caller: Caller, { table, id }: FilesOf): Promise<boolean> {
  if (caller.read_only || !may(caller, registered(table)?.editors ?? [])) return false;
  if (table !== "hosts") return mayWrite(caller, table, id);
  const [found] = await database.rows(
    sql`select where ${mayEditHost(caller, sql`${id}::integer`)}`,
  );
  return found !== undefined;
}

function ofRecord({ table, id }: FilesOf): SQL {
  return sql`files.${sql.identifier(FILE_OWNERS[table].key)} = ${id}`;
}

export async function list(
  caller: Caller,
  of: FilesOf,
  params: URLSearchParams,
): Promise<records.ListJson<RowOf<typeof file>>> {
  const listed = await records.list(recordQuery(file, caller), params, ofRecord(of));
  if (listed.total === 0) await requireRecord(database.rows, caller, of);
  return listed as records.ListJson<RowOf<typeof file>>;
}

/** One file of this record. */
export async function find(
  caller: Caller,
  of: FilesOf,
  id: number,
  isRecursive = false,
): Promise<records.RecordJson<RowOf<typeof file>>> {
  await requireOwned(database.rows, of, id);
  return crud.find(file, caller, id, { isRecursive });
}

/** The same at a time. Its bytes may have gone since. */
export function findAt(
  caller: Caller,
  of: FilesOf,
  when: PastRecord,
): Promise<records.RecordJson<RowOf<typeof file>>> {
  const known = mayKnowPast(caller, of.table, sql`${of.id}::integer`);
  return findPast(caller, file, when, {
    known: sql`${ofRecord(of)} and ${known}`,
    tables: { files: rowsAt("files", when) },
  });
}

async function requireOwned(read: Read, of: FilesOf, id: number): Promise<void> {
  const [found] = await read(sql`select from files where files.id = ${id} and ${ofRecord(of)}`);
  if (!found) throw notFound();
}

export function add(
  caller: Caller,
  of: FilesOf,
  { name, bytes, caption = null, small }: Upload,
): Promise<records.RecordJson<RowOf<typeof file>>> {
  requireEditor(caller, of);
  const { type, isPlain: is_plain, summary } = contentOf(bytes);
  const isPicture = is_plain && type.startsWith("image/");
  if (small) requireSmall(small, isPicture);
  return write(
    caller,
    async (tx) => {
      await requireRecord(tx.execute, caller, of);
      if (of.table === "hosts") await mayEdit(tx.execute, caller, [of.id]);
      const blob = await keepBytes(tx, caller, bytes);
      const [place] = await tx.execute<{ position: number; has_picture: boolean }>(sql`
        select coalesce(max(position), 0) + ${GAP}::integer as position, coalesce(bool_or(is_picture), false) as has_picture
        from files where ${ofRecord(of)}`);
      return insert(tx, files, {
        [FILE_OWNERS[of.table].key]: of.id,
        ...{ name: cleaned(name), type, is_plain, summary, caption, ...blob },
        small: small ? (await keepBytes(tx, caller, small)).sha256 : null,
        position: place?.position ?? GAP,
        // The first one is, until somebody chooses another.
        is_picture: isPicture && !place?.has_picture,
      });
    },
    (tx, id) => crud.find(file, caller, id, { tx }),
  );
}

function requireSmall(small: Buffer, isPicture: boolean): void {
  const { type, size } = contentOf(small, "small");
  const { width, height } = size ?? { width: 0, height: 0 };
  const fits = Math.max(width, height) <= LARGEST_SMALL && small.length <= MOST_SMALL;
  if (!isPicture || type !== "image/jpeg" || !fits) {
    throw invalid(
      "small",
      `With a picture, use the same picture as a JPEG of at most ${LARGEST_SMALL} pixels a side and ${MOST_SMALL / 1024} KiB`,
    );
  }
}

export function update(
  caller: Caller,
  of: FilesOf,
  id: number,
  input: Static<typeof changedFile>,
): Promise<records.RecordJson<RowOf<typeof file>>> {
  requireEditor(caller, of);
  return crud.update(file, caller, id, input, (tx) => requireOwned(tx.execute, of, id));
}

/** Between the positions of two files, so that a moved one alone gets another. */
const GAP = 1_024;

/** Puts the file at a place in the order of its record: 0 is the first. */
export function move(caller: Caller, of: FilesOf, id: number, place: number): Promise<void> {
  requireEditor(caller, of);
  return write(caller, async (tx) => {
    const found = await tx.execute<{ id: number; position: number }>(
      sql`select id, position from files where ${ofRecord(of)} order by position, id`,
    );
    const one = found.find((other) => other.id === id);
    if (!one) throw notFound();
    const order = found.filter((other) => other !== one).toSpliced(place, 0, one);
    const at = order.indexOf(one);
    const [before = 0, after = before + 2 * GAP] = [order[at - 1], order[at + 1]].map(
      (other) => other?.position,
    );
    const between = Math.floor((before + after) / 2);
    const changed = between > before ? [{ id, position: between }] : order.map(spaced);
    for (const { id: each, position } of changed) {
      await crud.change(tx, caller, { resource: file, id: each }, { position });
    }
  });
}

function spaced({ id }: { id: number }, at: number) {
  return { id, position: (at + 1) * GAP };
}

export async function remove(caller: Caller, of: FilesOf, id: number): Promise<void> {
  requireEditor(caller, of);
  await requireOwned(database.rows, of, id);
  await crud.remove(file, caller, id);
}

interface SentFile {
  name: string;
  type: string;
  size: number;
  sha256: string;
  is_plain: boolean;
}

export interface WantedFile {
  of: FilesOf;
  id: number;
  /** A picture as lists show it, if there is a smaller one. */
  isSmall?: boolean;
}

/** What is sent of a file that the caller may see. */
export async function stored(
  caller: Caller,
  { of, id, isSmall = false }: WantedFile,
): Promise<SentFile> {
  const visible = file.visible?.(caller) ?? sql`true`;
  const bytes = isSmall ? sql`coalesce(small, files.sha256)` : sql`files.sha256`;
  const type = isSmall ? sql`case when small is null then type else 'image/jpeg' end` : sql`type`;
  const found = await database.row<SentFile>(sql`
    select name, ${type} as type, blob.size, blob.sha256, is_plain
    from files join file_blobs blob on blob.sha256 = ${bytes}
    where files.id = ${id} and ${ofRecord(of)} and ${visible}`);
  if (!found) throw notFound();
  return found;
}

const LONGEST_NAME = 150;

/** The last part of a path, without what a system or a terminal takes for something else. */
function cleaned(name: string): string {
  const last = composed(name).split(/[/\\]/).at(-1) ?? "";
  const plain = last
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"|?*]/gu, "")
    .trim()
    .replace(/^\.+/, "");
  if (plain === "") return "file";
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(plain)?.[0] ?? "";
  const stem = [...plain.slice(0, plain.length - ending.length)].slice(0, LONGEST_NAME - 11);
  return stem.join("") + ending;
}
