import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { readServers } from "../../db/address.ts";
import { migrations } from "../../db/migrations/mod.ts";
import { endAll } from "./processes.ts";
import { administrator, aServer, cadastre, type Server, serving } from "./program.ts";

setDefaultTimeout(120_000);

let server: Server;
const directory = mkdtempSync(join(tmpdir(), "cadastre-url-"));

beforeAll(async () => {
  server = await aServer();
});
afterEach(endAll);
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe("DATABASE_URL names a Unix socket", () => {
  const forms: Array<[string, (name: string, socket: string) => string]> = [
    ["without a host", (name, socket) => `postgres://cadastre:p@/${name}?host=${socket}`],
    [
      "as its host",
      (name, socket) => `postgres://cadastre:p@${encodeURIComponent(socket)}/${name}`,
    ],
    ["alone", (name, socket) => `postgresql:///${name}?host=${socket}&port=5432&user=cadastre`],
  ];

  test.each(forms)("%s, as for libpq", async (_, form) => {
    const url = await server.database();
    const { name, socket } = partsOf(url);
    // The URL takes precedence over the environment.
    const settings = { DATABASE_URL: form(name, socket), PGDATABASE: "postgres" };
    expect(await cadastre(["migrate"], { settings })).toMatchObject({ code: 0, err: "" });
    const sql = new SQL({ url, adapter: "postgres", database: name, max: 1 });
    const [{ number }] = await sql`select count(*)::int as number from migrations`;
    await sql.close();
    expect(number).toBe(migrations.length);
  });

  test("for every command", async () => {
    const address = async () => {
      const { name, socket } = partsOf(await server.database());
      return { DATABASE_URL: `postgres://cadastre:p@/${name}?host=${socket}` };
    };
    const settings = await address();
    const app = await serving(settings);
    await administrator(app);
    const doctor = await cadastre(["doctor"], { settings });
    expect(doctor.out).toMatch(/^ok +PostgreSQL .* answers/m);
    const file = join(directory, "all.ndjson.gz");
    expect((await cadastre(["backup", file], { settings })).code).toBe(0);
    const restored = await cadastre(["restore", file], { settings: await address() });
    expect(restored).toMatchObject({ code: 0, out: expect.stringMatching(/^Restored \d+ rows/) });
  });
});

describe("DATABASE_URL asks for TLS", () => {
  test("on a server without TLS, and every command reports it", async () => {
    const { name, socket } = partsOf(await server.database());
    const { port, stop } = await overTcp(join(socket, ".s.PGSQL.5432"));
    const settings = {
      DATABASE_URL: `postgres://cadastre:secret@127.0.0.1:${port}/${name}?sslmode=require`,
    };
    const sentence = `The server at 127.0.0.1:${port}/${name} does not support TLS, which sslmode=require in DATABASE_URL asks for: turn ssl on there, or take sslmode away`;
    const backup = join(directory, "none.ndjson.gz");
    for (const args of [["serve"], ["migrate"], ["backup", backup]]) {
      expect(await cadastre(args, { settings })).toEqual({ code: 1, out: "", err: sentence });
    }
    expect((await cadastre(["doctor"], { settings })).out).toContain(`problem  ${sentence}`);
    stop();
  });
});

describe("DATABASE_URL names several servers", () => {
  const A = "postgres://u:p%40@one:5433/db";
  const B = "postgres://u:p%40@other:5434/db";
  test.each([
    ["postgres://u:p%40@one:5433,other:5434/db", [A, B]],
    ["postgres://u:p%40@/db?host=one,other&port=5433,5434", [A, B]],
    ["postgres://u:p%40@one:5433,other:5434/db?connect_timeout=3", [A, B]],
    ["postgres://one,other/db?port=5433", ["postgres://one:5433/db", "postgres://other:5433/db"]],
    ["postgres://u@[::1]:1,::2/db?sslmode=require&target_session_attrs=primary", undefined],
    [
      "postgres:///db?host=/run/a,::1&port=1,2&sslmode=require",
      [
        "postgres://localhost:1/db?sslmode=require&host=%2Frun%2Fa",
        "postgres://[::1]:2/db?sslmode=require",
      ],
    ],
    ["postgres://one/db?target_session_attrs=read-write", ["postgres://one/db"]],
    ["postgres://one,other,third/db?port=1,2", undefined],
    ["postgres://one/db", undefined],
  ])("%s", (url, urls) => {
    expect(readServers(url)?.urls).toEqual(urls as string[]);
  });
});

function partsOf(url: string): { name: string; socket: string } {
  const { pathname, searchParams } = new URL(url);
  return { name: pathname.slice(1), socket: searchParams.get("host") ?? "" };
}

/** The server of a Unix socket at a port. */
async function overTcp(socket: string): Promise<{ port: number; stop: () => void }> {
  const bridge = createServer((client) => {
    const there = connect(socket);
    client.pipe(there).pipe(client);
    client.on("error", () => there.destroy());
    there.on("error", () => client.destroy());
  });
  await new Promise<void>((resolve) => bridge.listen(0, "127.0.0.1", resolve));
  return { port: (bridge.address() as AddressInfo).port, stop: () => bridge.close() };
}
