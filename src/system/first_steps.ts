// What a new site still lacks, for its admins: kept on the home page until everything is there or an admin closes it.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { type Caller, requireAdmin } from "../auth/auth.ts";
import { write } from "../store/write.ts";

const SETTING = "first_steps";

/** What a step makes, and whether it is there, hidden or not. */
const MADE = {
  networks: sql`exists (select from networks)`,
  statuses: sql`exists (select from statuses)`,
  hosts: sql`exists (select from hosts)`,
  locations: sql`exists (select from locations)`,
  items: sql`exists (select from items)`,
  users: sql`(select count(*) > 1 from (select from users limit 2) people)`,
  backups: sql`exists (select from backups where result in ('written', 'unproven', 'good'))`,
  sign_in: sql`(${isNoted("sign_in")} or exists (select from identity_providers where is_enabled))`,
  phone: isNoted("phone"),
  tokens: sql`exists (select from tokens where kind = 'personal')`,
};

export type FirstStep = keyof typeof MADE;

/** Steps that an admin notes as done: no record shows it, or there is nothing to do. */
export const NOTED = ["sign_in", "phone"] as const;
export type NotedStep = (typeof NOTED)[number];

function isNoted(step: NotedStep): SQL {
  return sql`exists (select from settings where name = ${`${SETTING}.${step}`})`;
}

/** The steps that were taken; undefined once there is nothing left to show. */
export async function stepsTaken(): Promise<ReadonlySet<FirstStep> | undefined> {
  const names = Object.keys(MADE) as FirstStep[];
  const columns = names.map((name) => sql`${MADE[name]} as ${sql.identifier(name)}`);
  const found = await database.row<Record<FirstStep | "closed", boolean>>(sql`
    select ${sql.join(columns, sql`, `)},
      exists (select from settings where name = ${SETTING} and value = 'closed') as closed`);
  const taken = new Set(names.filter((name) => found?.[name]));
  return found?.closed || taken.size === names.length ? undefined : taken;
}

export function close(caller: Caller): Promise<void> {
  return set(caller, SETTING, "closed");
}

export function note(caller: Caller, step: NotedStep): Promise<void> {
  return set(caller, `${SETTING}.${step}`, "done");
}

async function set(caller: Caller, name: string, value: string): Promise<void> {
  requireAdmin(caller);
  await write(caller, (tx) =>
    tx.execute(sql`
      insert into settings (name, value) values (${name}, ${value})
      on conflict (name) do update set value = excluded.value`),
  );
}
