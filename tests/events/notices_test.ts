// Mails about watched records, at a mail server of another project.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { runOnce } from "../../src/events/notices/worker.ts";
import { browser } from "../support/browser.ts";
import { type MailSink, mailSink, settingsFor } from "../support/mail_sink.ts";
import {
  aHost,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  bob,
  carol,
  dave,
  idOf,
  service,
  visit,
} from "../support/mod.ts";
import { isMissing } from "../support/programs.ts";
import { aSiteWithSecrets, CANARY, forgetSecrets } from "../support/site_with_secrets.ts";
import { changed, giveAddress, pass, statuses, watching } from "../support/watches.ts";

type Mails = Awaited<ReturnType<typeof settingsFor>>;

describe.skipIf(isMissing("openssl"))("mails about watched records", () => {
  let sink: MailSink;
  let mails: Mails;

  beforeAll(async () => {
    sink = await mailSink();
    mails = await settingsFor(sink.port);
  });
  afterAll(() => sink.close());
  beforeEach(async () => {
    sink.mails.length = 0;
    sink.refuse = undefined;
    await service();
    await runOnce(mails);
  });

  /** Everything that is due is sent. */
  async function sent() {
    await runOnce(mails);
    await pass("2 minutes");
    await runOnce(mails);
    return sink.mails.splice(0);
  }

  test("are sent at once, together, in the words of the history", async () => {
    await giveAddress(carol);
    const { vlan_name } = await aNetwork();
    const host = await aHost({ name: "web-01", network: vlan_name, description: "Old" });
    await watching(carol, "hosts", host.id);
    await changed(`/network/hosts/${host.id}`, { description: "New" }, dave);
    await runOnce(mails);
    await changed(`/network/hosts/${host.id}`, { is_ioc: true });
    await runOnce(mails);
    // It gathers for a minute.
    expect(sink.mails).toEqual([]);
    const [mail, ...others] = await sent();
    expect(others).toEqual([]);
    expect(sink.wasSecure).toBe(true);
    expect(mail?.to).toEqual(["carol@example.org"]);
    expect(mail?.headers).toMatchObject({
      from: "Cadastre <cadastre@example.org>",
      to: "carol@example.org",
      subject: "Cadastre: 2 changes of what you watch",
      "auto-submitted": "auto-generated",
      "list-unsubscribe-post": "List-Unsubscribe=One-Click",
      "list-unsubscribe": expect.stringMatching(
        /^<https:\/\/cadastre\.example\.org\/notices\/.+>$/,
      ),
      "message-id": expect.stringMatching(/^<[0-9a-f-]{36}@cadastre\.example\.org>$/),
      date: expect.stringMatching(/ \+0000$/),
    });
    expect(mail?.text).toMatch(/UTC, dave: Changed host web-01\r?\n {2}Description: Old → New/);
    expect(mail?.text).toMatch(/UTC, alice: Changed host web-01\r?\n {2}IOC: false → true/);
    expect(mail?.text).toMatch(/https:\/\/cadastre\.example\.org\/changes\/\w{26}\s/);
    expect(mail?.html).toContain(
      '<a href="https://cadastre.example.org/network/hosts/view/web-01">web-01</a>',
    );
    expect(mail?.html).toContain("<li>Description: <del>Old</del> → <ins>New</ins></li>");
    // Nothing is sent twice.
    expect(await sent()).toEqual([]);
  });

  test("leave out one's own changes, unless they are wanted", async () => {
    await giveAddress(dave);
    const host = await aHost();
    await watching(dave, "hosts", host.id);
    await changed(`/network/hosts/${host.id}`, { description: "Mine" }, dave);
    expect(await sent()).toEqual([]);
    const { status, body } = await api(dave).patch("/user/watches/settings", { own_changes: true });
    expect([status, body.own_changes]).toEqual([200, true]);
    await changed(`/network/hosts/${host.id}`, { description: "Mine again" }, dave);
    expect((await sent()).length).toBe(1);
  });

  test("of a network tell of the hosts and interfaces in it, also of those that leave", async () => {
    await giveAddress(carol);
    const [watched, other] = [await aNetwork(), await aNetwork()];
    await watching(carol, "networks", watched.id);
    const inside = await aHost({ name: "inside", network: watched.vlan_name });
    await aHost({ name: "outside", network: other.vlan_name });
    const second = await anInterface({ host: "outside", network: other.vlan_name, name: "second" });
    await changed(`/network/hosts/${inside.id}`, { description: "Moved in" });
    const first = (await sent())[0]!;
    expect(first.text).toContain("Added host inside, interface inside");
    expect(first.text).toContain("Changed host inside");
    expect(first.text).not.toContain("outside");
    await changed(`/network/interfaces/${second.id}`, { network: watched.vlan_name, ip: null });
    expect((await sent())[0]?.text).toContain("Changed interface second");
    await changed(`/network/interfaces/${second.id}`, { network: other.vlan_name, ip: null });
    expect((await sent())[0]?.text).toContain("Changed interface second");
    await api(alice).delete(`/network/hosts/${inside.id}`);
    expect((await sent())[0]?.text).toContain("Deleted host inside");
  });

  test("daily ones wait for their hour", async () => {
    await giveAddress(carol);
    const item = await anItem({ ics_id: "AAA001" });
    await watching(carol, "items", item.id, "daily");
    await changed(`/inventory/items/${item.id}`, { quantity: 2 }, bob);
    await api(bob).post("/inventory/items/AAA001/comments", { body: "Counted" });
    expect(await sent()).toEqual([]);
    await pass("24 hours");
    const [mail, ...others] = await sent();
    expect([others, mail?.headers.subject]).toEqual([[], "Cadastre: 2 changes of what you watch"]);
    expect(mail?.text).toContain("Quantity: 1 → 2");
    expect(mail?.text).toContain("Added a comment on AAA001");
    await pass("24 hours");
    expect(await sent()).toEqual([]);
  });

  test("end by one click without a login, and by the page of the link", async () => {
    await giveAddress(carol);
    const host = await aHost();
    const id = await watching(carol, "hosts", host.id);
    await changed(`/network/hosts/${host.id}`, { description: "1" });
    const [mail] = await sent();
    const link = mail!.headers["list-unsubscribe"]!.slice(1, -1);
    expect(mail!.text).toContain(link);
    const path = new URL(link).pathname;
    // A program that looks at links in advance changes nothing.
    expect(await visit(path)).toMatchObject({ status: 200 });
    expect((await api(carol).get(`/user/watches/${id}`)).body.mail).toBe("at_once");
    const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    expect((await visit(path, { method: "POST", body })).status).toBe(200);
    expect((await api(carol).get(`/user/watches/${id}`)).body.mail).toBe("none");
    await changed(`/network/hosts/${host.id}`, { description: "2" });
    expect(await sent()).toEqual([]);
    for (const wrong of [
      path.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
      `${path}x`,
      "x",
    ]) {
      const answer = await visit(wrong.startsWith("/") ? wrong : `/notices/unsubscribe/${wrong}`);
      expect(answer.status).toBe(404);
    }
    // A mail that waited is not sent either.
    await api(carol).patch(`/user/watches/${id}`, { mail: "at_once" });
    await changed(`/network/hosts/${host.id}`, { description: "3" });
    await runOnce(mails);
    sink.refuse = 451;
    await pass("2 minutes");
    await runOnce(mails);
    await visit(path, { method: "POST", body });
    sink.refuse = undefined;
    await pass("1 hour");
    expect(await sent()).toEqual([]);
    expect(await statuses()).toEqual(["sent", "dropped"]);
  });

  test("wait for a server that is down, and are then sent once, as the same mail", async () => {
    await giveAddress(carol);
    const host = await aHost();
    await watching(carol, "hosts", host.id);
    await sink.close();
    await changed(`/network/hosts/${host.id}`, { description: "While down" });
    expect(await sent()).toEqual([]);
    const { sql } = await service();
    const [{ trouble, attempts, message }] =
      await sql`select trouble, attempts, message from mails`;
    expect([attempts, trouble]).toEqual([1, expect.stringMatching(/./)]);
    const again = await mailSink({ port: sink.port });
    sink = again;
    expect(await sent()).toMatchObject([
      { headers: { "message-id": expect.stringContaining(message) } },
    ]);
    await pass("1 hour");
    expect(await sent()).toEqual([]);
    expect(await statuses()).toEqual(["sent"]);
  });

  test("are two after a long time without a server, however often something was changed", async () => {
    await giveAddress(carol);
    const host = await aHost();
    await watching(carol, "hosts", host.id);
    const { port } = sink;
    await sink.close();
    for (const description of ["First", "Second", "Third", "Fourth"]) {
      await changed(`/network/hosts/${host.id}`, { description });
      expect(await sent()).toEqual([]);
    }
    expect(await statuses()).toEqual(["waiting"]);
    sink = await mailSink({ port });
    await pass("1 hour");
    const all = [...(await sent()), ...(await sent())];
    expect(all.map(({ text }) => /First|Second|Third|Fourth/g.exec(text)?.[0])).toHaveLength(2);
    expect(all.map(({ headers }) => headers.subject)).toEqual([
      "Cadastre: 1 change of what you watch",
      "Cadastre: 3 changes of what you watch",
    ]);
    expect(await sent()).toEqual([]);
  });

  test("are given up when the server refuses the address, and the page says why", async () => {
    await giveAddress(carol);
    const host = await aHost();
    await watching(carol, "hosts", host.id);
    sink.refuse = 550;
    await changed(`/network/hosts/${host.id}`, { description: "x" });
    await sent();
    expect(await statuses()).toEqual(["failed"]);
    const { sql } = await service();
    const [{ trouble }] = await sql`select trouble from mails`;
    expect(trouble).toContain("550 No such mailbox");
  });

  test("are not sent in clear text or to a server with an unknown certificate", async () => {
    await giveAddress(carol);
    const host = await aHost();
    await watching(carol, "hosts", host.id);
    const plain = await mailSink({ tls: false });
    await changed(`/network/hosts/${host.id}`, { description: "x" });
    await runOnce(mails);
    await pass("2 minutes");
    for (const wrong of [
      await settingsFor(plain.port),
      await settingsFor(sink.port, { caFile: undefined }),
    ]) {
      await runOnce(wrong);
      await pass("1 hour");
    }
    expect([plain.mails, sink.mails, await statuses()]).toEqual([[], [], ["waiting"]]);
    await runOnce(await settingsFor(plain.port, { tls: "off" }));
    expect(plain.mails.length).toBe(1);
    await plain.close();
  });

  test("list 100 changes and count the others", async () => {
    await giveAddress(carol);
    const made = Array.from({ length: 140 }, (_, at) => ({
      serial_number: `BULK${at}`,
      location: "Hall",
    }));
    await api(alice).post("/inventory/locations", { name: "Hall" });
    const rows = made.map((one) => JSON.stringify(one)).join("\n");
    const { status } = await api(alice).post("/inventory/items/import", rows, {
      headers: { "content-type": "application/x-ndjson" },
    });
    expect(status).toBe(200);
    const { sql } = await service();
    await sql`
      insert into watches (user_id, table_name, row_id, name, mail, mailed_up_to)
      select ${await idOf(carol)}, 'items', id, ics_id, 'at_once', committed_up_to('change_sets') from items`;
    await api(carol).patch("/user/watches/settings", { digest_hour: 7 });
    const ids = (await sql`select id from items`).map(({ id }: any) => id);
    while (ids.length > 0) {
      const some: number[] = ids.splice(0, 10);
      await Promise.all(some.map((id) => changed(`/inventory/items/${id}`, { quantity: 3 })));
    }
    const [mail, ...others] = await sent();
    expect(others).toEqual([]);
    expect(mail?.headers.subject).toBe("Cadastre: 140 changes of what you watch");
    expect(mail?.text.match(/UTC, alice: Changed item/g)?.length).toBe(100);
    expect(mail?.text).toContain("and 40 more");
  });

  test("cannot be changed by hostile texts", async () => {
    // One address, whatever is in it.
    await giveAddress(carol, "victim,x@example.org");
    const host = await aHost({ name: "web-66", description: "Old" });
    await watching(carol, "hosts", host.id);
    const hostile = "<script>alert(1)</script>\r\nBcc: mallory@example.org\r\n\r\n.\r\nQUIT";
    await changed(`/network/hosts/${host.id}`, { description: hostile });
    const [mail, ...others] = await sent();
    expect(others).toEqual([]);
    expect(mail?.to).toEqual(['"victim,x"@example.org']);
    expect(mail?.names.map((name) => name.toLowerCase()).toSorted()).toEqual(
      [
        ...["auto-submitted", "content-type", "date", "from", "list-unsubscribe"],
        ...["list-unsubscribe-post", "message-id", "mime-version", "subject", "to"],
      ].toSorted(),
    );
    expect(mail?.html).not.toContain("<script");
    expect(mail?.html).toContain("&#60;script&#62;");
    expect(mail?.text).toContain("<script>alert(1)</script> Bcc: mallory@example.org . QUIT");
  });

  test("go to an address that its user entered when a mailed link has confirmed it", async () => {
    const host = await aHost();
    await watching(carol, "hosts", host.id);
    await api(carol).patch("/user/profile", { email: "new@example.org" });
    await changed(`/network/hosts/${host.id}`, { description: "1" });
    expect(await sent()).toEqual([]);
    expect((await api(carol).get("/user/watches/settings")).body).toMatchObject({
      address: "new@example.org",
      is_confirmed: false,
    });
    const own = await browser(carol);
    await own.submit("/user/watches/address", {});
    const [mail] = await sent();
    expect(mail?.to).toEqual(["new@example.org"]);
    const link = new URL(/https:\/\/\S+/.exec(mail!.text)![0]).pathname;
    expect((await own.get(link)).status).toBe(200);
    expect((await (await browser(dave)).submit(link, {})).status).toBe(422);
    expect((await own.submit(link, {})).status).toBe(303);
    expect((await own.submit(link, {})).status).toBe(422);
    await changed(`/network/hosts/${host.id}`, { description: "2" });
    expect((await sent()).length).toBe(1);
  });

  test("are taken over from a sender that does not come back, which then decides nothing", async () => {
    await giveAddress(carol);
    const host = await aHost();
    await watching(carol, "hosts", host.id);
    await changed(`/network/hosts/${host.id}`, { description: "x" });
    await runOnce(mails);
    await pass("2 minutes");
    const silent = await mailSink();
    silent.hangs = true;
    const lost = runOnce(await settingsFor(silent.port));
    const { sql } = await service();
    for (let taken = 0; taken === 0; await Bun.sleep(20)) {
      [{ taken }] = await sql`select count(*)::int as taken from mails where attempts = 1`;
    }
    await runOnce(mails);
    expect(sink.mails).toEqual([]);
    await pass("6 minutes");
    await runOnce(mails);
    expect(sink.mails.length).toBe(1);
    await silent.close();
    await lost;
    expect(await statuses()).toEqual(["sent"]);
    expect(await sent()).toHaveLength(1);
  });

  test("are tried by an admin", async () => {
    await giveAddress(alice);
    const own = await browser(alice);
    for (let times = 0; times < 5; times += 1) await own.submit("/user/watches/test", {});
    expect((await own.submit("/user/watches/test", {})).status).toBe(429);
    expect((await (await browser(carol)).submit("/user/watches/test", {})).status).toBe(403);
    const got = await sent();
    expect(got.map(({ to, headers }) => [to, headers.subject])).toEqual(
      Array.from({ length: 5 }, () => [["alice@example.org"], "Cadastre: test"]),
    );
  });

  test("of a saved search tell of records that it finds, or found before the change", async () => {
    await giveAddress(carol);
    const own = await browser(carol);
    await own.submit("/searches", {
      list: "/network/hosts",
      name: "Pumps",
      query: "q=description:pump&device_type=Physical",
    });
    const { sql } = await service();
    const [{ id }] = await sql`select id from searches`;
    const made = await api(carol).post("/user/watches", { search_id: id, mail: "at_once" });
    expect([made.status, made.body.name, made.body.table_name]).toEqual([201, "Pumps", "hosts"]);
    const { vlan_name } = await aNetwork();
    const pump = await aHost({ name: "pump-01", description: "A pump", network: vlan_name });
    const fan = await aHost({ name: "fan-01", description: "A fan", network: vlan_name });
    const first = (await sent())[0]!;
    expect(first.text).toContain("Added host pump-01, interface pump-01");
    expect(first.text).not.toContain("fan-01");
    await changed(`/network/hosts/${pump.id}`, { description: "Was replaced" });
    await changed(`/network/hosts/${fan.id}`, { description: "Still a fan" });
    const second = (await sent())[0]!;
    expect(second.text).toContain("Description: A pump → Was replaced");
    expect(second.text).not.toContain("fan");
    await changed(`/network/hosts/${pump.id}`, { description: "Gone" });
    expect(await sent()).toEqual([]);
    await own.submit("/searches", { list: "/network/hosts", name: "Odd", query: "scope_id=1" });
    const [odd] = await sql`select id from searches where name = 'Odd'`;
    const refused = await api(carol).post("/user/watches", { search_id: odd.id });
    expect(refused.body.errors).toEqual([
      { field: "search_id", message: "A search with the filter scope_id cannot be watched" },
    ]);
  });

  test("are sent once by several instances, and tell nothing of what is hidden when they are sent", async () => {
    await giveAddress(carol);
    const network = await aNetwork();
    const hosts = [await aHost({ network: network.vlan_name }), await aHost()];
    for (const { id } of hosts) await watching(carol, "hosts", id);
    for (const { id } of hosts) await changed(`/network/hosts/${id}`, { description: "Secret?" });
    await runOnce(mails);
    await pass("2 minutes");
    await changed(`/network/networks/${network.id}`, { sensitive: true });
    await Promise.all([1, 2, 3].map(() => runOnce(mails)));
    const [mail, ...others] = sink.mails;
    expect(others).toEqual([]);
    expect(mail?.text).toContain(hosts[1]!.name);
    expect(mail?.raw).not.toContain(hosts[0]!.name);
    expect(mail?.headers.subject).toBe("Cadastre: 1 change of what you watch");
    sink.mails.length = 0;
    await changed(`/network/hosts/${hosts[0]!.id}`, { description: "Hidden" });
    await runOnce(mails);
    const { sql } = await service();
    expect(await sql`select from notice_settings where mail_at is not null`).toHaveLength(0);
    expect(await sent()).toEqual([]);
    // A user who is gone gets none.
    await changed(`/network/hosts/${hosts[1]!.id}`, { description: "x" });
    await api(alice).delete(`/user/users/${await idOf(carol)}`);
    expect(await sent()).toEqual([]);
  });

  test("are the same, to the byte, as if hidden records did not exist", async () => {
    await giveAddress(carol);
    await aSiteWithSecrets();
    const { sql } = await service();
    await sql`
      insert into watches (user_id, table_name, row_id, name, mail, mailed_up_to)
      select ${await idOf(carol)}, kind, id, 'x', 'at_once', 0 from (
        select 'hosts' as kind, id from hosts union all select 'networks', id from networks
        union all select 'items', id from items union all select 'groups', id from groups) records`;
    const worlds: string[] = [];
    for (const forget of [async () => {}, forgetSecrets]) {
      await forget();
      await sql`delete from mails`;
      await sql`update watches set mailed_up_to = 0`;
      await api(carol).patch("/user/watches/settings", { digest_hour: 7 });
      await sql`update notice_settings set mail_at = now()`;
      await runOnce(mails);
      const [mail] = sink.mails.splice(0);
      worlds.push(
        mail!.raw
          .replace(/^(Date|Message-ID): .*$/gim, "$1")
          .replace(/--_NmP-[0-9a-f]+-Part_\d+/g, "BOUNDARY"),
      );
    }
    expect(worlds[0]).not.toMatch(new RegExp(CANARY, "i"));
    expect(worlds[0]).toContain("web-01");
    expect(worlds[1]).toBe(worlds[0]!);
  });
});
