// The ids on the labels: three letters and three digits. Those that begin with ZZ are temporary,
// given to what has no label yet.
import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { invalid } from "../errors.ts";
import { type Transaction, takeTurn } from "../write.ts";

const FORM = /^[A-Za-z]{3}[0-9]{3}$/;

export const ICS_ID = Type.String({
  pattern: FORM.source,
  description: "Use three letters and three digits, such as AAA001",
});

export function isIcsId(text: string): boolean {
  return FORM.test(text);
}

/** As it is kept; a temporary one is given, never picked. */
export function chosen(text: string): string {
  const id = text.toUpperCase();
  if (isTemporary(id))
    throw invalid("ics_id", "Ids that begin with ZZ are temporary and are given by the register");
  return id;
}

export function isTemporary(id: string): boolean {
  return id.startsWith("ZZ");
}

/**
 * The first temporary id that is free. Whoever asks waits for the one before, until that one's item
 * is there to be seen: so no id is given twice, and none is skipped.
 */
export async function nextTemporary(tx: Transaction): Promise<string> {
  await awaitTemporary(tx);
  const [free] = await tx.execute<{ id: string }>(sql`
    select candidate.id
    from generate_series(0, 25999) number,
      lateral (select 'ZZ' || chr(65 + number / 1000) || lpad((number % 1000)::text, 3, '0') as id) candidate
    where not exists (select 1 from items where items.ics_id = candidate.id)
    order by number limit 1`);
  if (!free)
    throw invalid("ics_id", "All temporary ids are in use; give the item an id of its own");
  return free.id;
}

/** Whoever takes a temporary id, or gets one back, waits for the one before. */
export function awaitTemporary(tx: Transaction): Promise<void> {
  return takeTurn(tx, "temporary ics ids");
}
