// Triggers for admins: the API and the pages.
import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { texts } from "../support/html.ts";
import { awxServer, gitlabServer, postServer, TOKEN } from "../support/job_servers.ts";
import { aHost, alice, api, carol, dave, service } from "../support/mod.ts";
import { allowThisMachine, aTrigger, untilRuns, working } from "../support/triggers.ts";

setDefaultTimeout(90_000);

const awx = awxServer();
const gitlab = gitlabServer();
const anyServer = postServer();

beforeEach(async () => {
  for (const server of [awx, gitlab, anyServer]) server.forget();
  await allowThisMachine();
});

describe("the API of triggers", () => {
  test("is for admins, keeps the secret, and compares the revision", async () => {
    const trigger = await aTrigger(awx);
    expect(JSON.stringify(trigger)).not.toContain(TOKEN);
    expect(trigger).toMatchObject({ has_secret: true, revision: 1, owner: "alice", project: null });
    for (const person of [carol, dave]) {
      expect((await api(person).get("/triggers")).status).toBe(403);
      expect((await api(person).get(`/triggers/${trigger.id}`)).status).toBe(403);
    }
    const { headers } = await api(alice).get(`/triggers/${trigger.id}`);
    const match = { headers: { "if-match": headers.get("etag") ?? "" } };
    const changed = await api(alice).patch(`/triggers/${trigger.id}`, { limit: "dhcp" }, match);
    expect(changed.body).toMatchObject({ limit: "dhcp", revision: 2 });
    const stale = await api(alice).patch(`/triggers/${trigger.id}`, { limit: "x" }, match);
    expect(stale.status).toBe(412);
    const moved = { url: "https://elsewhere.example.org" };
    const refused = await api(alice).patch(`/triggers/${trigger.id}`, moved);
    expect(refused.body.errors[0].field).toBe("secret");
    const preview = await api(alice).get(`/triggers/${trigger.id}/preview`);
    expect(preview.body.headers.authorization).toBe("Bearer ********");
    expect(JSON.parse(preview.body.body).limit).toBe("dhcp");
    const { body } = await api(alice).get("/audit?event=trigger.changed");
    expect(body[0]).toMatchObject({ target: "DHCP", details: { fields: "limit" } });
    const { sql } = await service();
    const gathered = () => sql`select id from deliveries where subscription_id = ${trigger.id}`;
    expect((await gathered()).length).toBeGreaterThan(0);
    expect((await api(alice).delete(`/triggers/${trigger.id}`)).status).toBe(204);
    expect((await gathered()).length).toBe(0);
    expect((await api(alice).get("/triggers")).body).toEqual([]);
  });

  test("names what is wrong", async () => {
    const good = { name: "T", template: "post", url: anyServer.url, body: {} };
    const wrong: Array<[object, string]> = [
      [{ body: "{{ hosts.nme }}" }, "body"],
      [{ body: "{{ hosts | shell }}" }, "body"],
      [{ body: "{{ hosts" }, "body"],
      [{ body: "x".repeat(17_000) }, "body"],
      [{ headers: { host: "x" } }, "headers"],
      [{ headers: { "x-a": "a\r\nb: c" } }, "headers"],
      [{ filters: { kind: ["tables"] } }, "filters.kind.0"],
      [{ filters: { after: 1 } }, "filters.after"],
      [{ filters: { from: "once" } }, "filters.from"],
      [{ owner: "nobody" }, "owner"],
      [{ url: "ftp://x" }, "url"],
      [{ url: "https://a:b@example.org" }, "url"],
      [{ project: "x" }, "project"],
      [{ template: "awx", body: undefined, job_template: 7 }, "secret"],
      [{ template: "awx", body: undefined, job_template: "DHCP", secret: "x" }, "job_template"],
      [{ body: `{{ hosts${" | json".repeat(6)} }}` }, "body"],
      [{ secret_header: "Transfer-Encoding" }, "secret_header"],
      [{ secret: "two\nlines" }, "secret"],
      [{ read_token: "x" }, "read_token"],
      [{ url: "https://169.254.169.254/latest" }, "url"],
      [{ url: "http://192.0.2.1/" }, "url"],
      [{ filters: { query: "name:(" } }, "filters.query"],
      [{ template: "gitlab", body: undefined, secret: "x" }, "project"],
      [{ quiet_seconds: 0 }, "quiet_seconds"],
    ];
    for (const [fields, field] of wrong) {
      const { status, body } = await api(alice).post("/triggers", { ...good, ...fields });
      expect([field, status, body.errors?.[0]?.field]).toEqual([field, 422, field]);
    }
  });

  test("notes no parameters of the address, which may be secret", async () => {
    const url = `${anyServer.url}/hooks?key=canary`;
    await aTrigger(anyServer, { template: "post", url, body: {} });
    const audit = await api(alice).get("/audit?event=trigger.created");
    expect(audit.body[0].details.url).toBe(`${anyServer.url}/hooks`);
  });

  test("wants secrets again before they are sent elsewhere, or as another kind of token", async () => {
    const trigger = await aTrigger(gitlab, {
      ...{ template: "gitlab", project: "network/dhcp", ref: "main", token_kind: "trigger" },
      read_token: "the-token-that-reads",
    });
    expect(trigger).toMatchObject({ token_kind: "trigger", has_read_token: true });
    expect(JSON.stringify(trigger)).not.toContain("the-token");
    const change = async (fields: object) =>
      (await api(alice).patch(`/triggers/${trigger.id}`, fields)).body;
    const moved = { url: "https://elsewhere.example.org" };
    for (const fields of [moved, { token_kind: "access" }, { ...moved, read_token: "x" }]) {
      expect((await change(fields)).errors).toMatchObject([{ field: "secret" }]);
    }
    expect(await change({ secret: "another" })).toMatchObject({ has_read_token: true });
    const preview = await api(alice).get(`/triggers/${trigger.id}/preview`);
    expect(JSON.parse(preview.body.body)).toMatchObject({ token: "********", ref: "main" });
    const access = await change({ token_kind: "access", secret: "another" });
    expect(access).toMatchObject({ has_secret: true, has_read_token: false });
    expect((await change({ read_token: "x" })).errors).toMatchObject([{ field: "read_token" }]);
    const { body } = await api(alice).get("/audit?event=trigger.changed");
    expect(JSON.stringify(body)).not.toContain("another");
  });

  test("launches a test with example values, also of a trigger that is switched off", async () => {
    const trigger = await aTrigger(awx, { is_active: false });
    awx.states = ["successful"];
    await working(1, async () => {
      await aHost();
      const made = await api(alice).post(`/triggers/${trigger.id}/test`, {});
      expect(made.status).toBe(201);
      const [run] = await untilRuns(trigger.id, "succeeded");
      expect(run.is_test).toBe(true);
    });
    expect(awx.launches()[0]?.body.limit).toBe("example-host-1,example-host-2");
  });
});

