// Hundreds of thousands of items, for tests at scale: written in bulk, but stamped and tracked like any others.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { type Caller, consoleCaller } from "../auth/auth.ts";
import { type Transaction, write } from "../store/write.ts";
import { makers } from "./catalogue.ts";

/** Items in one change set, well within the statement timeout. */
const BATCH = 2_500;
const HELD = 10;
const DAY = 24 * 60 * 60 * 1_000;
/** Labels end at YZZ999: those that begin with ZZ are temporary. */
export const MOST_ITEMS = 1_000_000;

/** Adds the missing items as crates of nine cards, spread over eleven months. */
export async function addItems(target: number, until: Date): Promise<void> {
  const existing = await database.row<{ count: number; next: number }>(sql`
    select count(*)::int as count, coalesce(max(${numberOf(sql`ics_id`)}) + 1, 0)::int as next
    from items where ics_id not like 'ZZ%'`);
  const { count = 0, next = 0 } = existing ?? {};
  // A crate begins at a round number, so that its cards find it.
  const first = Math.ceil(next / HELD) * HELD;
  const end = first + target - count;
  for (let from = first; from < end; from += BATCH) {
    const batch = { from, to: Math.min(from + BATCH, end) - 1 };
    const day = 330 * (1 - (from - first) / (end - first)) + 25;
    await deliver(batch, new Date(until.getTime() - day * DAY));
  }
  await database.change(sql`analyze items, comments, macs, changes`);
}

interface Batch {
  from: number;
  to: number;
}

async function deliver(batch: Batch, at: Date): Promise<void> {
  const editor = await inventoryEditor(batch.from);
  await write({ ...editor, at }, async (tx) => {
    await register(tx, batch, sql`number % ${HELD} = 0`);
    await register(tx, batch, sql`number % ${HELD} <> 0`);
    await label(tx, batch);
  });
  const later = new Date(at.getTime() + 20 * DAY);
  await write({ ...editor, at: later }, (tx) => install(tx, batch));
}

/** Registers crates with nine cards each, with makers and models of the catalogue. */
async function register(tx: Transaction, { from, to }: Batch, which: SQL): Promise<void> {
  const products = makers.flatMap(({ name, models }) =>
    models.map((model) => ({ maker: name, model: model.name })),
  );
  await tx.execute(sql`
    with products as (
      select row_number() over (order by models.id) - 1 as place, models.id as model_id, manufacturers.id as manufacturer_id
      from jsonb_to_recordset(${JSON.stringify(products)}::text::jsonb) product (maker text, model text)
        join models on models.name = product.model
        join manufacturers on manufacturers.name = product.maker
    )
    insert into items (ics_id, serial_number, manufacturer_id, model_id, location_id, status_id, parent_id)
    select ${labelOf(sql`number`)}, upper(substr(md5(number::text), 1, 10)), products.manufacturer_id, products.model_id,
      locations.id, statuses.id,
      (select id from items where ics_id = ${labelOf(sql`(number - number % ${HELD})`)})
    from generate_series(${from}::integer, ${to}::integer) number
      left join products on place = number * 7 % (select count(*) from products)
      left join locations on locations.name = 'A02 Goods reception'
      left join statuses on statuses.name = 'In stock'
    where ${which}`);
}

/** Every eighth item gets a MAC address, every fiftieth a comment. */
async function label(tx: Transaction, batch: Batch): Promise<void> {
  await tx.execute(sql`
    insert into macs (address, item_id)
    select ('0a26' || lpad(to_hex(number), 8, '0'))::macaddr, id from (${numbered(batch)}) those where number % 8 = 0`);
  await tx.execute(sql`
    insert into comments (item_id, body)
    select id, 'Accepted: all channels within their limits' from (${numbered(batch)}) those where number % 50 = 0`);
}

/** Installs two of three crates with their cards. */
async function install(tx: Transaction, batch: Batch): Promise<void> {
  await tx.execute(sql`
    with racks as (select array_agg(id order by id) as ids from locations where name like '%, rack %')
    update items set location_id = ids[1 + number / ${HELD} % cardinality(ids)], status_id = statuses.id
    from (${numbered(batch)}) those, racks, statuses
    where items.id = those.id and number / ${HELD} % 3 <> 0 and statuses.name = 'In service'`);
}

/** The items of a batch: labels sort as their numbers do. */
function numbered({ from, to }: Batch): SQL {
  const [first, last] = [labelOf(sql`${from}::integer`), labelOf(sql`${to}::integer`)];
  return sql`
    select id, ${numberOf(sql`ics_id`)} as number from items where ics_id between ${first} and ${last}`;
}

async function inventoryEditor(turn: number): Promise<Caller> {
  const editors = await database.rows<{ id: number; username: string }>(
    sql`select id, username from users where groups @> '{inventory}' order by id`,
  );
  const editor = editors[turn % editors.length];
  return editor ? { ...consoleCaller, ...editor } : consoleCaller;
}

/** AAA000 is 0, AAB000 is 1000. */
function labelOf(number: SQL): SQL {
  const letters = sql`(${number} / 1000)`;
  return sql`(chr(65 + ${letters} / 676) || chr(65 + ${letters} / 26 % 26) || chr(65 + ${letters} % 26)
    || lpad((${number} % 1000)::text, 3, '0'))`;
}

function numberOf(label: SQL): SQL {
  return sql`(((ascii(${label}) - 65) * 676 + (ascii(substr(${label}, 2)) - 65) * 26 + ascii(substr(${label}, 3)) - 65) * 1000
    + right(${label}, 3)::integer)`;
}
