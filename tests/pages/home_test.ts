// The home page: its figures are those of the lists that they lead to, for each kind of user.
import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { PgDialect } from "drizzle-orm/pg-core";
import * as database from "../../db/client.ts";
import { browser } from "../support/browser.ts";
import { createdDaysAgo } from "../support/history.ts";
import { elements, texts } from "../support/html.ts";
import {
  aGroup,
  aHost,
  aLocation,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  aScope,
  aStatus,
  audrey,
  bob,
  carol,
  cast,
  dave,
  inOrder,
  type Person,
  service,
} from "../support/mod.ts";
import { giveRight } from "../support/rights.ts";

const DAY = 86_400_000;

interface Linked {
  href: string;
  text: string;
}

async function homeOf(person: Person): Promise<string> {
  const { status, text } = await (await browser(person)).get("/");
  expect(status).toBe(200);
  return text;
}

/** The links of a part of a page, each with its text. */
function links(html: string, selector: string): Linked[] {
  const found = texts(html, selector);
  return elements(html, selector).map(({ attributes }, at) => ({
    href: attributes.href!,
    text: found[at]!,
  }));
}

/** The total of a list, from the API: the path of its page is also that of the API. */
async function totalOf(person: Person, path: string): Promise<number> {
  const { headers, status } = await api(person).get(path);
  expect([path, status]).toEqual([path, 200]);
  return Number(headers.get("x-total-count"));
}

/** "In use 3" is 3. */
function numberIn(text: string): number {
  return Number(/([\d,]+)(?: free)?$/.exec(text)?.[1]?.replaceAll(",", ""));
}

/** Four hosts, one of which is hidden, and one more address of a hidden host in a visible network. */
async function aSite(): Promise<void> {
  await inOrder(["In use", "Spare"].map((name) => () => aStatus({ name })));
  await anItem({ status: "In use" });
  await anItem({ status: "In use" });
  await anItem({ status: "Spare" });
  await anItem();
  await aScope({ name: "Lab" });
  await aNetwork({ scope: "Lab", vlan_name: "Open" });
  await aNetwork({ scope: "Lab", vlan_name: "Hidden", sensitive: true });
  await aHost({ name: "web-01", network: "Open" });
  await aHost({ name: "web-02", network: "Open", device_type: "Virtual" });
  await aHost({ name: "bare", device_type: "Virtual" });
  await aHost({ name: "canary", network: "Hidden", device_type: "VME" });
  await anInterface({ host: "canary", network: "Open", name: "canary-2" });
}

