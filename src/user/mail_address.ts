// Whether mails may go to the address of a user: see src/events/notices/address.ts.
import { sql } from "drizzle-orm";
import type { Transaction } from "../store/write.ts";

/**
 * An address that its user enters gets a mail with a link, and no other mail until the link is followed. That of an admin
 * needs no confirmation.
 */
export async function noteAddress(
  tx: Transaction,
  user: number,
  { isOwn }: { isOwn: boolean },
): Promise<void> {
  if (!isOwn) {
    await tx.execute(sql`
      update notice_settings set unconfirmed = null where user_id = ${user} and unconfirmed is not null`);
    return;
  }
  await tx.execute(sql`
    insert into notice_settings (user_id, unconfirmed) select id, email from users where id = ${user}
    on conflict (user_id) do update set unconfirmed = excluded.unconfirmed`);
}
