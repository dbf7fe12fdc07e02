import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { CannotMigrate, refuseServer } from "../../db/migrate.ts";
import { endAll } from "./processes.ts";
import {
  administrator,
  aServer,
  cadastre,
  type Server,
  served,
  serving,
  starting,
} from "./program.ts";

const LIMIT = 120_000;
const FIRST_ADMIN = /The first admin is 'alice', with the password (\S+)/g;

let server: Server;
const directory = mkdtempSync(join(tmpdir(), "cadastre-start-"));

beforeAll(async () => {
  server = await aServer();
}, LIMIT);
afterEach(endAll);
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** What a connection receives, as it arrives. */
async function partsOf(origin: string, request: string): Promise<string[]> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const parts: string[] = [];
  const { hostname, port } = new URL(origin);
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: { data: (_, part) => void parts.push(part.toString()), close: () => resolve() },
  });
  socket.write(request);
  await ended;
  return parts;
}

describe("a service that starts", () => {
  test(
    "starts three times at once on an empty database, and prints one password once",
    async () => {
      const settings = { DATABASE_URL: await server.database(), ADMIN_PASSWORD: "" };
      const three = [starting(settings), starting(settings), starting(settings)];
      const all = await Promise.all(three.map(served));
      const ready = await Promise.all(all.map((app) => app.fetch("/health/ready")));
      expect(ready.map(({ status }) => status)).toEqual([200, 200, 200]);
      const passwords = all.flatMap((app) => [...app.said().matchAll(FIRST_ADMIN)]);
      expect(passwords.length).toBe(1);
      const body = JSON.stringify({ username: "alice", password: passwords[0]?.[1] });
      const headers = { "content-type": "application/json" };
      const logins = await Promise.all(
        all.map((app) => app.fetch("/api/v1/user/login", { method: "POST", headers, body })),
      );
      expect(logins.map(({ status }) => status)).toEqual([200, 200, 200]);
    },
    LIMIT,
  );

  test(
    "accepts on every instance the token that one of them has created",
    async () => {
      const settings = { DATABASE_URL: await server.migrated() };
      const [one, other] = [await serving(settings), await serving(settings)];
      const { out: token } = await cadastre(["token", "add", "alice"], { settings });
      const headers = { authorization: `Bearer ${token}` };
      const answers = [one, other].map((app) => app.fetch("/api/v1/user/profile", { headers }));
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
    },
    LIMIT,
  );

  test.each(["1.0", "1.1"])(
    "writes an HTTP/%s response completely, however large it is",
    async (version) => {
      const url = await server.migrated();
      const app = await serving({ DATABASE_URL: url });
      const { authorization } = await administrator(app);
      const sql = new SQL(url);
      await sql`insert into locations (name, description, qrcode) select 'Hall ' || n, repeat('x', 500), '' from generate_series(1, 100) n`;
      await sql.close();
      const lines = [
        `GET /api/v1/inventory/locations?per_page=100 HTTP/${version}`,
        `host: ${new URL(app.origin).host}`,
        `authorization: ${authorization}`,
        "connection: close",
      ];
      const parts = await partsOf(app.origin, `${lines.join("\r\n")}\r\n\r\n`);
      const [, body] = parts.join("").split("\r\n\r\n");
      expect(body?.match(/"name":"Hall /g)?.length).toBe(100);
    },
    LIMIT,
  );

  test(
    "names a port that is in use",
    async () => {
      const settings = { DATABASE_URL: await server.migrated() };
      const { port } = new URL((await serving(settings)).origin);
      expect(await cadastre(["serve", "--port", port], { settings })).toMatchObject({
        code: 1,
        err: `Port ${port} on 127.0.0.1 is taken: stop what listens there, or set another PORT`,
      });
    },
    LIMIT,
  );

  test.each([
    ["PORT", { PORT: "http" }, "PORT must be a number from 0 to 65535, not 'http'"],
    ["SECRET_KEY", { SECRET_KEY: "short" }, "SECRET_KEY must have 32 bytes or more"],
    ["TRUST_PROXY", { TRUST_PROXY: "perhaps" }, "TRUST_PROXY must be on or off, not 'perhaps'"],
    ["DATABASE_URL", { DATABASE_URL: "mysql://here/x" }, "DATABASE_URL must look like postgres://"],
    [
      "DATABASE_URL",
      { DATABASE_URL: "postgres://u:secret@127.0.0.1:1/x" },
      "No database answers at 127.0.0.1:1/x",
    ],
    [
      "DATABASE_URL",
      { DATABASE_URL: "postgres://u:secret@/x?host=/nowhere&port=5433" },
      "No database answers at /nowhere:5433/x: see DATABASE_URL",
    ],
    [
      "DATABASE_URL",
      { DATABASE_URL: "postgres://u:secret@/x?sslmode=yes" },
      "sslmode in DATABASE_URL must be one of disable, allow, prefer, require, verify-ca, verify-full, not 'yes'",
    ],
    [
      "DATABASE_URL",
      { DATABASE_URL: "postgres://u:secret@one,other/x?target_session_attrs=first" },
      "target_session_attrs in DATABASE_URL must be one of any, read-write, read-only, primary, standby, prefer-standby, not 'first'",
    ],
    [
      "DATABASE_URL",
      { DATABASE_URL: "postgres://u:secret@host:port/x" },
      "DATABASE_URL must look like postgres://",
    ],
    [
      "DATA_DIR",
      { DATA_DIR: join(directory, "a file", "data") },
      "cannot be used: not a directory",
    ],
    ["DATA_DIR", { DATA_DIR: join(directory, "other") }, "is not a database: move it away"],
  ])("says in one sentence what is wrong with %s", async (_name, settings, sentence) => {
    writeFileSync(join(directory, "a file"), "");
    mkdirSync(join(directory, "other", "postgres", "x"), { recursive: true });
    const { code, out, err } = await cadastre(["serve"], { settings });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(sentence);
    expect(err).not.toContain("\n");
    expect(err).not.toContain("secret");
  });

  test("refuses an old PostgreSQL and another encoding", () => {
    const good = { number: 150_000, name: "15.0", encoding: "UTF8" };
    expect(refuseServer(good)).toBeUndefined();
    expect(() => refuseServer({ ...good, number: 140_012, name: "14.12" })).toThrow(
      new CannotMigrate("PostgreSQL 14.12 is too old: Cadastre needs 15 or newer"),
    );
    expect(() => refuseServer({ ...good, encoding: "LATIN1" })).toThrow(CannotMigrate);
  });
});
