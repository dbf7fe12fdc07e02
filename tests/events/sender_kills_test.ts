// The service is killed between what it tells another server and the note that it did: a job of a trigger is launched again
// with the same run, and a mail is sent again with the same Message-ID. CADASTRE_SENDER_KILLS sets the number of kills.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { endAll, until } from "../running/processes.ts";
import { administrator, aServer, type Server, type Serving, serving } from "../running/program.ts";
import { mailSink } from "../support/mail_sink.ts";
import { onTeardown } from "../support/teardown.ts";

const KILLS = Number(process.env.CADASTRE_SENDER_KILLS || 3);
const LIMIT = 120_000 + KILLS * 20_000;
const API = "/api/v1";

let server: Server;
let sql: SQL;
let settings: Record<string, string>;

beforeAll(async () => {
  server = await aServer();
  const url = await server.migrated();
  sql = new SQL({ url, adapter: "postgres", max: 2 });
  settings = { DATABASE_URL: url, SECRET_KEY: "k".repeat(40), WEBHOOK_ALLOW: "127.0.0.0/8" };
}, LIMIT);

afterAll(async () => {
  endAll();
  await sql.close();
  await server.stop();
}, LIMIT);

interface Launch {
  run: number;
  hosts: string[];
}

/** An AWX that tells of each launch before it answers. */
function awxThat(hears: (launch: Launch) => Promise<void>) {
  const launches: Launch[] = [];
  const listening = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      if (request.method === "GET") return Response.json({ status: "successful" });
      const { extra_vars, limit } = (await request.json()) as any;
      const launch = { run: extra_vars.cadastre_run, hosts: limit.split(",") };
      launches.push(launch);
      await hears(launch);
      return Response.json({ job: launches.length, ignored_fields: {} }, { status: 201 });
    },
  });
  onTeardown(() => listening.stop(true));
  return { url: `http://127.0.0.1:${listening.port}`, launches };
}

test(
  `${KILLS} kills between launch and record repeat that run and lose no change`,
  async () => {
    let app = await serving(settings);
    const headers = await administrator(app);
    let kills = 0;
    let isDead = false;
    const awx = awxThat(async () => {
      if (kills === KILLS) return;
      kills += 1;
      isDead = true;
      app.child.kill("SIGKILL");
      await app.ended;
    });
    const post = (path: string, body: object) =>
      app.fetch(API + path, { method: "POST", headers, body: JSON.stringify(body) }).then(
        ({ status }) => status,
        () => 0,
      );
    const trigger = {
      ...{ name: "DHCP", template: "awx", url: awx.url, secret: "x", job_template: 7 },
      ...{ filters: { kind: ["hosts"] }, quiet_seconds: 1, most_seconds: 2 },
    };
    expect(await post("/triggers", trigger)).toBe(201);
    const acknowledged: string[] = [];
    for (let at = 0; at < 10 || kills < KILLS || isDead; at += 1) {
      if (isDead) {
        isDead = false;
        app = await restarted(app);
      }
      const name = `kill-${at}`;
      if ((await post("/network/hosts", { name, device_type: "Physical" })) === 201) {
        acknowledged.push(name);
      }
      await Bun.sleep(100);
    }
    await until("the end of all runs", async () => {
      if (isDead) return false;
      const [open] = await sql`
        select (select count(*) from deliveries where status = 'waiting')
          + (select count(*) from trigger_runs where finished_at is null) as count`;
      return Number(open.count) === 0;
    });
    app.child.kill("SIGKILL");
    const launched = awx.launches.flatMap(({ hosts }) => hosts);
    expect(acknowledged.filter((name) => !launched.includes(name))).toEqual([]);
    const byRun = Map.groupBy(awx.launches, ({ run }) => run);
    const states = await sql`select status, attempts from trigger_runs order by id`;
    expect(states.map(({ status }: any) => status)).toEqual(states.map(() => "succeeded"));
    // Each kill repeats its run, and nothing else is repeated.
    expect(awx.launches.length - byRun.size).toBe(KILLS);
    for (const [run, same] of byRun) {
      expect([run, new Set(same.map(({ hosts }) => hosts.join())).size]).toEqual([run, 1]);
    }
  },
  LIMIT,
);

/** As if a minute had passed: the lease of the process that is gone has run out. */
async function restarted({ ended }: Serving): Promise<Serving> {
  await ended;
  await sql`update trigger_runs set next_at = now() where status = 'launching'`;
  return serving(settings);
}

test(
  "a kill after the mail server took a mail sends it again with the same Message-ID",
  async () => {
    const sink = await mailSink({ tls: false });
    const mailing = {
      ...settings,
      PUBLIC_URL: "https://cadastre.example.org",
      SMTP_HOST: "127.0.0.1",
      SMTP_PORT: String(sink.port),
      SMTP_FROM: "cadastre@example.org",
      SMTP_TLS: "off",
    };
    const app = await serving(mailing);
    await sql`update users set email = 'alice@example.org' where username = 'alice'`;
    const held = await sql.reserve();
    // The sender cannot note that the server took it: the row is locked until the sender is gone.
    sink.beforeAnswer = async () => {
      await held`begin`;
      await held`select from mails for update`;
    };
    await sql`insert into mails (user_id, kind) select id, 'test' from users where username = 'alice'`;
    await until("the note that the mail is sent", async () => {
      const [blocked] = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and query like '%update "mails" set "status"%'`;
      return blocked !== undefined;
    });
    app.child.kill("SIGKILL");
    await app.ended;
    // PostgreSQL would go on with a statement that it already has.
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'`;
    await held`rollback`;
    held.release();
    sink.beforeAnswer = undefined;
    expect(await noted()).toEqual([{ status: "waiting", attempts: 1 }]);
    // As if five minutes had passed: nobody else sends it before.
    await sql`update mails set next_at = now()`;
    await serving(mailing);
    await until("the end of the mail", async () => (await noted())[0]?.status === "sent");
    expect(await noted()).toEqual([{ status: "sent", attempts: 2 }]);
    const [first, again, ...others] = sink.mails.map(({ headers }) => headers["message-id"]);
    expect(others).toEqual([]);
    expect(again).toBe(first!);
  },
  LIMIT,
);

async function noted(): Promise<Array<{ status: string; attempts: number }>> {
  return [...(await sql`select status, attempts from mails`)];
}
