// A trigger that is switched off, with a run in the past: it shows the feature and sends nothing.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import * as triggers from "../events/triggers/triggers.ts";
import { rowOf } from "../store/records.ts";

const HOSTS = 8;

export async function addTrigger(caller: Caller): Promise<void> {
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
