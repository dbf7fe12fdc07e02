// Tokens, jobs, the audit log and the system, as admins see them, and the links to these pages.
import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backupJob } from "../../src/commands/backup_job.ts";
import { itemExport } from "../../src/inventory/items/export.ts";
import type { RunningJob } from "../../src/jobs/worker.ts";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { ended, JSON_ONLY, reached, working } from "../support/jobs.ts";
import {
  aHost,
  alice,
  aNetwork,
  anInterface,
  api,
  aUser,
  audrey,
  bob,
  carol,
  service,
} from "../support/mod.ts";

async function tokenOf(person: typeof bob, description: string): Promise<string> {
  return (await api(person).post("/user/tokens", { description })).body.token;
}

describe("GET /admin/tokens", () => {
  test("shows the owner and the last use of each token, and no secret", async () => {
    const token = await tokenOf(bob, "Nightly copy");
    await tokenOf(carol, "Laptop");
    await api({ token }).get("/user/profile");
    const own = await browser(alice);
    const { text } = await own.get("/admin/tokens?sort=description");
    expect(texts(text, "td[data-label=Description]")).toEqual(["Laptop", "Nightly copy"]);
    expect(texts(text, "td[data-label=Owner]")).toEqual(["carol", "bob"]);
    expect(texts(text, "td[data-label='Used from']")).toEqual(["", "127.0.0.1"]);
    expect(texts(text, "td[data-label='Last used']")).toEqual(["never", expect.any(String)]);
    for (const part of token.split("_").slice(1)) expect(text).not.toContain(part);
    const some = await own.get("/admin/tokens?owner=bob");
    expect(texts(some.text, "td[data-label=Description]")).toEqual(["Nightly copy"]);
    expect(texts((await own.get("/admin/tokens?q=lapt")).text, "td[data-label=Owner]")).toEqual([
      "carol",
    ]);
  });

  test("revokes any of them at once, and says so in the audit log", async () => {
    const token = await tokenOf(bob, "Nightly copy");
    expect((await api({ token }).get("/user/profile")).status).toBe(200);
    const own = await browser(alice);
    const { text } = await own.get("/admin/tokens");
    const token_id = elements(text, "input[name=token_id]")[0]!.attributes.value!;
    const asked = await own.submit("/admin/tokens/revoke", { token_id });
    expect(texts(asked.text, "h1")).toEqual(["Revoke this token?"]);
    for (let twice = 0; twice < 2; twice += 1) {
      const done = await own.submit("/admin/tokens/revoke", { token_id, confirmed: "true" });
      expect([done.status, done.headers.get("location")]).toEqual([303, "/admin/tokens"]);
    }
    expect((await api({ token }).get("/user/profile")).status).toBe(401);
    const { body } = await api(audrey).get("/audit?event=token.revoked");
    expect(body).toMatchObject([{ username: "alice", target: "bob" }]);
    expect((await own.submit("/admin/tokens/revoke", { token_id: "x" })).status).toBe(200);
    const odd = await own.submit("/admin/tokens/revoke", { token_id: "x", confirmed: "true" });
    expect(odd.status).toBe(404);
  });
});

describe("GET /admin/jobs", () => {
  test("shows the jobs of everybody, and cancels those that are open", async () => {
    const theirs = await browser(carol);
    await theirs.get("/inventory/items/_generate_excel_file");
    const own = await browser(alice);
    const { text } = await own.get("/admin/jobs?status=queued");
    expect(texts(text, "td[data-label=Owner]")).toEqual(["carol"]);
    const { href } = elements(text, "a.open")[0]!.attributes;
    expect(href).toMatch(/^\/status\/\d+$/);
    const id = href!.split("/").at(-1)!;
    const done = await own.submit("/admin/jobs/cancel", { id, confirmed: "true" });
    expect(done.status).toBe(303);
    const after = await theirs.get(href!, { headers: { accept: "application/json" } });
    expect(after.body).toMatchObject({ status: "failed", message: "Cancelled by alice" });
    expect((await own.submit("/admin/jobs/cancel", { id, confirmed: "true" })).status).toBe(303);
    expect(elements((await own.get("/admin/jobs")).text, "button[name=id]")).toEqual([]);
  });
});

