// What was said last. In the database, so that every instance knows it and serials never go back.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { DatabaseUnavailable } from "../../../db/errors.ts";

export interface State {
  /** Of all records that feeds tell of and this caller may know of. */
  state: string;
  /** The newest change, if none was under way when it was looked for. */
  settled: number | null;
}

export interface Kept extends State {
  tag: string;
  etag: string;
  serial: number;
  /** When it was first seen to be what it is. */
  changed_at: Date;
}

type Made = State & { tag: string };
type Row = Omit<Kept, "etag">;
type Remembered = Kept & {
  /** Nobody has changed anything since, anywhere. */
  is_fresh: boolean;
};

export async function recall(asked: string): Promise<Remembered | undefined> {
  const row = await database.row<Row & { is_fresh: boolean; is_idle: boolean }>(sql`
    select state, settled::float8 as settled, tag, serial::float8 as serial, changed_at,
      coalesce(settled = (select max(id) from changes), false) as is_fresh,
      asked_at < now() - interval '1 day' and not pg_is_in_recovery() as is_idle
    from feeds where asked = ${asked}`);
  if (row?.is_idle) await noteUse(asked);
  return row && { ...withTag(row), is_fresh: row.is_fresh };
}

/** It was made from what there is now, after all. */
export async function settle(asked: string, { state, settled }: State): Promise<void> {
  if (settled === null) return;
  await database.change(sql`
    update feeds set settled = ${settled} where asked = ${asked} and state = ${state}`);
}

/**
 * The serial moves when the text does. It is the time in seconds, or one more than the last: so it does not go
 * back even where what was remembered is lost.
 */
export async function remember(asked: string, made: Made): Promise<Kept> {
  const [row] = await keep(asked, made).catch((fault) => {
    if (fault instanceof DatabaseUnavailable && fault.onlyReads) return reckon(asked, made);
    throw fault;
  });
  if (!row) throw new Error("A feed was not remembered");
  return withTag(row);
}

function keep(asked: string, made: Made): Promise<Row[]> {
  return database.change<Row>(sql`
    insert into feeds (asked, state, settled, tag, serial)
    values (${asked}, ${made.state}, ${made.settled}::bigint, ${made.tag}, extract(epoch from now())::bigint)
    on conflict (asked) do update set
      state = excluded.state, settled = excluded.settled, tag = excluded.tag, asked_at = now(),
      serial = case when feeds.tag = excluded.tag then feeds.serial
        else greatest(feeds.serial + 1, excluded.serial) end,
      changed_at = case when feeds.tag = excluded.tag then feeds.changed_at else now() end
    returning state, settled::float8 as settled, tag, serial::float8 as serial, changed_at`);
}

/** Where nothing can be kept, the newest change says when: so all replicas tell the same of the same. */
function reckon(asked: string, { state, tag }: Made): Promise<Row[]> {
  return database.rows<Row>(sql`
    with newest as (select coalesce(max(at), 'epoch') as at from changes where id = (select max(id) from changes))
    select ${state} as state, null as settled, ${tag} as tag,
      (case when feeds.tag = ${tag} then feeds.serial
        else greatest(feeds.serial + 1, extract(epoch from newest.at)::bigint) end)::float8 as serial,
      case when feeds.tag = ${tag} then feeds.changed_at else newest.at end as changed_at
    from newest left join feeds on feeds.asked = ${asked}`);
}

/** To the day: housekeeping forgets what nobody has asked for in a season. */
async function noteUse(asked: string): Promise<void> {
  await database.change(sql`update feeds set asked_at = now() where asked = ${asked}`);
}

function withTag(row: Row): Kept {
  return { ...row, etag: `"${row.serial.toString(36)}.${row.tag}"` };
}
