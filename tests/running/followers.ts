// Everything that a service tells of its changes: a webhook, a trigger, a watch by mail, three streams, and a backup. Those
// who are told are in the process of the test, which nobody kills.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { SQL } from "bun";
import { freePort } from "../../tools/free_port.ts";
import { eventsIn } from "../support/event_stream.ts";
import { mailSink } from "../support/mail_sink.ts";
import { onTeardown } from "../support/teardown.ts";
import { until } from "./processes.ts";
import type { Serving } from "./program.ts";
import { API, call, type RequestHeaders } from "./site.ts";

const READERS = 3;

/** Of a service on a port of its own, so that it has the same address after each start. */
export async function followedSettings(directory: string) {
  const backups = join(directory, "backups");
  mkdirSync(backups);
  const mail = await mailSink({ tls: false });
  onTeardown(() => mail.close());
  const PORT = String(await freePort());
  return {
    DATA_DIR: directory,
    PORT,
    PUBLIC_URL: `http://127.0.0.1:${PORT}`,
    WEBHOOK_ALLOW: "127.0.0.0/8",
    SMTP_HOST: "127.0.0.1",
    SMTP_PORT: String(mail.port),
    SMTP_FROM: "cadastre@example.org",
    SMTP_TLS: "off",
    BACKUP_TO: backups,
    BACKUP_EVERY: "1m",
  };
}

/** A server that takes what is posted to it. */
function listening(take: (body: any) => void): string {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      // An AWX that is asked how a job is getting on.
      if (request.method === "GET") return Response.json({ status: "successful" });
      take(await request.json());
      return Response.json({ job: 1, ignored_fields: {} }, { status: 201 });
    },
  });
  onTeardown(() => server.stop(true));
  return `http://127.0.0.1:${server.port}/`;
}

export interface Followers {
  /** The names that the webhook and each stream were told of, in order. */
  told: string[][];
  /** Of the runs that were launched. */
  runs: Set<number>;
  /** The host that is watched, and that the trigger is for. */
  host: number;
  stop(): void;
}

export async function followersOf(app: Serving, headers: RequestHeaders): Promise<Followers> {
  const add = async (path: string, body: object) => (await call(app, headers, { path, body })).body;
  const messages: string[] = [];
  const runs = new Set<number>();
  const hook = listening(({ data }) => messages.push(...namesIn(data.change_set)));
  const awx = listening(({ extra_vars }) => runs.add(extra_vars.cadastre_run));
  await add("/webhooks", { name: "All", url: hook, ordered: true });
  await add("/triggers", {
    ...{ name: "DHCP", template: "awx", url: awx, secret: "x", job_template: 7 },
    ...{ filters: { kind: ["hosts"] }, quiet_seconds: 1, most_seconds: 2 },
  });
  const { id } = await add("/network/hosts", { name: "pump", device_type: "Physical" });
  const [alice] = (await call(app, headers, { path: "/user/users?username=alice" })).body;
  const email = "alice@example.org";
  await call(app, headers, { path: `/user/users/${alice.id}`, method: "PATCH", body: { email } });
  const own = { own_changes: true };
  await call(app, headers, { path: "/user/watches/settings", method: "PATCH", body: own });
  await add("/user/watches", { table_name: "hosts", row_id: id, mail: "at_once" });
  const ending = new AbortController();
  const streams = Array.from({ length: READERS }, () =>
    readStream(app.origin + API, headers, ending.signal),
  );
  return { told: [messages, ...streams], runs, host: id, stop: () => ending.abort() };
}

function namesIn({ events }: { events: Array<{ name: string }> }): string[] {
  return events.map(({ name }) => name);
}

/** Connects again whenever the stream ends, with the id of the last event. */
function readStream(api: string, headers: RequestHeaders, signal: AbortSignal): string[] {
  const names: string[] = [];
  let last: string | undefined;
  const connect = async () => {
    const since = last === undefined ? undefined : { "last-event-id": last };
    const answer = await fetch(`${api}/events`, { headers: { ...headers, ...since }, signal });
    if (!answer.ok) return;
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const end = text.lastIndexOf("\n\n") + 2;
      for (const { data } of eventsIn(text.slice(0, end))) names.push(...namesIn(data));
      last = [...text.slice(0, end).matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? last;
      text = text.slice(end);
    }
  };
  const read = async () => {
    while (!signal.aborted) {
      await connect().catch(() => {});
      await Bun.sleep(50);
    }
  };
  void read();
  return names;
}

/** As if the pauses of retries, of mails and between backups were over, until nothing waits any more. */
export async function untilDelivered(sql: SQL): Promise<void> {
  await until("everything to be delivered", async () => {
    await sql`update deliveries set next_at = now() where status = 'waiting' and next_at > now()`;
    await sql`update subscriptions set lease_until = null where lease_until < now() + interval '1 hour'`;
    await sql`update trigger_runs set next_at = now() where finished_at is null and next_at > now()`;
    await sql`update notice_settings set mail_at = now() where mail_at > now()`;
    await sql`update mails set next_at = now() where status = 'waiting' and next_at > now()`;
    const [{ left }] = await sql`
      select (select count(*) from deliveries where status = 'waiting')
        + (select count(*) from trigger_runs where finished_at is null)
        + (select count(*) from mails where status = 'waiting')
        + (select count(*) from notice_settings where mail_at is not null)
        + (select max(id) from change_sets) - (select looked_up_to from notice_reader) as left`;
    const [{ good }] = await sql`
      select exists (select from backups where result = 'good' and at > now() - interval '1 minute') as good`;
    return Number(left) === 0 && good;
  });
}