describe("the figures", () => {
  test("are the totals of the lists that they lead to, for each kind of user", async () => {
    await aSite();
    for (const person of cast) {
      const html = await homeOf(person);
      const figures = [
        ...links(html, ".figure .total").slice(0, 2),
        ...links(html, "[aria-labelledby=hosts] .bars a"),
      ];
      const statuses = links(html, ".parts a");
      const counts = texts(html, ".parts .number");
      figures.push(...statuses.map(({ href }, at) => ({ href, text: counts[at]! })));
      for (const { href, text } of figures) {
        expect([person.username, href, await totalOf(person, href)]).toEqual([
          person.username,
          href,
          numberIn(text),
        ]);
      }
      const titles = texts(html, ".stacked title");
      expect(titles, person.username).toEqual(["In use: 2", "Spare: 1", "Without a status: 1"]);
    }
  });

  test("leave out what is hidden", async () => {
    await aSite();
    const [open, all] = await Promise.all([homeOf(carol), homeOf(audrey)]);
    const hosts = (html: string) => texts(html, "[aria-labelledby=hosts] .bars a");
    expect(hosts(open)).toEqual(["Virtual 2", "Physical 1"]);
    expect(hosts(all)).toEqual(["Virtual 2", "Physical 1", "VME 1"]);
    const free = (html: string) => texts(html, "[aria-labelledby=addresses] .total");
    expect(free(open)).toEqual(["248"]);
    expect(free(all)).toEqual(["496"]);
    expect(open).not.toContain("canary");
    expect(open).not.toContain("Hidden");
  });

  test("of free addresses are what the networks of the scope have left", async () => {
    await aSite();
    for (const person of [alice, carol, dave]) {
      const html = await homeOf(person);
      for (const { href, text } of links(html, "[aria-labelledby=addresses] .bars a")) {
        const own = await browser(person);
        const list = await own.get(href);
        const uses = texts(list.text, ".usage meter");
        const left = uses
          .map((use) => /(\d+) of (\d+)/.exec(use)!)
          .map(([, one, of]) => +of! - +one!);
        expect([person.username, left.reduce((sum, one) => sum + one, 0)]).toEqual([
          person.username,
          numberIn(text),
        ]);
      }
    }
  });

  test("add up the statuses that do not fit, with a link to their items", async () => {
    await inOrder(
      Array.from({ length: 8 }, (_, at) => async () => {
        const { name } = await aStatus({ name: `State ${at}, or “${at}” & more` });
        return anItem({ status: name });
      }),
    );
    await anItem();
    const html = await homeOf(bob);
    const shown = links(html, ".parts a");
    expect(shown.map(({ text }) => text).slice(-2)).toEqual(["Others", "Without a status"]);
    for (const [at, { href }] of shown.entries()) {
      expect(await totalOf(bob, href)).toBe(numberIn(texts(html, ".parts .number")[at]!));
    }
  });

  test("are computed again only after a change", async () => {
    await aSite();
    const { sql } = await service();
    const figures = async () => {
      const asked = [spyOn(database, "rows"), spyOn(database, "row")];
      await homeOf(carol);
      const statements = asked.flatMap((one) => one.mock.calls.map(([statement]) => statement));
      for (const one of asked) one.mockRestore();
      const texts = statements.map((one) => new PgDialect().sqlToQuery(one.getSQL()).sql);
      return texts.filter((text) => /count\(\*\)|change_sets sets/.test(text));
    };
    const first = await figures();
    expect(first.length).toBeGreaterThanOrEqual(5);
    // Other tables may be written: a session is used, a login fails.
    await sql`insert into login_failures (username, address) values ('carol', '10.0.0.1')`;
    await Bun.sleep(600);
    await figures();
    await sql`insert into login_failures (username, address) values ('carol', '10.0.0.1')`;
    expect(await figures()).toEqual([]);
    await anItem();
    expect((await figures()).length).toBeGreaterThanOrEqual(5);
  });

  test("follow each change at once", async () => {
    const total = async () => texts(await homeOf(carol), ".figure .total")[0];
    const { id } = await anItem();
    expect(await total()).toBe("1");
    expect(await total()).toBe("1");
    await anItem();
    expect(await total()).toBe("2");
    await api(alice).delete(`/inventory/items/${id}`);
    expect(await total()).toBe("1");
  });
});

