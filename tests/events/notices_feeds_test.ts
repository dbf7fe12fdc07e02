// The feeds of watches, at addresses that are secrets; the page of watches; the settings for mails.
import { describe, expect, test } from "bun:test";
import type { Server } from "bun";
import { currentConfig, readConfig, setConfig } from "../../src/config.ts";
import { ALLOWED as FAILED } from "../../src/user/throttle.ts";
import { browser } from "../support/browser.ts";
import { texts } from "../support/html.ts";
import {
  aHost,
  alice,
  aNetwork,
  api,
  carol,
  dave,
  idOf,
  namesOf,
  PASSWORD,
  type Person,
  serve,
  service,
  stranger,
  visit,
} from "../support/mod.ts";
import { file, isMissing, run } from "../support/programs.ts";
import { changed, watching } from "../support/watches.ts";

/** Makes the addresses of feeds on the page, and returns their paths. */
async function feedsOf(person: Person): Promise<{ atom: string; ics: string }> {
  const own = await browser(person);
  const { status, text } = await own.submit("/user/watches/feeds", {});
  expect(status).toBe(200);
  const [atom = "", ics = ""] = texts(text, "#new-feeds code").map((url) => new URL(url).pathname);
  return { atom, ics };
}

/** The entries of an Atom feed, as a strict parser reads them. */
async function entriesOf(xml: string): Promise<Array<Record<string, string>>> {
  const path = await file("changes.atom", xml);
  const script = `
import json, sys, xml.etree.ElementTree as tree
atom = "{http://www.w3.org/2005/Atom}"
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == atom + "feed", root.tag
for name in ("id", "title", "updated"): assert root.find(atom + name).text
print(json.dumps([{"id": e.find(atom + "id").text, "title": e.find(atom + "title").text,
  "updated": e.find(atom + "updated").text, "author": e.find(atom + "author").find(atom + "name").text,
  "content": e.find(atom + "content").text} for e in root.findall(atom + "entry")]))`;
  const { code, out, err } = await run(["python3", "-c", script, path]);
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out);
}

/** The events of a calendar, by the names of their properties; checks the form of every line. */
function eventsOf(calendar: string): Array<Record<string, string>> {
  expect(calendar.endsWith("\r\n")).toBe(true);
  const lines = calendar.slice(0, -2).split("\r\n");
  for (const line of lines) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    expect(line).not.toMatch(/\p{Cc}/u);
  }
  const unfolded = lines.join("\r\n").replaceAll("\r\n ", "").split("\r\n");
  expect([unfolded[0], unfolded[1], unfolded.at(-1)]).toEqual([
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "END:VCALENDAR",
  ]);
  const events: Array<Record<string, string>> = [];
  for (const line of unfolded) {
    const [, name = "", value = ""] = /^([A-Z-]+):(.*)$/.exec(line) ?? [];
    expect([line, name]).not.toEqual([line, ""]);
    if (line === "BEGIN:VEVENT") events.push({});
    const event = events.at(-1);
    if (!event || name === "BEGIN" || name === "END") continue;
    // Nothing but these is escaped, and these always.
    if (["SUMMARY", "DESCRIPTION"].includes(name)) {
      expect(value.replace(/\\[\\;,n]/g, "")).not.toMatch(/[\\;,]/);
    }
    event[name] = value.replace(/\\(.)/g, (_, one) => (one === "n" ? "\n" : one));
  }
  return events;
}

