// Rows as they were: in few statements, and in the order that their references ask for.
import { type SQL, sql } from "drizzle-orm";
import type { State } from "../differences.ts";
import type { Transaction } from "../write.ts";
import { kinds, pictureOf } from "./attributes.ts";
import type { Reversal, Table } from "./reversals.ts";

const ATTRIBUTES: Table[] = ["manufacturers", "models", "locations", "statuses"];

export async function putBack(tx: Transaction, reversals: Reversal[]): Promise<void> {
  const of = (...tables: Table[]) =>
    tables.map((table) => reversals.filter((one) => one.table === table));
  await tx.execute(sql`set constraints all deferred`);
  await inTurn(of("comments", "macs"), (rows) => removeMade(tx, rows));
  await inTurn(of(...ATTRIBUTES), (rows) => restore(tx, rows));
  await inTurn(of("items"), (rows) => removeMade(tx, rows));
  await inTurn(of("items", "macs", "comments"), (rows) => restore(tx, rows));
  await inTurn(of(...ATTRIBUTES), (rows) => removeMade(tx, rows));
  await tx.execute(sql`set constraints all immediate`);
}

async function inTurn(
  groups: Reversal[][],
  work: (rows: Reversal[]) => Promise<void>,
): Promise<void> {
  for (const rows of groups) await work(rows);
}

async function removeMade(tx: Transaction, rows: Reversal[]): Promise<void> {
  const made = rows.filter(({ was }) => was === null);
  const [first] = made;
  if (!first) return;
  await tx.execute(sql`delete from ${sql.identifier(first.table)} where id = any(${idsOf(made)})`);
}

async function restore(tx: Transaction, rows: Reversal[]): Promise<void> {
  await insertAgain(tx, rows);
  const changed = rows.filter(({ was, left }) => was && left);
  const alike = Object.groupBy(changed, ({ columns }) => columns.join());
  for (const group of Object.values(alike)) await setBack(tx, group ?? []);
}

async function insertAgain(tx: Transaction, rows: Reversal[]): Promise<void> {
  const gone = rows.filter(({ left }) => left === null);
  const [first] = gone;
  if (!first) return;
  const states = await Promise.all(gone.map(withPicture));
  const table = sql.identifier(first.table);
  await tx.execute(sql`select set_config('app.puts_back', 'yes', true)`);
  await tx.execute(sql`insert into ${table} ${recordsOf(first.table, states)}`);
  await tx.execute(sql`select set_config('app.puts_back', '', true)`);
}

/** Rows of which the same columns go back. */
async function setBack(tx: Transaction, rows: Reversal[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const states = await Promise.all(rows.map(withPicture));
  const isRenamed = first.columns.includes("name");
  const columns = [...first.columns, ...(isRenamed ? ["qrcode"] : [])].map((column) => {
    const name = sql.identifier(column);
    return sql`${name} = old.${name}`;
  });
  const table = sql.identifier(first.table);
  await tx.execute(sql`
    update ${table} set ${sql.join(columns, sql`, `)}
    from (${recordsOf(first.table, states)}) old where ${table}.id = old.id`);
}

function recordsOf(table: Table, states: State[]): SQL {
  const json = JSON.stringify(states);
  return sql`select * from jsonb_populate_recordset(null::${sql.identifier(table)}, ${json}::text::jsonb)`;
}

/** History does not keep the pictures of codes, which follow from the names. */
async function withPicture({ table, was }: Reversal): Promise<State> {
  const of = kinds.find(({ plural }) => plural === table);
  return of ? { ...was, qrcode: await pictureOf(of, String(was?.name)) } : { ...was };
}

function idsOf(rows: Reversal[]): SQL {
  return sql`${sql.param(rows.map(({ id }) => String(id)))}::text[]::integer[]`;
}