describe("the trend", () => {
  test("of a total is the difference to 90 days ago", async () => {
    const [first, second] = await inOrder([() => anItem(), () => anItem(), () => anItem()]);
    await api(alice).delete(`/inventory/items/${second!.id}`);
    await createdDaysAgo("items", first!.id, 120);
    await createdDaysAgo("items", second!.id, 100);
    // Of the three items, two existed on the first day, and one of those was deleted.
    const html = await homeOf(carol);
    expect(texts(html, ".figure .total")[0]).toBe("2");
    expect(texts(html, ".figure .trend")[0]).toBe("the same as 90 days ago");
    expect(texts(html, ".sparkline title")[0]).toBe("Items over 90 days: from 2 to 2");
    const { id } = await anItem();
    expect(texts(await homeOf(carol), ".figure .trend")[0]).toBe("1 more in 90 days");
    await api(alice).delete(`/inventory/items/${id}`);
    await api(alice).delete(`/inventory/items/${first!.id}`);
    expect(texts(await homeOf(carol), ".figure .trend")[0]).toBe("1 fewer in 90 days");
  });

  test("of changes counts the actions of each day that the user sees", async () => {
    await aSite();
    const sees = async (person: Person) => texts(await homeOf(person), ".columns title");
    const before = await sees(carol);
    const all = await sees(audrey);
    expect(before).toHaveLength(1);
    const today = numberIn(before[0]!);
    expect(numberIn(all[0]!)).toBe(today + 3);
    await aLocation();
    expect(numberIn((await sees(carol))[0]!)).toBe(today + 1);
    // A change of another day: its time is set back.
    const { sql } = await service();
    await aLocation();
    await sql`update change_sets set at = at - interval '5 days' where id = (select max(id) from change_sets)`;
    await aLocation();
    const two = await sees(carol);
    expect(two.map(numberIn)).toEqual([1, today + 2]);
  });

  test("of changes follows what becomes visible or hidden", async () => {
    await aSite();
    const count = async (person: Person) =>
      numberIn(texts(await homeOf(person), ".columns title")[0]!);
    const [open, all] = [await count(carol), await count(audrey)];
    const [network] = (await api(alice).get("/network/networks?vlan_name=Hidden")).body;
    await api(alice).patch(`/network/networks/${network.id}`, { sensitive: false });
    expect([await count(carol), await count(audrey)]).toEqual([all + 1, all + 1]);
    await api(alice).patch(`/network/networks/${network.id}`, { sensitive: true });
    expect([await count(carol), await count(audrey)]).toEqual([open, all + 2]);
  });
});

describe("networks that fill up", () => {
  const sentences = async (person = carol) => texts(await homeOf(person), ".filling li");
  /** "13 Dec 2026" */
  const inDays = (days: number) =>
    new Date(Date.now() + days * DAY).toLocaleDateString("en-GB", {
      ...{ day: "numeric", month: "short", year: "numeric", timeZone: "UTC" },
    });

  /** A network of ten addresses: `old` of them have been used for 200 days, `fresh` for 60 days. */
  async function aGrowing(vlan_name: string, old: number, fresh: number): Promise<void> {
    const { id, first_ip } = await aNetwork({ vlan_name });
    const start = first_ip.replace(/\.1$/, "");
    await api(alice).patch(`/network/networks/${id}`, { last_ip: `${start}.10` });
    await createdDaysAgo("networks", id, 300);
    const made = await inOrder(
      Array.from({ length: old + fresh }, () => () => anInterface({ network: vlan_name })),
    );
    for (const [at, { id: one }] of made.entries()) {
      await createdDaysAgo("interfaces", one, at < old ? 200 : 60);
    }
  }

  test("show when they will be full, by their history", async () => {
    // 3 in 90 days, 3 left: 90 days.
    await aGrowing("Growing", 4, 3);
    await aGrowing("Idle", 9, 0);
    await aGrowing("Calm", 3, 0);
    await aGrowing("Soon", 1, 8);
    await aGrowing("Later", 2, 6);
    expect(await sentences()).toEqual([
      `Soon 9 of 10 Full in about 12 days (${inDays(12)})`,
      `Later 8 of 10 Full in about 4 weeks (${inDays(30)})`,
      `Growing 7 of 10 Full in about 3 months (${inDays(90)})`,
      "Idle 9 of 10 Not growing",
    ]);
  });

  test("count deleted and moved interfaces", async () => {
    await aGrowing("Growing", 4, 4);
    await aGrowing("Other", 1, 0);
    const of = (await api(alice).get("/network/interfaces?network=Growing")).body;
    // Two of the old ones are deleted or moved: 2 more than 90 days ago, and 4 are left.
    await api(alice).delete(`/network/interfaces/${of[0].id}`);
    const { body: other } = await api(alice).get("/network/networks?vlan_name=Other");
    const ip = other[0].first_ip.replace(/\.1$/, ".9");
    await api(alice).patch(`/network/interfaces/${of[1].id}`, { network: "Other", ip });
    const [first] = await sentences();
    expect(first).toBe(`Growing 6 of 10 Full in about 6 months (${inDays(180)})`);
  });

  test("show no day if they are full, or too young to have a trend", async () => {
    await aGrowing("Full", 8, 2);
    const { id, first_ip } = await aNetwork({ vlan_name: "Young" });
    await api(alice).patch(`/network/networks/${id}`, {
      last_ip: first_ip.replace(/\.1$/, ".2"),
    });
    await anInterface({ network: "Young" });
    expect(await sentences()).toEqual(["Full 10 of 10 Full"]);
  });

  test("count only what the user sees", async () => {
    await aGrowing("Growing", 4, 3);
    await aNetwork({ vlan_name: "Hidden", sensitive: true });
    const [network] = (await api(alice).get("/network/networks?vlan_name=Growing")).body;
    const { name } = await aHost({ name: "canary", network: "Hidden" });
    await anInterface({ host: name, network: "Growing", name: "canary-2" });
    expect((await sentences())[0]).toStartWith("Growing 7 of 10");
    expect((await sentences(audrey))[0]).toStartWith("Growing 8 of 10");
    await api(alice).patch(`/network/networks/${network.id}`, { sensitive: true });
    expect(await sentences()).toEqual([]);
  });
});