describe("feeds of watches", () => {
  test.skipIf(isMissing("python3"))("are valid whatever people write", async () => {
    const { vlan_name } = await aNetwork();
    const host = await aHost({ name: "web-01", description: "Old", network: vlan_name });
    await watching(carol, "hosts", host.id, "none");
    const hostile = `<b>&amp; ]]> "'; \\n,\u2028\uFFFE 🜁${"é".repeat(90)}\r\nEND:VEVENT`;
    await changed(`/network/hosts/${host.id}`, { description: hostile }, dave);
    await changed(`/network/hosts/${host.id}`, { is_ioc: true });
    const { atom, ics } = await feedsOf(carol);
    const feed = await visit(atom);
    expect([feed.status, feed.headers.get("content-type")]).toEqual([
      200,
      "application/atom+xml; charset=utf-8",
    ]);
    const entries = await entriesOf(feed.text);
    expect(entries.map(({ title, author }) => [title, author])).toEqual([
      ["alice: Changed host web-01: IOC", "alice"],
      ["dave: Changed host web-01: Description", "dave"],
      ["alice: Added host web-01, interface web-01", "alice"],
    ]);
    expect(entries[1]?.content).toContain("<ins>&#60;b&#62;&#38;amp; ]]&#62;");
    for (const { id, updated } of entries) {
      expect([id, updated]).toEqual([
        expect.stringMatching(/^http:\/\/.*\/changes\/\w{26}$/),
        expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/),
      ]);
    }
    const calendar = await visit(ics);
    expect(calendar.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
    const events = eventsOf(calendar.text);
    expect(events.map(({ SUMMARY }) => SUMMARY)).toEqual(entries.map(({ title }) => title!));
    expect(events[1]).toMatchObject({
      DTSTART: expect.stringMatching(/^\d{8}T\d{6}Z$/),
      UID: expect.stringMatching(/^change-\w{26}@127\.0\.0\.1$/),
      DESCRIPTION: expect.stringMatching(/^Description: Old → <b>&amp; \]\]> "'; \\n,.+/),
    });
    // The same ids again, and nothing at all if nothing has changed.
    const etag = feed.headers.get("etag") ?? "";
    expect((await visit(atom, { headers: { "if-none-match": etag } })).status).toBe(304);
    await changed(`/network/hosts/${host.id}`, { is_ioc: false });
    const later = await visit(atom, { headers: { "if-none-match": etag } });
    expect((await entriesOf(later.text)).slice(1).map(({ id }) => id)).toEqual(
      entries.map(({ id }) => id),
    );
  });

  test("are valid while there is nothing to tell", async () => {
    const { atom, ics } = await feedsOf(carol);
    expect(await entriesOf((await visit(atom)).text)).toEqual([]);
    const { text } = await visit(ics);
    expect(eventsOf(text)).toEqual([]);
    // A calendar has a component: RFC 5545, 3.6.
    expect(text).toMatch(/^BEGIN:(?!VCALENDAR)/m);
  });

  test("show what their user may see when they are read", async () => {
    const network = await aNetwork();
    const host = await aHost({ name: "veiled", network: network.vlan_name });
    await watching(carol, "hosts", host.id);
    const { atom, ics } = await feedsOf(carol);
    expect((await visit(atom)).text).toContain("veiled");
    await changed(`/network/networks/${network.id}`, { sensitive: true });
    expect((await visit(atom)).text).not.toContain("veiled");
    expect(eventsOf((await visit(ics)).text)).toEqual([]);
  });

  test("are read with the secret alone, until it is renewed or its user is gone", async () => {
    const { atom: first } = await feedsOf(carol);
    const { sql } = await service();
    const [{ feed_hash }] = await sql`select feed_hash::text from notice_settings`;
    expect(first).not.toContain(feed_hash.slice(2));
    expect((await visit(first)).status).toBe(200);
    const { atom, ics } = await feedsOf(carol);
    expect((await visit(first)).status).toBe(404);
    expect((await visit(atom)).status).toBe(200);
    expect((await visit(atom.replace("changes.atom", "changes.html"))).status).toBe(404);
    await api(alice).delete(`/user/users/${await idOf(carol)}`);
    expect([(await visit(atom)).status, (await visit(ics)).status]).toEqual([404, 404]);
  });
});

