import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { freePort } from "../../tools/free_port.ts";
import { allChecks } from "../support/checks.ts";
import { endAll, launch, until } from "./processes.ts";

setDefaultTimeout(300_000);

const ROOT = join(import.meta.dir, "..", "..");
const PASSWORD = "a password for the binary";
const LEFT_BEHIND = new Set(["node_modules", "dist", "data", ".git"]);

const directory = mkdtempSync(join(tmpdir(), "cadastre-binary-"));
const binary = join(directory, "cadastre");

beforeAll(async () => {
  const checkout = join(directory, "checkout");
  cpSync(ROOT, checkout, {
    recursive: true,
    filter: (path) => !LEFT_BEHIND.has(basename(path)),
  });
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  const built = launch([process.execPath, "tools/build.ts"], { cwd: checkout });
  if ((await built.ended) !== 0) throw new Error(built.said());
  renameSync(join(checkout, "dist", "cadastre"), binary);
  rmSync(checkout, { recursive: true });
});

afterAll(() => {
  endAll();
  rmSync(directory, { recursive: true, force: true });
});

describe("the binary, without the source tree", () => {
  test("starts in an empty directory, serves pages and the API, and keeps its data", async () => {
    const home = mkdtempSync(join(directory, "home "));
    const first = await serve(home);
    const token = await logIn(first.origin);
    const made = await ask(`${first.origin}/api/v1/inventory/locations`, token, { name: "Hall A" });
    expect(made.status).toBe(201);
    const page = await fetch(`${first.origin}/user/login`);
    const style = /href="(\/static\/\w+\.[^"]+\.css)"/.exec(await page.text())?.[1];
    expect((await fetch(first.origin + style)).headers.get("content-type")).toStartWith("text/css");
    const passkeys = await fetch(`${first.origin}/user/login/passkey/options`, {
      method: "POST",
      headers: { host: `localhost:${new URL(first.origin).port}` },
    });
    expect(await passkeys.json()).toMatchObject({ get: { rpId: "localhost" } });
    await first.stop();

    const later = await serve(home);
    const { body } = await ask(`${later.origin}/api/v1/inventory/locations`, token);
    expect(body).toMatchObject([{ name: "Hall A" }]);
    // In a worker thread, which is loaded from a file of its own.
    const near = await ask(
      `${later.origin}/api/v1/inventory/locations?q=name:Holl%5C%20A~1`,
      token,
    );
    expect(near).toEqual({ status: 200, body: [expect.objectContaining({ name: "Hall A" })] });
    const file = new FormData();
    file.append("file", new File(["serial_number\nSN1\n"], "items.csv"));
    const imported = await submitted(later.origin, "/inventory/items/import", file);
    expect(imported).toMatch(/^303 .*\/import\/1$/);
    const automation_vars = "a: &a {b: 1}\nc:\n  <<: *a\n";
    const host = new URLSearchParams({ name: "merged", device_type: "Physical", automation_vars });
    expect(await submitted(later.origin, "/network/hosts/create", host)).toBe(
      "303 /network/hosts/view/merged",
    );
    const long = await ask(
      `${later.origin}/api/v1/inventory/locations?q=${"%C3%A9".repeat(8_000)}`,
      token,
    );
    expect(long).toEqual({ status: 200, body: [] });
    await later.stop();
  });

  test("contains all commands", async () => {
    const home = mkdtempSync(join(directory, "home"));
    const run = (...args: string[]) => launch([binary, ...args], { cwd: home, env: bare() });
    const help = run("--help");
    expect(await help.ended).toBe(0);
    for (const command of help.said().match(/^ {2}[a-z]+/gm) ?? []) {
      const child = run(command.trim(), "--help");
      expect([command, await child.ended]).toEqual([command, 0]);
    }
  });

  test.skipIf(!allChecks)("fills a database, backs it up and restores it", async () => {
    const home = mkdtempSync(join(directory, "home"));
    const run = (...args: string[]) => launch([binary, ...args], { cwd: home, env: bare() });
    expect(await run("seed").ended).toBe(0);
    const backup = run("backup", "all.ndjson.gz");
    expect([await backup.ended, backup.said()]).toEqual([0, expect.any(String)]);
    expect(await run("restore", "all.ndjson.gz", "--replace").ended).toBe(0);
  });
});

/** The environment has only PATH. */
function bare(more: Record<string, string> = {}): Record<string, string | undefined> {
  const nothing = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
  return { ...nothing, PATH: process.env.PATH, ADMIN_PASSWORD: PASSWORD, ...more };
}

async function serve(cwd: string) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const process = launch([binary], { cwd, env: bare({ PORT: String(port) }) });
  await until("the binary to serve", () =>
    fetch(`${origin}/health/ready`).then(({ ok }) => ok, no),
  );
  const stop = async () => {
    process.child.kill("SIGINT");
    expect(await process.ended).toBe(0);
  };
  return { origin, stop };
}

async function logIn(origin: string): Promise<string> {
  const login = { username: "admin", password: PASSWORD };
  const { body } = await ask(`${origin}/api/v1/user/login`, "", login);
  return body.access_token;
}

/** The Location after a form. */
async function submitted(origin: string, path: string, form: BodyInit): Promise<string> {
  const post = (to: string, body: BodyInit, cookie = "") =>
    fetch(origin + to, {
      method: "POST",
      redirect: "manual",
      headers: { cookie, "sec-fetch-site": "same-origin" },
      body,
    });
  const login = new URLSearchParams({ username: "admin", password: PASSWORD });
  const cookies = (await post("/user/login", login)).headers.getSetCookie();
  const cookie = cookies.map((one) => one.split(";")[0]).join("; ");
  const { status, headers } = await post(path, form, cookie);
  return `${status} ${headers.get("location")}`;
}

async function ask(url: string, token: string, body?: object) {
  const response = await fetch(url, {
    method: body ? "POST" : "GET",
    body: body && JSON.stringify(body),
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  });
  return { status: response.status, body: await response.json() };
}

function no(): boolean {
  return false;
}