test("a job that runs is stopped, and says that it was cancelled", async () => {
  const stopped = Promise.withResolvers<unknown>();
  const run = async ({ report }: RunningJob): Promise<never> => {
    try {
      for (let step = 0; ; step += 1) {
        report(1, `Step ${step}`);
        await Bun.sleep(20);
      }
    } catch (reason) {
      stopped.resolve(reason);
      throw reason;
    }
  };
  const theirs = await browser(carol);
  const own = await browser(alice);
  const { body } = await theirs.get("/inventory/items/_generate_excel_file", JSON_ONLY);
  await working(async () => {
    await reached(theirs, body.id, ["started"]);
    await own.submit("/admin/jobs/cancel", { id: String(body.id), confirmed: "true" });
    await stopped.promise;
  }, [{ ...itemExport, run }]);
  expect((await theirs.get(`/status/${body.id}`, JSON_ONLY)).body).toMatchObject({
    status: "failed",
    message: "Cancelled by alice",
  });
});

describe("GET /admin/audit", () => {
  test("is for admins and auditors", async () => {
    for (const person of [alice, audrey]) {
      const { status, text } = await (await browser(person)).get("/admin/audit");
      expect([person.username, status]).toEqual([person.username, 200]);
      expect(texts(text, "h1"), person.username).toEqual(["Audit log"]);
    }
    const other = await browser(bob);
    for (const path of ["/admin/audit", "/admin/audit/download"]) {
      expect((await other.get(path)).status, path).toBe(403);
    }
  });

  test("filters, shows the part that htmx asks for, and hides no newer entry", async () => {
    await aUser({ username: "erin" });
    await aUser({ username: "frank" });
    const own = await browser(audrey);
    const targets = async (query: string, given = {}) =>
      texts((await own.get(`/admin/audit${query}`, given)).text, "td[data-label=Target]");
    expect(await targets("")).toEqual(["frank", "erin"]);
    expect(await targets("?target=erin")).toEqual(["erin"]);
    expect(await targets("?event=user.created&username=alice&q=frank")).toEqual(["frank"]);
    expect(await targets("?at__lte=2020-01-01")).toEqual([]);
    const part = await own.get("/admin/audit?q=erin", { headers: HTMX });
    expect(part.text).not.toContain("<html");
    const [user] = elements(
      (await own.get("/admin/audit?username=alice")).text,
      "#filters [name=username]",
    );
    expect(user!.attributes.value).toBe("alice");
  });

  test("is downloaded as lines of JSON with the same filters, which is an entry as well", async () => {
    await aUser({ username: "erin" });
    await aUser({ username: "frank" });
    const own = await browser(audrey);
    const { headers, body } = await own.get("/admin/audit/download?target=erin&page=7");
    expect(headers.get("content-type")).toStartWith("application/x-ndjson");
    expect(headers.get("content-disposition")).toMatch(
      /^attachment; filename="audit-[\d-]+\.ndjson"$/,
    );
    expect(body).toMatchObject([{ event: "user.created", username: "alice", target: "erin" }]);
    const log = await api(alice).get("/audit?event=export.requested");
    expect(log.body).toMatchObject([{ username: "audrey", target: "audit log" }]);
    const foreign = { headers: { "sec-fetch-site": "cross-site" } };
    expect((await own.get("/admin/audit/download", foreign)).status).toBe(403);
  });
});

describe("GET /admin/system", () => {
  test("shows version, database, checks and settings, and no secret", async () => {
    const { sql, url } = await service();
    const own = await browser(alice);
    const { text } = await own.get("/admin/system");
    expect(texts(text, "dl.facts dt")).toEqual(
      expect.arrayContaining(["Cadastre", "PostgreSQL", "Schema", "Size", "Last backup"]),
    );
    expect(texts(text, "dl.facts dd")).toContain("none");
    expect(text).not.toContain("No problems found");
    expect(texts(text, ".tag.warn")).toEqual(["warning"]);
    expect(texts(text, "li").join()).toContain(
      "No backup has been made: make one. To have one every day, name a directory in the service's setting BACKUP_TO",
    );
    expect(text).toContain("The database is up to date");
    expect(text).toContain("The search answers");
    const [{ value }] = await sql`select value from settings where name = 'secret_key'`;
    expect(text).not.toContain(value);
    expect(text).not.toContain(url);
    expect(texts(text, "dl.facts dt")).toContain("AUDIT_DAYS");
    await sql`insert into backups (at, file) values (now() - interval '9 days', 'nightly.gz')`;
    const later = await own.get("/admin/system");
    expect(later.text).toContain("The last backup was made 9 days ago: run it every day");
    await sql`insert into backups (file, result) values ('proven.gz', 'good')`;
    const good = await own.get("/admin/system");
    expect(texts(good.text, "dl.facts dt")).toContain("Last good backup");
    expect(good.text).toContain("The last good backup was made less than an hour ago");
    await sql`insert into backups (result, message) values ('failed', 'no space is left')`;
    const failed = await own.get("/admin/system");
    expect(failed.text).toContain("The last backup failed less than an hour ago: no space is left");
    expect(texts(failed.text, "code")).toContain("cadastre backup");
    expect((await own.get("/admin")).text).toContain("Backup failed less than an hour ago");
    await sql`delete from backups`;
  });
});

