// cadastre doctor checks the addresses of logins through a running service.
import { expect, setDefaultTimeout, test } from "bun:test";
import { until } from "../running/processes.ts";
import { cadastre } from "../running/program.ts";
import { api, PASSWORD, serve, service, stranger } from "../support/mod.ts";

setDefaultTimeout(60_000);

/** Logs Bob in through a server with these settings, optionally through a proxy. */
async function logIn(settings: Record<string, string>, headers: Record<string, string> = {}) {
  const server = await serve(settings);
  const body = { username: "bob", password: PASSWORD };
  const { status } = await api(stranger, server.url.origin).post("/user/login", body, { headers });
  expect(status).toBe(200);
  await server.stop(true);
}

async function noted(): Promise<number> {
  const { sql } = await service();
  return (await sql`select 1 from settings where name = 'untrusted_proxy'`).length;
}

async function doctor(settings: Record<string, string> = {}) {
  const { code, out } = await cadastre(["doctor"], {
    settings: { DATABASE_URL: (await service()).url, ...settings },
  });
  return { code, problems: out.split("\n").filter((line) => line.startsWith("problem")) };
}

const THROUGH_PROXY = { "x-forwarded-for": "203.0.113.7" };
const WELL = { code: 0, problems: [] };

test("doctor warns when all clients come from one proxy and TRUST_PROXY is off, and only then", async () => {
  await logIn({});
  expect(await noted()).toBe(0);
  expect(await doctor()).toEqual(WELL);
  await logIn({}, THROUGH_PROXY);
  await until("the proxy to be noted", async () => (await noted()) === 1);
  const { code, problems } = await doctor();
  expect(code).toBe(1);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(
    "All requests come from 127.0.0.1, a proxy, and TRUST_PROXY is off",
  );
  expect(problems[0]).toContain("set TRUST_PROXY=on");
  expect(await doctor({ TRUST_PROXY: "on" })).toEqual(WELL);
  const { sql } = await service();
  await sql`insert into audit_log (event, address) values ('login.failed', '203.0.113.9')`;
  expect(await doctor()).toEqual(WELL);
  await logIn({ TRUST_PROXY: "on" }, THROUGH_PROXY);
  await until("the note to go", async () => (await noted()) === 0);
});
