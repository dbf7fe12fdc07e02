import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { version } from "../../package.json";
import { endAll } from "./processes.ts";
import { aServer, cadastre, type Server, serving } from "./program.ts";

const LIMIT = 120_000;
const COMMANDS = [
  ...[
    "serve",
    "setup",
    "migrate",
    "seed",
    "user",
    "token",
    "backup",
    "restore",
    "doctor",
    "health",
  ],
];

let server: Server;
let settings: Record<string, string>;

beforeAll(async () => {
  server = await aServer();
  settings = { DATABASE_URL: await server.database() };
}, LIMIT);
afterEach(endAll);
afterAll(() => server.stop());

function run(...args: string[]) {
  return cadastre(args, { settings });
}

describe("cadastre", () => {
  test(
    "prints help for itself and for each command",
    async () => {
      expect(await run("--version")).toEqual({ code: 0, out: `cadastre ${version}`, err: "" });
      const { out } = await run("--help");
      for (const name of COMMANDS) expect(out).toContain(`\n  ${name} `);
      const helps = await Promise.all(COMMANDS.map((name) => run(name, "--help")));
      for (const [at, help] of helps.entries()) {
        expect(help.code, COMMANDS[at]).toBe(0);
        expect(help.out).toContain(`cadastre ${COMMANDS[at]}`);
      }
    },
    LIMIT,
  );

  test.each([
    ["sevre", "There is no command 'sevre'; see cadastre --help"],
    ["--port 1", "There is no command '--port'; see cadastre --help"],
    ["serve --prot 1", "Unknown option '--prot'; see cadastre serve --help"],
    ["serve --port", "Option '--port <value>' argument missing; see cadastre serve --help"],
    ["backup one two", "Unexpected argument 'two'; see cadastre backup --help"],
    ["restore", "FILE is missing; see cadastre restore --help"],
    ["user rename", "Say one of list, add, password, groups, deactivate, activate"],
    ["user groups bob", "The list of groups is missing; see cadastre user --help"],
    ["user list --groups a", "Unknown option '--groups'; see cadastre user --help"],
  ])("refuses %s in one sentence", async (line, sentence) => {
    const { code, out, err } = await run(...line.split(" "));
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toStartWith(sentence);
    expect(err).not.toContain("\n");
  });
});

describe("cadastre migrate", () => {
  test(
    "prints what it applied, and then that nothing is left",
    async () => {
      const fresh = { settings: { DATABASE_URL: await server.database() } };
      expect((await cadastre(["migrate"], fresh)).out).toMatch(
        /^Migrating the database: 0001_schema/,
      );
      expect(await cadastre(["migrate"], fresh)).toEqual({
        code: 0,
        out: "The database is up to date",
        err: "",
      });
    },
    LIMIT,
  );
});

describe("cadastre user and token", () => {
  test(
    "enable a user, and disable them",
    async () => {
      const app = await serving(settings);
      const login = async (password: string) => {
        const body = JSON.stringify({ username: "bob", password });
        const headers = { "content-type": "application/json" };
        return (await app.fetch("/api/v1/user/login", { method: "POST", headers, body })).status;
      };
      const added = await run("user", "add", "Bob", "--groups", "inventory,network");
      const password = /the password is (\S+)$/.exec(added.out)?.[1] ?? "";
      expect(await login(password)).toBe(200);
      expect((await run("user", "list")).out).toMatch(/^bob +inventory,network$/m);
      await run("user", "groups", "bob", "");
      expect((await run("user", "list")).out).toMatch(/^bob$/m);
      const given = { settings, input: "another good secret\n" };
      await cadastre(["user", "password", "bob", "--password-stdin"], given);
      expect(await login(password)).toBe(401);
      expect(await login("another good secret")).toBe(200);
      await run("user", "deactivate", "bob");
      expect(await login("another good secret")).toBe(401);
      await run("user", "activate", "bob");
      expect(await login("another good secret")).toBe(200);
      const sql = new SQL(settings.DATABASE_URL ?? "");
      await sql`
        insert into passkeys (user_id, name, rp_id, user_handle, credential_id, public_key)
        select id, 'Lost', 'localhost', '', '', '' from users where username = 'bob'`;
      await sql.close();
      expect(await login("another good secret")).toBe(401);
      const removed = await run("user", "remove-passkeys", "bob");
      expect(removed.out).toBe("Removed the passkeys of 'bob': 1");
      expect(await login("another good secret")).toBe(200);
    },
    LIMIT,
  );

  test(
    "print only the token on standard output, and revoke it within a second",
    async () => {
      const app = await serving(settings);
      const { out: token } = await run(
        "token",
        "add",
        "alice",
        "--read-only",
        "--description",
        "x",
      );
      expect(token).toMatch(/^cad_\w+$/);
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const profile = async () => (await app.fetch("/api/v1/user/profile", { headers })).status;
      expect(await profile()).toBe(200);
      const body = '{"name": "Room"}';
      const kept = await run("user", "password", "alice");
      expect(kept.out).toMatch(/^The password of 'alice' was changed; the password is \S+$/);
      expect(await profile()).toBe(200);
      const written = await app.fetch("/api/v1/inventory/locations", {
        method: "POST",
        headers,
        body,
      });
      expect(written.status).toBe(403);
      const id =
        /^(\d+) +alice +x +read /m.exec((await run("token", "list", "alice")).out)?.[1] ?? "";
      expect((await run("token", "revoke", id)).out).toBe(`Token ${id} was revoked`);
      await Bun.sleep(1_000);
      expect(await profile()).toBe(401);
    },
    LIMIT,
  );

  test(
    "revoke the personal tokens with a password on request",
    async () => {
      await run("token", "add", "alice");
      const { out } = await run("user", "password", "alice", "--end-tokens");
      expect(out).toContain("was changed, and the personal tokens have ended; the password is ");
      expect((await run("token", "list", "alice")).out).not.toContain("read and write");
    },
    LIMIT,
  );

  test.each([
    ["user add ALICE", "username: This username is taken"],
    ["user add bad/name", "username: Use 1 to 64 of"],
    ["user add eve --groups root", "groups.0: Use any of admin, auditor"],
    ["user add eve --email x", "email: Use an address such as"],
    ["user deactivate alice", "groups: At least one admin must remain"],
    ["user password nobody", "There is no user 'nobody'"],
    ["token add nobody", "There is no user 'nobody'"],
    ["token add alice --expires 2001-01-01", "expires_at: Use a future date"],
    ["token revoke 999", "There is no token 999"],
  ])("refuse %s in one sentence", async (line, sentence) => {
    const { code, out, err } = await run(...line.split(" "));
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toStartWith(sentence);
    expect(err).not.toContain("\n");
  });
});
