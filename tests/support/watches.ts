// Watches, and the time that passes for their mails.
import { expect } from "bun:test";
import { alice, api, idOf, type Person, service } from "./mod.ts";

/** An address that an admin gave needs no confirmation. */
export async function giveAddress(person: Person, email = `${person.username}@example.org`) {
  const { status } = await api(alice).patch(`/user/users/${await idOf(person)}`, { email });
  expect(status).toBe(200);
}

export async function watching(
  person: Person,
  table_name: string,
  row_id: number,
  mail = "at_once",
) {
  const made = await api(person).post("/user/watches", { table_name, row_id, mail });
  expect([made.status, made.body]).toEqual([201, expect.anything()]);
  return made.body.id as number;
}

export async function changed(path: string, body: object, person = alice): Promise<void> {
  const { status, text } = await api(person).patch(path, body);
  expect([path, status, text.slice(0, 200)]).toEqual([path, 200, expect.anything()]);
}

/** As if this much time had passed since everything that waits was written. */
export async function pass(time: string): Promise<void> {
  const { sql } = await service();
  await sql.unsafe(`update notice_settings set mail_at = mail_at - interval '${time}',
    digest_at = digest_at - interval '${time}'`);
  await sql.unsafe(`update mails set next_at = next_at - interval '${time}',
    created_at = created_at - interval '${time}' where status = 'waiting'`);
}

export async function statuses(): Promise<string[]> {
  const { sql } = await service();
  return (await sql`select status from mails order by id`).map((one: any) => one.status);
}
