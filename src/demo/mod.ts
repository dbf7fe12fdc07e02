// The demo data: a year of a neutron source, ending today, written through the functions that requests use. It is the
// same data every time.

import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { type Caller, consoleCaller } from "../auth/auth.ts";
import * as watches from "../events/notices/watches.ts";
import * as triggers from "../events/triggers/triggers.ts";
import { Refusal } from "../input/errors.ts";
import { network } from "../network/networks/network.ts";
import { scope } from "../network/scopes/scope.ts";
import { siteField } from "../site/site_field.ts";
import * as crud from "../store/crud.ts";
import { rowOf, rowsOf } from "../store/records.ts";
import type { Resource } from "../store/resource.ts";
import * as accounts from "../user/accounts.ts";
import * as serviceAccounts from "../user/service_accounts.ts";
import * as users from "../user/users.ts";
import { attributeEvents } from "./attributes.ts";
import type { DemoEvent } from "./event.ts";
import { fileEvents } from "./files.ts";
import { hostEvents } from "./hosts.ts";
import { itemEvents } from "./items.ts";
import { addHosts } from "./many_hosts.ts";
import { addItems } from "./many_items.ts";
import { currentNames } from "./names.ts";
import { networkEvents } from "./networks.ts";
import { people } from "./people.ts";
import { siteFields } from "./site_fields.ts";

const DAYS = 365;
const DAY = 24 * 60 * 60 * 1_000;

/** Fills the database. Returns the usernames of the new accounts, which all have this password. */
export async function fill(
  password: string,
  { items = 0, hosts = 0 }: { items?: number; hosts?: number } = {},
): Promise<string[]> {
  const created = await createUsers(password);
  await createServiceAccount().catch(ignoreRefusal);
  for (const one of siteFields) {
    await crud.create(siteField, { ...consoleCaller, at: timeOf(0) }, one).catch(ignoreRefusal);
  }
  const callers = new Map(await Promise.all(people.map(({ username }) => callerNamed(username))));
  const names = currentNames();
  const events = [
    ...attributeEvents(names),
    ...itemEvents(names),
    ...networkEvents(),
    ...hostEvents(),
    ...fileEvents(),
  ];
  for (const { day, by, run } of events.toSorted(byDay)) {
    const caller = callers.get(by) ?? consoleCaller;
    await run({ ...caller, at: timeOf(day) }).catch(ignoreRefusal);
  }
  const carol = callers.get("carol");
  if (carol) await watchSome(carol);
  const admin = people.find(({ groups }) => groups.includes("admin"));
  const owner = admin && callers.get(admin.username);
  if (owner) await addTrigger(owner).catch(ignoreRefusal);
  if (items > 0) await addItems(items, timeOf(DAYS));
  if (hosts > 0) await addHosts(hosts, timeOf(DAYS));
  return created;
}

async function createUsers(password: string): Promise<string[]> {
  const created: string[] = [];
  for (const person of people) {
    const email = `${person.username}@example.org`;
    const input = { ...person, email, password };
    const made = await users
      .create({ ...consoleCaller, at: timeOf(0) }, input)
      .catch(ignoreRefusal);
    if (made) created.push(person.username);
  }
  return created;
}

/** With a narrow token, whose secret nobody gets. */
async function createServiceAccount(): Promise<void> {
  const caller = { ...consoleCaller, at: timeOf(0) };
  const about = { username: "ansible", display_name: "Nightly run of Ansible" };
  const account = rowOf(await serviceAccounts.create(caller, about));
  await serviceAccounts.createToken(caller, account.id, {
    description: "Inventory of hosts",
    limits: ["network:read"],
    networks: ["10.0.0.0/8", "2001:db8::/32"],
  });
}

/** Networks and scopes of the laboratory; the mails wait until an operator sets a mail server. */
async function watchSome(caller: Caller): Promise<void> {
  await watchNamed(caller, network, { vlan_name: "VacuumLab" });
  await watchNamed(caller, network, { vlan_name: "Accelerator" });
  await watchNamed(caller, scope, { per_page: "1" });
}

async function watchNamed(
  caller: Caller,
  resource: Resource,
  params: Record<string, string>,
): Promise<void> {
  const [found] = rowsOf(await crud.list(resource, caller, new URLSearchParams(params)));
  if (!found) return;
  const input = { table_name: resource.name, row_id: found.id };
  await watches.create(caller, input).catch(ignoreRefusal);
}

async function callerNamed(username: string): Promise<[string, Caller]> {
  const { id } = await accounts.find(username);
  const groups = people.find((person) => person.username === username)?.groups ?? [];
  return [username, { id, username, groups, read_only: false }];
}

/** Days may have fractions: 3.5 is noon of the fourth. */
function timeOf(day: number): Date {
  const today = Math.floor(Date.now() / DAY) * DAY;
  return new Date(today - (DAYS - day) * DAY);
}

function byDay(one: DemoEvent, other: DemoEvent): number {
  return one.day - other.day;
}

/** Records whose name exists already are left as they are. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

const HOSTS = 8;

/** A trigger that is switched off, with a run in the past: it shows the feature and sends nothing. */
async function addTrigger(caller: Caller): Promise<void> {
  const { id } = rowOf(
    await triggers.create(caller, {
      name: "DHCP",
      template: "awx",
      url: "https://awx.example.org",
      secret: crypto.randomUUID(),
      job_template: 7,
      filters: { kind: ["hosts", "interfaces"] },
      success_text: "DHCP updated",
      is_active: false,
    }),
  );
  await database.execute(sql`
    with chosen as (select array(select id from hosts order by id limit ${HOSTS}) as ids), run as (
      insert into trigger_runs
        (subscription_id, status, changes, hosts, kinds, attempts, created_at, started_at, finished_at)
      select ${id}, 'succeeded', cardinality(ids), ids, '{hosts}', 1, now() - interval '2 hours',
        now() - interval '2 hours' + interval '12 seconds', now() - interval '2 hours' + interval '41 seconds'
      from chosen returning id, hosts
    )
    insert into trigger_results (host_id, subscription_id, run_id)
    select host, ${id}, run.id from run, unnest(run.hosts) host`);
}
