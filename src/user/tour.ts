// The tour on the home page: each person sees it until they close it.
import { and, eq } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { closed_cards } from "../../db/tables/user.ts";
import type { Caller } from "../auth/auth.ts";
import { write } from "../store/write.ts";

const NAME = "tour";

export async function isOpen({ id }: Caller): Promise<boolean> {
  const own = and(eq(closed_cards.user_id, id ?? 0), eq(closed_cards.name, NAME));
  const closed = await database.row(
    database.build.select({ name: closed_cards.name }).from(closed_cards).where(own),
  );
  return closed === undefined;
}

export async function close(caller: Caller): Promise<void> {
  const closed = { user_id: caller.id ?? 0, name: NAME };
  await write(caller, (tx) => tx.insert(closed_cards).values(closed).onConflictDoNothing());
}