describe("the pages of triggers", () => {
  test("add, change, test and delete a trigger", async () => {
    const own = await browser(alice);
    const fields = {
      name: "Pipelines",
      url: gitlab.url,
      project: "network/dhcp",
      ref: "main",
      variables: "HOSTS={{ limit }}\n\nWHO={{ users }}",
      secret: TOKEN,
      address: "https://cadastre.example.org/changes?kind=hosts&kind=interfaces&before=7",
      success_text: "DHCP updated",
      quiet_seconds: "5",
      most_seconds: "60",
      waits_for_end: "false",
      is_active: "false",
    };
    const create = "/admin/triggers/create/gitlab";
    const wrong = await own.submit(create, {
      ...fields,
      variables: "HOSTS",
    });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain("Write each line as NAME=value");
    const address = "https://cadastre.example.org/changes?kind=tables&q=dhcp";
    const refused = await own.submit(create, { ...fields, address });
    expect(texts(refused.text, ".error").join()).toContain("Use one of");
    expect(refused.text).toMatch(/value="dhcp"[^>]* name="q"/);
    expect(refused.text).not.toContain(TOKEN);
    for (const wrong of ["https://cadastre.example.org/changes", "/changes?colour=red"]) {
      const { text } = await own.submit(create, { ...fields, address: wrong });
      expect(texts(text, "#error-field-address")).toHaveLength(1);
    }
    const deep = { name: "Deep", url: anyServer.url, success_text: "x", body: "[".repeat(5_000) };
    const tooDeep = await own.submit("/admin/triggers/create/post", deep);
    expect(texts(tooDeep.text, "#error-field-body").join()).toContain("Nest at most 32 levels");
    const made = await own.submit(create, fields);
    expect([made.status, made.text]).toEqual([303, ""]);
    const path = made.headers.get("location") ?? "";
    const id = Number(path.split("/").at(-1));
    const { body } = await api(alice).get(`/triggers/${id}`);
    expect(body).toMatchObject({
      variables: { HOSTS: "{{ limit }}", WHO: "{{ users }}" },
      filters: { kind: ["hosts", "interfaces"] },
      waits_for_end: false,
      is_active: false,
      owner: "alice",
    });
    const edit = `/admin/triggers/edit/${id}`;
    const changed = {
      ...{ ...fields, secret: "", name: "Pipes", version: "1" },
      ...{ kind: "hosts", address: "", user: "alice\nbob" },
    };
    expect((await own.submit(edit, changed)).headers.get("location")).toBe(path);
    expect((await own.submit(edit, changed)).status).toBe(412);
    expect((await api(alice).get(`/triggers/${id}`)).body).toMatchObject({
      filters: { kind: ["hosts"], user: ["alice", "bob"] },
      has_secret: true,
      token_kind: "access",
    });
    gitlab.states = ["success"];
    await working(1, async () => {
      await own.submit(`/admin/triggers/action/${id}`, { action: "test" });
      const [run] = await untilRuns(id, "succeeded");
      await own.submit(`/admin/triggers/again/${id}`, { run: String(run.id) });
      await untilRuns(id, "succeeded", "succeeded");
    });
    expect((await own.get(path)).text).toContain("Run again");
    const gone = { action: "delete", confirmed: "true" };
    expect((await own.submit(`/admin/triggers/action/${id}`, gone)).status).toBe(303);
    expect((await own.get(path)).status).toBe(404);
    expect((await (await browser(dave)).get("/admin/triggers")).status).toBe(403);
  });
});