describe("my recent work", () => {
  const work = async (person: Person) =>
    links(await homeOf(person), "[aria-labelledby=work-title] a");

  test("lists the records that the user changed last, each once, as a link to its page", async () => {
    const item = await anItem({ ics_id: "AAA001" });
    await aHost({ name: "web-01" });
    await aGroup({ name: "Bench / hosts", hosts: ["web-01"] });
    await api(bob).post(`/inventory/items/${item.id}/comments`, { body: "Dented" });
    await api(bob).patch(`/inventory/items/${item.id}`, { quantity: 2 });
    // A technician finds items in a card of their own.
    expect(await work(bob)).toEqual([]);
    expect(texts(await homeOf(bob), "[aria-labelledby=items-title] li > a")).toEqual(["AAA001"]);
    expect((await work(alice)).map(({ text }) => text)).toEqual([
      "Bench / hosts",
      "web-01",
      "AAA001",
    ]);
    const own = await browser(alice);
    for (const { href } of await work(alice)) {
      expect([href, (await own.get(href)).status]).toEqual([href, 200]);
    }
    expect(await work(carol)).toEqual([]);
  });

  test("leaves out deleted and hidden records", async () => {
    const { id } = await aLocation({ name: "Hall A" });
    await aNetwork({ vlan_name: "Bench" });
    await aHost({ name: "web-01", network: "Bench" });
    const { body } = await api(dave).post("/network/hosts", {
      ...{ name: "web-02", device_type: "VME", network: "Bench" },
    });
    expect((await work(dave)).map(({ text }) => text)).toEqual(["web-02"]);
    const [network] = (await api(alice).get("/network/networks?vlan_name=Bench")).body;
    await api(alice).patch(`/network/networks/${network.id}`, { sensitive: true });
    await api(alice).delete(`/inventory/locations/${id}`);
    expect(await work(dave)).toEqual([]);
    expect((await work(alice)).map(({ text }) => text)).not.toContain("Hall A");
    expect(body.name).toBe("web-02");
  });
});