describe("Back up now", () => {
  test("is beside the warning, and makes a proven backup as a job", async () => {
    const { url } = await service();
    const dataDir = mkdtempSync(join(tmpdir(), "cadastre-backup-"));
    const own = await browser(alice);
    expect(texts((await own.get("/admin/system")).text, "main form button")).toEqual([
      "Back up now",
    ]);
    const { headers } = await own.submit("/admin/system", {});
    const id = Number(headers.get("location")?.split("/").at(-1));
    const kinds = [backupJob({ url }, { backup: undefined, s3: {} as any, dataDir })];
    const { status, message } = await working(() => ended(own, id), kinds);
    expect([status, message]).toEqual(["finished", expect.stringContaining("proven by a restore")]);
    const made = readdirSync(join(dataDir, "backups"));
    expect(made.filter((name) => name.endsWith(".gz"))).toHaveLength(1);
    expect((await own.get("/admin/system")).text).toContain("The last good backup was made");
    expect((await (await browser(bob)).submit("/admin/system", {})).status).toBe(403);
    rmSync(dataDir, { recursive: true });
    await (await service()).sql`delete from backups`;
  });
});

describe("links to these pages", () => {
  test("are in the menu, in First steps and in the one box, for those who may open them", async () => {
    const own = await browser(alice);
    const home = await own.get("/");
    expect(elements(home.text, ".menu a").map(({ attributes }) => attributes.href)).toContain(
      "/admin",
    );
    expect(elements(home.text, "main a").map(({ attributes }) => attributes.href)).toContain(
      "/admin/users/create",
    );
    const ways = async (person: typeof alice, text: string) => {
      const found = await (await browser(person)).get(`/?q=${encodeURIComponent(text)}`);
      const opened = found.headers.get("location");
      if (opened) return [opened];
      return elements(found.text, "main a").map(({ attributes }) => attributes.href);
    };
    for (const [text, path] of [
      ["users", "/admin/users"],
      ["create user", "/admin/users/create"],
      ["tokens", "/admin/tokens"],
      ["jobs", "/admin/jobs"],
      ["audit", "/admin/audit"],
      ["backup", "/admin/system"],
    ] as const) {
      expect([text, await ways(alice, text)]).toEqual([text, expect.arrayContaining([path])]);
      expect([text, await ways(bob, text)]).not.toEqual([text, expect.arrayContaining([path])]);
    }
    expect(await ways(audrey, "audit")).toContain("/admin/audit");
    const menuOf = async (person: typeof alice) =>
      elements((await (await browser(person)).get("/")).text, ".menu a").map(
        ({ attributes }) => attributes.href,
      );
    expect(await menuOf(audrey)).toContain("/admin/audit");
    expect((await menuOf(bob)).filter((href) => href?.startsWith("/admin"))).toEqual([]);
  });
});

describe("the overviews of the areas", () => {
  test("count what the caller may see, and are in the breadcrumbs of lists", async () => {
    const secret = await aNetwork({ sensitive: true });
    const host = await aHost();
    await anInterface({ host: host.name, network: secret.vlan_name });
    const figures = async (person: typeof alice) =>
      texts((await (await browser(person)).get("/network")).text, ".card b");
    expect((await figures(alice)).slice(0, 3)).toEqual(["1 host", "1 interface", "1 network"]);
    expect((await figures(bob)).slice(0, 3)).toEqual(["0 hosts", "0 interfaces", "0 networks"]);
    const own = await browser(bob);
    const inventory = await own.get("/inventory");
    expect(
      elements(inventory.text, ".card h2 a").map(({ attributes }) => attributes.href),
    ).toContain("/inventory/items");
    for (const [path, crumb] of [
      ["/inventory/items", "/inventory"],
      ["/network/hosts", "/network"],
    ] as const) {
      const { text } = await own.get(path);
      expect(elements(text, ".crumbs a").map(({ attributes }) => attributes.href)).toEqual([crumb]);
      expect(texts(text, ".crumbs [aria-current]")).toHaveLength(1);
    }
  });
});