describe("watches", () => {
  test("are of one's own records alone, and of what one sees", async () => {
    const network = await aNetwork({ sensitive: true });
    const refused = { field: "row_id", message: "There is no such record" };
    for (const row_id of [network.id, 2_000_000_000]) {
      const { status, body } = await api(dave).post("/user/watches", {
        table_name: "networks",
        row_id,
      });
      expect([status, body.errors]).toEqual([422, [refused]]);
    }
    const id = await watching(alice, "networks", network.id, "daily");
    expect((await api(dave).get("/user/watches")).body).toEqual([]);
    for (const answer of [
      await api(dave).get(`/user/watches/${id}`),
      await api(dave).patch(`/user/watches/${id}`, { mail: "none" }),
      await api(dave).delete(`/user/watches/${id}`),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect((await api(alice).delete(`/user/watches/${id}`)).status).toBe(204);
  });

  test("keep the name that was seen last of a record that is gone or hidden", async () => {
    const network = await aNetwork();
    const host = await aHost({ name: "before", network: network.vlan_name });
    const id = await watching(carol, "hosts", host.id);
    await changed(`/network/hosts/${host.id}`, { name: "after" });
    expect((await api(carol).get(`/user/watches/${id}`)).body.name).toBe("after");
    for (const query of [
      "name=after",
      "name__contains=fte",
      "name__startswith=aft",
      "sort=-name",
    ]) {
      const { body } = await api(carol).get(`/user/watches?${query}`);
      expect([query, namesOf(body)]).toEqual([query, ["after"]]);
    }
    await changed(`/network/networks/${network.id}`, { sensitive: true });
    expect((await api(carol).get(`/user/watches/${id}`)).body.name).toBe("before");
  });

  test("are at most 200", async () => {
    const { sql } = await service();
    const host = await aHost();
    await sql`
      insert into watches (user_id, table_name, row_id, name, mail, mailed_up_to)
      select ${await idOf(carol)}, 'hosts', n + 1000000, 'x', 'none', 0 from generate_series(1, 200) n`;
    const { status, body } = await api(carol).post("/user/watches", {
      table_name: "hosts",
      row_id: host.id,
    });
    expect([status, body.errors]).toEqual([
      422,
      [{ field: "watches", message: "You have 200 watches; delete one first" }],
    ]);
  });

  test("are made and changed on pages without a script", async () => {
    const own = await browser(carol);
    const host = await aHost({ name: "web-01" });
    const path = "/network/hosts/view/web-01";
    const button = async () => texts((await own.get(path)).text, "form.watch button")[0]?.trim();
    expect(await button()).toBe("Watch");
    const form = { table_name: "hosts", row_id: String(host.id), next: path };
    const { headers } = await own.submit("/user/watches/toggle", { ...form, watch: "true" });
    expect(headers.get("location")).toBe(path);
    expect(await button()).toBe("Unwatch");
    const { text } = await own.get("/user/watches");
    expect(text).toContain("This installation sends no mails");
    expect(texts(text, "td a")).toEqual(["web-01"]);
    const [{ id }] = (await api(carol).get("/user/watches")).body;
    await own.submit("/user/watches", { [`mail-${id}`]: "at_once" });
    expect((await api(carol).get(`/user/watches/${id}`)).body.mail).toBe("at_once");
    expect((await own.submit("/user/watches", { [`mail-${id}`]: "often" })).status).toBe(422);
    await own.submit("/user/watches/settings", { digest_hour: "18", own_changes: "true" });
    expect((await api(carol).get("/user/watches/settings")).body).toMatchObject({
      digest_hour: 18,
      own_changes: true,
    });
    await own.submit("/user/watches/toggle", { ...form, watch: "false" });
    expect((await api(carol).get("/user/watches")).body).toEqual([]);
  });

  test("show why the last mail was not delivered, where there is a mail server", async () => {
    const { sql } = await service();
    await sql`
      insert into mails (user_id, kind, status, attempts, trouble, finished_at)
      values (${await idOf(carol)}, 'changes', 'failed', 1, '550 No such mailbox', now())`;
    const withMail = { SMTP_URL: "smtp://localhost", SMTP_FROM: "cadastre@example.org" };
    const before = currentConfig();
    setConfig(readConfig({ ...withMail, PUBLIC_URL: "https://cadastre.example.org" }));
    const { text } = await (await browser(carol)).get("/user/watches");
    const { text: system } = await (await browser(alice)).get("/admin/system");
    if (before) setConfig(before);
    expect(system).toContain(
      "Mails by localhost:587 given up within seven days: 1; the last error: 550 No such mailbox",
    );
    expect(text).toContain("550 No such mailbox");
    expect(text).toContain("There is no address");
  });
});

describe("settings for mails", () => {
  const PUBLIC_URL = "https://cadastre.example.org";
  const SMTP_FROM = "Cadastre of the Lab <cadastre@example.org>";
  const given = { PUBLIC_URL, SMTP_FROM };

  test("come from a URL or one by one", () => {
    const parts = { SMTP_HOST: "mail", SMTP_PORT: "587", SMTP_USER: "me@x", SMTP_PASSWORD: "p/w" };
    const one = readConfig({ ...given, ...parts }).mail;
    const other = readConfig({ ...given, SMTP_URL: "smtp://me%40x:p%2Fw@mail:587" }).mail;
    expect(one).toEqual({
      ...{ host: "mail", port: 587, user: "me@x", password: "p/w", tls: "starttls" },
      caFile: undefined,
      from: { name: "Cadastre of the Lab", address: "cadastre@example.org" },
    });
    expect(other).toEqual(one);
    expect(readConfig({ ...given, SMTP_URL: "smtps://mail" }).mail).toMatchObject({
      port: 465,
      tls: "implicit",
    });
    const froms = ["cadastre@example.org", '"The Lab" <cadastre@example.org>', "<c@example.org>"];
    const read = froms.map(
      (SMTP_FROM) => readConfig({ ...given, SMTP_FROM, SMTP_HOST: "mail" }).mail?.from,
    );
    expect(read).toEqual([
      { name: "Cadastre", address: "cadastre@example.org" },
      { name: "The Lab", address: "cadastre@example.org" },
      { name: "Cadastre", address: "c@example.org" },
    ]);
    expect(readConfig({}).mail).toBe(undefined);
  });

  test.each([
    [{ SMTP_HOST: "mail", SMTP_FROM }, /need PUBLIC_URL/],
    [{ SMTP_HOST: "mail", PUBLIC_URL }, /SMTP_FROM must look like/],
    [{ ...given, SMTP_HOST: "mail", SMTP_FROM: "a@b\r\nBcc: c@d" }, /SMTP_FROM must look like/],
    [{ ...given, SMTP_HOST: "mail", SMTP_FROM: "a@b, c@d" }, /SMTP_FROM must look like/],
    [{ ...given, SMTP_HOST: "mail", SMTP_TLS: "maybe" }, /SMTP_TLS must be one of/],
    [{ ...given, SMTP_URL: "http://mail" }, /SMTP_URL must look like/],
    [{ ...given, SMTP_URL: "smtp://a:b@mail", SMTP_TLS: "off" }, /in clear text/],
    [{ ...given, SMTP_HOST: "mail", SMTP_USER: "a" }, /set together/],
    [{ SMTP_FROM }, /needs SMTP_HOST or SMTP_URL/],
  ])("that are wrong stop the start: %o", (settings, message) => {
    expect(() => readConfig(settings)).toThrow(message);
  });
});

describe("an address that is a secret", () => {
  const FEED = "/notices/feeds";
  const MINUTES = 15;

  /** The statuses of requests through a trusted proxy for a client. */
  async function askingFrom(proxied: Server<undefined>, address: string, paths: string[]) {
    const answers: Response[] = [];
    for (const path of paths) {
      const headers = { "x-forwarded-for": address };
      answers.push(await fetch(new URL(path, proxied.url), { headers }));
    }
    return answers;
  }

  test("is answered with 429 when a client has asked for ten wrong ones; right ones are still read", async () => {
    const { atom } = await feedsOf(carol);
    const proxied = await serve({ TRUST_PROXY: "on" });
    const wrong = (at: number) =>
      [
        `${FEED}/${String(at).padEnd(43, "x")}/changes.atom`,
        `${FEED}/short/changes.ics`,
        `/notices/unsubscribe/guess.${at}`,
      ][at % 3]!;
    const guesses = Array.from({ length: FAILED }, (_, at) => wrong(at));
    const statusesFrom = async (address: string, paths: string[]) =>
      (await askingFrom(proxied, address, paths)).map(({ status }) => status);
    // At the same time, each from its own connection.
    const parallel = guesses.map((path) => statusesFrom("192.0.2.1", [path]));
    expect((await Promise.all(parallel)).flat()).toEqual(guesses.map(() => 404));
    const kinds = [wrong(0), wrong(1), wrong(2)];
    for (const answer of await askingFrom(proxied, "192.0.2.1", kinds)) {
      expect([answer.status, Number(answer.headers.get("retry-after")) <= MINUTES * 60]).toEqual([
        429,
        true,
      ]);
    }
    expect(await statusesFrom("192.0.2.1", [atom])).toEqual([200]);
    expect(await statusesFrom("192.0.2.2", [wrong(0)])).toEqual([404]);
    // Logins are counted by themselves.
    const headers = { "x-forwarded-for": "192.0.2.1" };
    const { username } = carol;
    const login = { username, password: PASSWORD };
    const own = api(stranger, proxied.url.origin);
    expect((await own.post("/user/login", login, { headers })).status).toBe(200);
    const { sql } = await service();
    await sql`update login_failures set at = at - interval '16 minutes'`;
    expect(await statusesFrom("192.0.2.1", kinds)).toEqual([404, 404, 404]);
    await proxied.stop(true);
  });
});
