// Rows as they were: in few statements, and in the order that their references ask for.
import { type SQL, sql } from "drizzle-orm";
import type { State } from "../history/differences.ts";
import { kinds } from "../inventory/attributes/attribute.ts";
import { pictureOf } from "../inventory/attributes/attributes.ts";
import { resources } from "../resources.ts";
import type { Transaction } from "../store/write.ts";
import { saying } from "./constraint_messages.ts";
import { idsOf, type Reversal } from "./reversals.ts";
import type { Table } from "./tables.ts";

type Work = (tx: Transaction, rows: Reversal[]) => Promise<void>;

/** What is part of other records: see STEPS for when it goes and returns. */
const PARTS = ["comments", "macs", "cnames", "interfaces", "items"];
/** Everything else, each after what it refers to. */
const WHOLES: Table[] = resources.map(({ name }) => name).filter((name) => !PARTS.includes(name));

/** What hangs on nothing goes first; what others refer to is there before them, and goes after them. */
const STEPS: Array<[work: Work, tables: Table[]]> = [
  [removeMade, ["comments", "macs", "cnames", "group_hosts", "group_children"]],
  [restore, WHOLES],
  [removeMade, ["interfaces"]],
  [restore, ["interfaces", "cnames"]],
  [removeMade, ["items"]],
  [restore, ["items", "macs", "comments", "group_hosts", "group_children"]],
  [removeMade, WHOLES.toReversed()],
];

export async function putBack(tx: Transaction, reversals: Reversal[]): Promise<void> {
  const of = Object.groupBy(reversals, ({ table }) => table);
  await tx.execute(sql`set constraints all deferred`);
  for (const [work, tables] of STEPS) {
    for (const table of tables) {
      const rows = of[table] ?? [];
      await saying(rows, () => work(tx, rows));
    }
  }
  await saying(of.items ?? [], () => tx.execute(sql`set constraints all immediate`));
}

/** Who is hidden in a group that is to choose by a query again does not stay, as after any such change. */
export async function scatterHidden(tx: Transaction, reversals: Reversal[]): Promise<void> {
  const groups = reversals.filter(({ table, was }) => table === "groups" && was?.type === "query");
  if (groups.length === 0) return;
  await tx.execute(sql`delete from group_hosts where group_id = any(${idsOf(groups)})`);
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
  const isRenamed = first.columns.includes("name") && "qrcode" in (states[0] ?? {});
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
