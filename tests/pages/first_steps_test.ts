// The first hour of a new site: each step and its tick, the first network in one form, the usual names, and the tour.
import { afterEach, describe, expect, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import {
  aDomain,
  aHost,
  aLocation,
  alice,
  aNetwork,
  anItem,
  api,
  aScope,
  aStatus,
  audrey,
  bob,
  carol,
  cast,
  dave,
  type Person,
  service,
} from "../support/mod.ts";

const NETWORK = "/admin/first-steps/network";
const NAMES = "/admin/first-steps/names";

const FILLED = {
  ...{ domain: "lab.example.org", scope: "Main", supernet: "10.0.0.0/16", first_vlan: "1" },
  ...{ last_vlan: "100", vlan_name: "Servers", vlan_id: "10", address: "10.0.0.0/24" },
  ...{ first_ip: "10.0.0.1", last_ip: "10.0.0.253", gateway: "10.0.0.254" },
};

afterEach(async () => {
  await (await service()).sql`delete from settings where name like 'first_steps%'`;
});

async function homeOf(person: Person): Promise<string> {
  const { status, text } = await (await browser(person)).get("/");
  expect(status).toBe(200);
  return text;
}

async function open(): Promise<number> {
  const html = await homeOf(alice);
  return texts(html, ".steps > li").filter((step) => !step.endsWith("done")).length;
}

async function counts(): Promise<number[]> {
  const lists = ["domains", "scopes", "networks"];
  const found = await Promise.all(lists.map((list) => api(alice).get(`/network/${list}`)));
  return found.map(({ headers }) => Number(headers.get("x-total-count")));
}

/** The values of the form, and what is wrong with them. */
function formIn(html: string) {
  const inputs = elements(html, "form.sheet input:not([type=hidden])");
  return {
    values: Object.fromEntries(inputs.map(({ attributes: { name, value } }) => [name, value])),
    errors: elements(html, "form.sheet p.error").map(({ attributes }) => attributes.id),
  };
}

test("the steps name no setting: the finding beside them does", async () => {
  await (await service()).sql`delete from backups`;
  const steps = texts(await homeOf(alice), ".steps > li").join();
  expect(steps).toContain("Make a backup of everything; the page says");
  expect(steps).not.toContain("BACKUP_TO");
});

describe("each step", () => {
  const steps: Array<[what: string, take: () => Promise<unknown>]> = [
    ["a network", () => aNetwork()],
    ["a status", () => aStatus()],
    ["a host", () => aHost({ name: "web-01" })],
    ["a location", () => aLocation()],
    ["an item", () => anItem()],
    [
      "a backup",
      async () => (await service()).sql`insert into backups (result) values ('written')`,
    ],
    ["the sign-in", () => note("sign_in")],
    ["a provider", () => aProvider()],
    ["a phone", () => note("phone")],
    ["a token", () => api(alice).post("/user/tokens", { description: "Scripts" })],
  ];

  test.each(steps)("has a tick once it is taken: %s", async (_, take) => {
    const { sql } = await service();
    await sql`delete from backups`;
    const before = await open();
    await take();
    expect(await open()).toBe(before - 1);
    await sql`delete from backups`;
  });

  test("is not ticked by a backup that failed, or by a provider that is not enabled", async () => {
    const { sql } = await service();
    await sql`delete from backups`;
    const before = await open();
    await sql`insert into backups (result) values ('failed')`;
    await aProvider(false);
    expect(await open()).toBe(before);
    await sql`delete from backups`;
  });

  test("is noted by admins only, and only if nothing else can show it", async () => {
    const submit = async (person: Person, step: string) =>
      (await (await browser(person)).submit("/admin/first-steps/done", { step })).status;
    for (const person of [bob, dave, carol, audrey])
      expect(await submit(person, "phone")).toBe(403);
    expect(await submit(alice, "networks")).toBe(422);
    expect(await submit(alice, "phone")).toBe(303);
    expect(await submit(alice, "phone")).toBe(303);
  });
});

async function note(step: string): Promise<void> {
  await (await browser(alice)).submit("/admin/first-steps/done", { step });
}

async function aProvider(is_enabled = true): Promise<void> {
  const { sql } = await service();
  await sql`
    insert into identity_providers (key, name, kind, is_enabled) values ('lab', 'Lab', 'oidc', ${is_enabled})`;
}

describe("the phone", () => {
  const opened = async (host: string) => {
    const { text } = await (await browser(alice)).get("/", { headers: { host } });
    return [texts(text, ".steps figcaption"), texts(text, ".steps p.muted").length];
  };
  test("gets a code of the address of the site, if it can reach that", async () => {
    expect(await opened("cadastre.example.org")).toEqual([
      [expect.stringContaining("cadastre.example.org")],
      0,
    ]);
    expect(await opened("127.0.0.1:3000")).toEqual([[], 1]);
  });
});

describe("the first network", () => {
  test("is made with its domain and scope in one change, and leads to its first host", async () => {
    const own = await browser(alice);
    const { values } = formIn((await own.get(NETWORK)).text);
    expect(values).toEqual({ ...FILLED, domain: expect.any(String) });
    const answer = await own.submit(NETWORK, {
      ...values,
      domain: "Lab.example.org",
      _proposed: FILLED.address,
    });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("/network/hosts/create?network=Servers");
    expect(await counts()).toEqual([1, 1, 1]);
    const [network] = (await api(carol).get("/network/networks")).body;
    expect(network).toMatchObject({
      ...{ vlan_name: "Servers", vlan_id: 10, scope: "Main", domain: "lab.example.org" },
      ...{ address: "10.0.0.0/24", first_ip: "10.0.0.1", gateway: "10.0.0.254" },
    });
    const sets = (await api(alice).get("/changes")).body;
    expect(sets).toHaveLength(1);
    const host = await api(dave).post("/network/hosts", {
      ...{ name: "web-01", device_type: "Virtual", network: "Servers" },
    });
    expect(host.status).toBe(201);
  });

  test("follows another supernet at once, before anything is saved", async () => {
    const own = await browser(alice);
    const field = elements((await own.get(NETWORK)).text, "#field-supernet")[0]!.attributes;
    expect([field["hx-post"], field["hx-target"]]).toEqual([NETWORK, "#first-network"]);
    const typed = { ...FILLED, supernet: "192.168.0.0/16", _proposed: FILLED.address };
    const left = { ...typed, ...JSON.parse(field["hx-vals"]!) };
    const { status, text } = await own.submit(NETWORK, left, { headers: HTMX });
    const { values, errors } = formIn(text);
    expect([status, values.address, values.gateway, errors]).toEqual([
      ...[200, "192.168.0.0/24", "192.168.0.254", []],
    ]);
    expect(await counts()).toEqual([0, 0, 0]);
  });

  test("follows another supernet where it was left as proposed, when it is saved", async () => {
    const sent = { ...FILLED, supernet: "192.168.0.0/16", _proposed: FILLED.address };
    expect((await (await browser(alice)).submit(NETWORK, sent)).status).toBe(303);
    const [network] = (await api(carol).get("/network/networks")).body;
    expect(network).toMatchObject({ address: "192.168.0.0/24", last_ip: "192.168.0.253" });
  });

  test("keeps a domain and a scope that exist", async () => {
    const domain = await aDomain({ name: "lab.example.org" });
    await aScope({
      name: "Lab",
      domain_id: domain.id,
      supernet: "10.9.0.0/16",
      first_vlan: 5,
      last_vlan: 9,
    });
    const own = await browser(alice);
    const { values } = formIn((await own.get(NETWORK)).text);
    expect(values).toMatchObject({
      domain: "lab.example.org",
      scope: "Lab",
      supernet: "10.9.0.0/16",
      vlan_id: "5",
    });
    const other = await own.submit(NETWORK, {
      ...values,
      supernet: "10.8.0.0/16",
      address: "10.8.0.0/24",
      first_ip: "10.8.0.1",
      last_ip: "10.8.0.9",
      gateway: "",
    } as Record<string, string>);
    expect([other.status, formIn(other.text).errors]).toEqual([422, ["error-field-supernet"]]);
    expect(other.text).toContain("The scope Lab has 10.9.0.0/16");
    expect((await own.submit(NETWORK, values as Record<string, string>)).status).toBe(303);
    expect(await counts()).toEqual([1, 1, 1]);
  });

  const wrong: Array<[what: string, sent: object, field: string]> = [
    ["a domain that is none", { domain: "no domain" }, "domain"],
    ["a scope name that is too short", { scope: "x" }, "scope"],
    ["VLANs in the wrong order", { first_vlan: "90", last_vlan: "20" }, "last_vlan"],
    ["a VLAN outside of the scope", { vlan_id: "101" }, "vlan_id"],
    [
      "an address outside of the supernet",
      { address: "10.1.0.0/24", first_ip: "10.1.0.1", last_ip: "10.1.0.9", gateway: "" },
      "address",
    ],
    ["a range outside of the network", { last_ip: "10.0.1.1" }, "last_ip"],
    ["a supernet that is no block", { supernet: "10.0.0.1/16" }, "supernet"],
    ["no name", { vlan_name: "" }, "vlan_name"],
  ];
  test.each(wrong)("refuses %s, keeps all its input and writes nothing", async (_, sent, field) => {
    const given: Record<string, string> = { ...FILLED, ...sent };
    const answer = await (await browser(alice)).submit(NETWORK, given);
    expect(answer.status).toBe(422);
    expect(formIn(answer.text)).toEqual({ values: given, errors: [`error-field-${field}`] });
    expect(await counts()).toEqual([0, 0, 0]);
  });

  test("refuses what another scope has, with nothing half-written", async () => {
    await aScope({ name: "Other", supernet: "10.0.0.0/8" });
    const before = await counts();
    const answer = await (await browser(alice)).submit(NETWORK, FILLED);
    expect([answer.status, formIn(answer.text).errors]).toEqual([422, ["error-field-supernet"]]);
    expect(await counts()).toEqual(before);
  });

  test("is made once by many admins at once, and the others read why not", async () => {
    const own = await browser(alice);
    const answers = await Promise.all(Array.from({ length: 8 }, () => own.submit(NETWORK, FILLED)));
    const refused = answers.filter(({ status }) => status === 422);
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(refused).toHaveLength(7);
    for (const { text } of refused) expect(formIn(text).errors).toEqual(["error-field-vlan_id"]);
    expect(await counts()).toEqual([1, 1, 1]);
  });

  test("is for admins", async () => {
    for (const person of cast.filter(({ username }) => username !== "alice")) {
      const own = await browser(person);
      expect(
        [(await own.get(NETWORK)).status, (await own.submit(NETWORK, FILLED)).status],
        person.username,
      ).toEqual([403, 403]);
    }
    expect(await counts()).toEqual([0, 0, 0]);
  });
});

describe("the usual names", () => {
  const statuses = async () =>
    (await api(carol).get("/inventory/statuses")).body.map(({ name }: { name: string }) => name);

  test("are offered but for those that exist, and added in one change", async () => {
    await aStatus({ name: "in stock" });
    const own = await browser(alice);
    const boxes = elements((await own.get(NAMES)).text, "[type=checkbox]").map(
      ({ attributes }) => attributes,
    );
    const ticked = boxes.filter(({ checked }) => checked !== undefined).map(({ value }) => value);
    expect(ticked).toEqual(["In service", "In repair", "Spare", "On loan", "Scrapped"]);
    expect(boxes.filter(({ name }) => name === "device_types").map(({ value }) => value)).toEqual([
      "Storage",
      "Camera",
      "Printer",
    ]);
    const sent = { statuses: ["In stock", ...ticked].join("\n"), device_types: "Camera" };
    expect((await own.submit(NAMES, sent)).status).toBe(303);
    expect((await statuses()).sort()).toEqual([
      "In repair",
      "In service",
      "On loan",
      "Scrapped",
      "Spare",
      "in stock",
    ]);
    expect((await api(alice).get("/changes")).body).toHaveLength(2);
    expect((await api(carol).get("/network/device_types?name=Camera")).body).toHaveLength(1);
  });

  test("are added once by many at once", async () => {
    const own = await browser(alice);
    const sent = { statuses: "Spare\nIn stock", device_types: "" };
    const answers = await Promise.all(Array.from({ length: 6 }, () => own.submit(NAMES, sent)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(303));
    expect((await statuses()).sort()).toEqual(["In stock", "Spare"]);
  });

  test("are no others, and for admins", async () => {
    const send = async (person: Person, name: string) =>
      (await (await browser(person)).submit(NAMES, { statuses: name, device_types: "" })).status;
    expect(await send(alice, "Mine")).toBe(422);
    expect(await send(bob, "Spare")).toBe(403);
    expect(await statuses()).toEqual([]);
  });
});

describe("the tour", () => {
  const cards = async (person: Person) => elements(await homeOf(person), ".tour li").length;

  test("is shown to each person until they close it", async () => {
    for (const person of cast)
      expect([person.username, await cards(person)]).toEqual([person.username, 5]);
    const own = await browser(carol);
    for (let at = 0; at < 2; at += 1)
      expect((await own.submit("/user/tour/close", {})).status).toBe(303);
    expect(await cards(carol)).toBe(0);
    expect(await cards(bob)).toBe(5);
  });

  test("leads to pages that everybody may open", async () => {
    const html = await homeOf(carol);
    const own = await browser(carol);
    for (const { attributes } of elements(html, ".tour a")) {
      expect([attributes.href, (await own.get(attributes.href!)).status]).toEqual([
        attributes.href,
        200,
      ]);
    }
  });
});
