import type { SQL } from "bun";
import { damagedBackup, type Header } from "./format.ts";

type BackupTable = Header["tables"][number];

/** Characters that go to the server at once. */
const BATCH = 1_000_000;

/** Fills the tables with exactly the rows that the header promises. */
export async function insertRows(
  tx: SQL,
  tables: BackupTable[],
  lines: AsyncGenerator<string>,
): Promise<void> {
  for (const table of tables) await fillTable(tx, table, lines);
  // The seal is checked when the last line is read.
  if (!(await lines.next()).done) throw damagedBackup();
}

async function fillTable(
  tx: SQL,
  table: BackupTable,
  lines: AsyncGenerator<string>,
): Promise<void> {
  const [found] = await tx`
    select attrelid::regclass::text as name, string_agg(quote_ident(attname), ', ') as columns
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relname = ${table.name} and relkind = 'r' and relnamespace = current_schema()::regnamespace
      and attnum > 0 and not attisdropped and attgenerated = ''
    group by attrelid`;
  if (!found) throw damagedBackup();
  const { name, columns } = found;
  // Rows of the migrations are in the backup, too; and nothing is stamped or tracked again.
  await tx.unsafe(`truncate ${name}; alter table ${name} disable trigger user`);
  for await (const rows of batches(lines, table)) {
    await tx.unsafe(
      `insert into ${name} (${columns})
       select ${columns} from json_populate_recordset(null::${name}, $1::text::json)`,
      [rows],
    );
  }
  await tx.unsafe(`alter table ${name} enable trigger user`);
}

/** The rows of one table as JSON arrays of some length. */
async function* batches(lines: AsyncGenerator<string>, table: BackupTable): AsyncGenerator<string> {
  const opening = `{"${table.name}":`;
  let batch: string[] = [];
  let length = 0;
  for (let row = 0; row < table.rows; row += 1) {
    const { value: line } = await lines.next();
    if (!line?.startsWith(opening)) throw damagedBackup();
    batch.push(line.slice(opening.length, -1));
    length += line.length;
    if (length < BATCH) continue;
    yield `[${batch.join()}]`;
    batch = [];
    length = 0;
  }
  if (batch.length > 0) yield `[${batch.join()}]`;
}
