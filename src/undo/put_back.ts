// Restores rows, in few statements and in the order that their references require.

import { type SQL, sql } from "drizzle-orm";
import { group_hosts } from "../../db/tables/network.ts";
import type { RowState } from "../history/differences.ts";
import { kinds } from "../inventory/attributes/attribute.ts";
import { pictureOf } from "../inventory/attributes/attributes.ts";
import { resources } from "../resources.ts";
import { analyzeChanged, MANY } from "../store/many_rows.ts";
import type { Transaction } from "../store/write.ts";
import { withRowMessages } from "./constraint_messages.ts";
import { type Reversal, rowIds } from "./reversals.ts";
import type { RestoredTable } from "./tables.ts";

type UndoStep = (tx: Transaction, rows: Reversal[]) => Promise<void>;

/** Tables whose rows are parts of other records; STEPS decides their order. */
const PART_TABLES = ["files", "comments", "macs", "cnames", "interfaces", "items"];
/** All other tables, each after the tables that it refers to. */
const OTHER_TABLES: RestoredTable[] = resources
  .map(({ name }) => name)
  .filter((name) => !PART_TABLES.includes(name));

/** Rows that nothing refers to are deleted first; referenced rows are restored before and deleted after those that refer to them. */
const STEPS: Array<[work: UndoStep, tables: RestoredTable[]]> = [
  [deleteCreated, ["files", "comments", "macs", "cnames", "group_hosts", "group_children"]],
  [restore, OTHER_TABLES],
  [deleteCreated, ["interfaces"]],
  [restore, ["interfaces", "cnames"]],
  [deleteCreated, ["items"]],
  [restore, ["items", "macs", "comments", "files", "group_hosts", "group_children"]],
  [deleteCreated, OTHER_TABLES.toReversed()],
];

export async function applyReversals(tx: Transaction, reversals: Reversal[]): Promise<void> {
  const of = Object.groupBy(reversals, ({ table }) => table);
  await tx.execute(sql`set constraints all deferred`);
  for (const [work, tables] of STEPS) {
    for (const table of tables) {
      const rows = of[table] ?? [];
      await withRowMessages(rows, () => work(tx, rows));
    }
  }
  await withRowMessages(of.items ?? [], () => tx.execute(sql`set constraints all immediate`));
}

/** A restored group by query keeps no static members, hidden ones included, as after any change to that type. */
export async function removeHiddenMembers(tx: Transaction, reversals: Reversal[]): Promise<void> {
  const groups = reversals.filter(
    ({ table, before }) => table === "groups" && before?.type === "query",
  );
  if (groups.length === 0) return;
  await tx.delete(group_hosts).where(sql`${group_hosts.group_id} = any(${rowIds(groups)})`);
}

async function deleteCreated(tx: Transaction, rows: Reversal[]): Promise<void> {
  const created = rows.filter(({ before }) => before === null);
  const [first] = created;
  if (!first) return;
  await tx.execute(
    sql`delete from ${sql.identifier(first.table)} where id = any(${rowIds(created)})`,
  );
}

async function restore(tx: Transaction, rows: Reversal[]): Promise<void> {
  await insertDeleted(tx, rows);
  const changed = rows.filter(({ before, after }) => before && after);
  const byColumns = Object.groupBy(changed, ({ columns }) => columns.join());
  for (const group of Object.values(byColumns)) await restoreColumns(tx, group ?? []);
}

async function insertDeleted(tx: Transaction, rows: Reversal[]): Promise<void> {
  const deleted = rows.filter(({ after }) => after === null);
  const [first] = deleted;
  if (!first) return;
  const states = await Promise.all(deleted.map(withPicture));
  const table = sql.identifier(first.table);
  await tx.execute(sql`select set_config('app.puts_back', 'yes', true)`);
  const columns = sql.join(await columnsOf(tx, first.table, Object.keys(states[0] ?? {})), sql`, `);
  await tx.execute(sql`
    insert into ${table} (${columns}) select ${columns} from (${recordsOf(first.table, states)}) old`);
  await tx.execute(sql`select set_config('app.puts_back', '', true)`);
  if (deleted.length >= MANY) await analyzeChanged(tx);
}

/** Of these columns those that can be written; those that were added since a deletion take their defaults. */
async function columnsOf(tx: Transaction, table: RestoredTable, names: string[]) {
  const found = await tx.execute<{ name: string }>(sql`
    select attname as name from pg_attribute
    where attrelid = ${table}::text::regclass and attnum > 0 and attgenerated = ''
      and attname = any(${sql.param(names)}::text[])`);
  return found.map(({ name }) => sql.identifier(name));
}

/** Restores rows that have the same changed columns. */
async function restoreColumns(tx: Transaction, rows: Reversal[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const states = await Promise.all(rows.map(withPicture));
  const isRenamed = first.columns.includes("name") && "qrcode" in (states[0] ?? {});
  const changed = [...first.columns, ...(isRenamed ? ["qrcode"] : [])];
  const columns = await columnsOf(tx, first.table, changed);
  const table = sql.identifier(first.table);
  await tx.execute(sql`
    update ${table} set ${sql.join(
      columns.map((name) => sql`${name} = old.${name}`),
      sql`, `,
    )}
    from (${recordsOf(first.table, states)}) old where ${table}.id = old.id`);
}

function recordsOf(table: RestoredTable, states: RowState[]): SQL {
  const json = JSON.stringify(states);
  return sql`select * from jsonb_populate_recordset(null::${sql.identifier(table)}, ${json}::text::jsonb)`;
}

/** The history does not store images of QR codes: they are derived from names. */
async function withPicture({ table, before }: Reversal): Promise<RowState> {
  const of = kinds.find(({ plural }) => plural === table);
  return of ? { ...before, qrcode: await pictureOf(of, String(before?.name)) } : { ...before };
}