describe("the cards of each kind of work", () => {
  afterEach(async () => {
    await (await service()).sql`delete from settings where name = 'first_steps'`;
  });
  const titles = async (person: Person) => texts(await homeOf(person), ".cards h2");
  /** Each person has something in each card that they may have. */
  async function aBusySite(): Promise<void> {
    await aSite();
    for (const person of [alice, bob])
      await api(person).post("/inventory/items", { serial_number: person.username });
    await api(dave).post("/network/hosts", { name: "web-03", device_type: "VME", network: "Open" });
    await (await browser(carol)).submit("/inventory/_update_favorites/status", {
      id: String((await api(carol).get("/inventory/statuses?name=Spare")).body[0].id),
    });
    await (await browser(alice)).submit("/admin/first-steps/close", {});
  }

  test("come in the order of the work, without those of others", async () => {
    await aBusySite();
    expect(await titles(bob)).toEqual(["Scan desk", "My items", "Recent changes"]);
    expect(await titles(dave)).toEqual([
      ...["First free addresses", "New hosts", "My recent work", "Recent changes"],
    ]);
    expect(await titles(carol)).toEqual(["Favourites", "Recent changes"]);
    expect(await titles(audrey)).toEqual(["Recent changes"]);
    expect(await titles(alice)).toEqual([
      ...["This site", "My recent work", "First free addresses", "New hosts", "Recent changes"],
    ]);
    const order = texts(await homeOf(bob), "main h2").filter((title) =>
      ["My items", "Items"].includes(title),
    );
    expect(order).toEqual(["My items", "Items"]);
  });

  test("follow a right in one scope, too", async () => {
    await aSite();
    const [scope] = (await api(alice).get("/network/scopes?name=Lab")).body;
    await giveRight(carol, "network", scope.id);
    expect(await titles(carol)).toEqual(["First free addresses", "New hosts", "Recent changes"]);
  });

  test("show the first free address of networks that one may use, and lead to a new host", async () => {
    await aSite();
    await aNetwork({ vlan_name: "Locked", admin_only: true });
    const free = async (person: Person) =>
      texts(await homeOf(person), "[aria-labelledby=free-title] li");
    expect(await free(dave)).toEqual([expect.stringMatching(/^Open 1[.\d]+ Add host$/)]);
    expect((await free(alice)).map((line) => line.split(" ")[0]).sort()).toEqual([
      ...["Hidden", "Locked", "Open"],
    ]);
    const { href } = links(await homeOf(dave), "[aria-labelledby=free-title] li > a").at(-1)!;
    expect(href).toBe("/network/hosts/create?network=Open");
    expect((await (await browser(dave)).get(href)).status).toBe(200);
  });

  test("name no new host that is hidden", async () => {
    await aSite();
    const hosts = async (person: Person) =>
      texts(await homeOf(person), "[aria-labelledby=new-hosts-title] li > a");
    expect(await hosts(dave)).toEqual(["bare", "web-02", "web-01"]);
    expect(await hosts(alice)).toEqual(["canary", "bare", "web-02", "web-01"]);
  });

  test("show where one's items are now", async () => {
    await aLocation({ name: "Hall A" });
    await aStatus({ name: "Spare" });
    const { body } = await api(bob).post("/inventory/items", {
      serial_number: "S1",
      status: "Spare",
    });
    await api(alice).patch(`/inventory/items/${body.id}`, { location: "Hall A" });
    const [line] = texts(await homeOf(bob), "[aria-labelledby=items-title] li");
    expect(line).toStartWith(`${body.ics_id} Spare Hall A`);
    await api(alice).delete(`/inventory/items/${body.id}`);
    expect(await titles(bob)).not.toContain("My items");
  });

  test("tell admins of failed deliveries and of the last backup", async () => {
    const site = async () => texts(await homeOf(alice), "[aria-labelledby=site-title] li").join();
    await anItem();
    const { sql } = await service();
    await sql`delete from backups`;
    const { body } = await api(alice).post("/webhooks", {
      name: "DHCP",
      url: "https://a.invalid/",
    });
    await sql`
      insert into deliveries (subscription_id, status, finished_at)
      values (${body.id}, 'failed', now()), (${body.id}, 'failed', now() - interval '8 days')`;
    expect(await site()).toContain("Webhook DHCP: 1 message failed within seven days");
    expect(await site()).not.toContain("Last backup");
    await sql`insert into backups (result) values ('good')`;
    expect(await site()).toContain("Last backup: just now");
    await sql`delete from backups`;
    for (const person of [bob, dave, carol, audrey])
      expect(await homeOf(person)).not.toContain("site-title");
  });
});

