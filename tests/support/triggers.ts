// Triggers under test: their workers run in this process, and their servers are on this machine.
import { announceCommit } from "../../db/commits.ts";
import * as config from "../../src/config.ts";
import { start } from "../../src/events/triggers/worker.ts";
import { type JobServer, TOKEN } from "./job_servers.ts";
import { alice, api, service } from "./mod.ts";

/** As if the service had been started so that triggers may reach this machine. */
export async function allowThisMachine(): Promise<void> {
  const { url } = await service();
  config.setConfig(
    config.readConfig({ DATABASE_URL: url, WEBHOOK_ALLOW: "127.0.0.0/8", LOG_LEVEL: "silent" }),
  );
}

/** Workers of so many instances during the work. */
export async function working<T>(instances: number, work: () => Promise<T>): Promise<T> {
  const workers = Array.from({ length: instances }, start);
  try {
    return await work();
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

/** The id of a trigger of Alice that no worker takes, for runs that a test writes itself. */
export async function anInactiveTrigger(): Promise<number> {
  const { sql } = await service();
  const [{ id }] = await sql`
    insert into subscriptions (kind, name, owner_id, url, settings, is_active)
    select 'trigger', 'DHCP', id, 'https://awx.example.org', '{"success_text": "DHCP updated"}', false
    from users where username = 'alice' returning id`;
  return id;
}

export async function aTrigger(server: Pick<JobServer, "url">, fields: object = {}) {
  const { status, body } = await api(alice).post("/triggers", {
    name: "DHCP",
    template: "awx",
    url: server.url,
    secret: TOKEN,
    success_text: "DHCP updated",
    quiet_seconds: 2,
    most_seconds: 60,
    ...("template" in fields ? {} : { job_template: 7 }),
    ...fields,
  });
  if (status !== 201) throw new Error(`The trigger was not made: ${JSON.stringify(body)}`);
  return body;
}

export async function runsOf(id: number): Promise<any[]> {
  return (await api(alice).get(`/triggers/${id}/runs?sort=id`)).body;
}

/** Waits until the runs of the trigger have these statuses. No time has to pass for them. */
export async function untilRuns(id: number, ...statuses: string[]): Promise<any[]> {
  const { sql } = await service();
  const hurry = () => sql`
    update trigger_runs set next_at = now() where subscription_id = ${id} and (
      status = 'waiting' or status = 'started' and next_at < now() + interval '40 seconds')`;
  return untilRunsAre(id, statuses, hurry);
}

/** The same in the time that it takes. */
export function untilRunsInTime(id: number, ...statuses: string[]): Promise<any[]> {
  return untilRunsAre(id, statuses, async () => {});
}

async function untilRunsAre(
  id: number,
  statuses: string[],
  hurry: () => Promise<unknown>,
): Promise<any[]> {
  const until = performance.now() + 40_000;
  while (performance.now() < until) {
    await hurry();
    announceCommit();
    const runs = await runsOf(id);
    const reached = runs.map(({ state }) => state);
    if (Bun.deepEquals(reached, statuses)) return runs;
    await Bun.sleep(50);
  }
  throw new Error(`The runs are ${JSON.stringify(await runsOf(id))}`);
}

/** As if the time to the next attempt had passed. */
export async function letTimePass(id: number): Promise<void> {
  const { sql } = await service();
  await sql`
    update trigger_runs set next_at = now() where subscription_id = ${id} and status in ('launching', 'started')`;
}