describe("recent changes", () => {
  const lines = async (person: Person) =>
    texts(await homeOf(person), ".timeline li").map((line) =>
      line.replace(/^(just now|\d+ \w+ ago) /, ""),
    );

  test("are one line for each change set", async () => {
    const items = ["AAA001", "AAA002", "AAA003"];
    await inOrder(items.map((ics_id) => () => anItem({ ics_id })));
    await api(dave).post("/network/hosts", { name: "web-01", device_type: "VME", items });
    expect((await lines(carol)).slice(0, 2)).toEqual([
      "dave added host web-01; changed items AAA001, AAA002, AAA003",
      "alice added item AAA003",
    ]);
  });

  test("count only what the user sees", async () => {
    await aNetwork({ vlan_name: "Open" });
    await aNetwork({ vlan_name: "Hidden", sensitive: true });
    await aHost({ name: "web-01", network: "Open" });
    const { id } = await aHost({ name: "canary", network: "Hidden" });
    await aGroup({ name: "Both", hosts: ["web-01", "canary"] });
    expect((await lines(audrey))[0]).toBe("alice added group Both, 2 members of groups");
    expect((await lines(carol)).slice(0, 2)).toEqual([
      "alice added group Both, a member of group Both",
      expect.stringMatching(/^alice added host web-01/),
    ]);
    expect(id).toBeGreaterThan(0);
  });
});

describe("an empty site", () => {
  test("shows the first steps that the user may take, and the demo to admins", async () => {
    const steps = async (person: Person) => links(await homeOf(person), ".steps a");
    const admin = await steps(alice);
    expect(admin.map(({ text }) => text)).toContain("Import items");
    const own = await browser(alice);
    for (const { href } of admin) expect([href, (await own.get(href)).status]).toEqual([href, 200]);
    expect((await steps(bob)).map(({ href }) => href)).toEqual([
      "/inventory/attributes/location",
      "/inventory/items/create",
      "/inventory/items/import",
      "/user/profile",
    ]);
    expect(texts(await homeOf(alice), ".snippet")).toEqual(["npm run demo"]);
    expect(texts(await homeOf(bob), ".snippet")).toEqual([]);
  });

  test("keeps the first steps for admins, with ticks, until they are done or closed", async () => {
    const shown = async (person: Person) => texts(await homeOf(person), ".steps li");
    const done = async () => (await shown(alice)).filter((step) => step.includes("done"));
    const ofUsers = expect.stringContaining("Add users");
    expect(await done()).toEqual([ofUsers]);
    await aNetwork();
    await anItem();
    expect(await done()).toEqual([
      ...["Add first network", "Import items"].map((step) => expect.stringContaining(step)),
      ofUsers,
    ]);
    expect(await shown(bob)).toEqual([]);
    expect(texts(await homeOf(alice), ".figure .trend")).toHaveLength(4);
    expect(await homeOf(alice)).not.toContain("90 days ago");
    expect((await (await browser(bob)).submit("/admin/first-steps/close", {})).status).toBe(403);
    await (await browser(alice)).submit("/admin/first-steps/close", {});
    expect(await shown(alice)).toEqual([]);
    await (await service()).sql`delete from settings where name = 'first_steps'`;
  });

  test("is also shown to a user from whom everything is hidden", async () => {
    await aNetwork({ vlan_name: "Hidden", sensitive: true });
    await aHost({ name: "canary", network: "Hidden" });
    expect(texts(await homeOf(carol), ".figure")).toEqual([]);
    expect(texts(await homeOf(audrey), ".figure")).toHaveLength(4);
  });
});
