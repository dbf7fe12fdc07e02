// Each declared rule is broken by each way in, and is refused by all of them in its own words.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type DataRule, declaredRules } from "../../src/store/rules.ts";
import type { Answer } from "../support/api.ts";
import { browser } from "../support/browser.ts";
import { changes } from "../support/history.ts";
import { imports, importsHosts, labAndBench } from "../support/imports.ts";
import {
  aHost,
  aLocation,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  aScope,
  service,
  visit,
} from "../support/mod.ts";
import { aGroup, deleted } from "../support/network.ts";
import { action, apply, scanAll } from "../support/scan_desk.ts";
import { latest, undoing } from "../support/undo.ts";

const admin = api(alice);

type Attempt = () => Promise<Answer>;

/** How to break the rule in each way, after the preparation; or why that cannot be. */
interface Violation {
  rule: string;
  sentence: RegExp;
  prepare: () => Promise<unknown>;
  api: Attempt;
  form: Attempt;
  bulk: Attempt | string;
  /** The rows of an import, which is previewed and applied. */
  import: { items?: object[]; hosts?: object[] } | string;
  desk: Attempt | string;
  /** A change, and others after which it cannot be undone. */
  undo: [change: () => Promise<unknown>, others: () => Promise<unknown>];
}

function patch(path: string, fields: object): Attempt {
  return () => admin.patch(path, fields);
}

function form(path: string, fields: Record<string, string>): Attempt {
  return async () => (await browser(alice)).submit(path, fields);
}

/** The first record that the filter selects. */
async function keyOf(path: string, filter: string): Promise<number> {
  return (await admin.get(`${path}?${filter}`)).body[0].id;
}

function patchFirst(path: string, filter: string, fields: object): Attempt {
  return async () => admin.patch(`${path}/${await keyOf(path, filter)}`, fields);
}

function bulk(list: string, filter: string, fields: Record<string, string>): Attempt {
  return async () => {
    const id = String(await keyOf(list, filter));
    return (await browser(alice)).submit("/lists/change", { list, id, step: "preview", ...fields });
  };
}

function desk(...scanned: string[]): Attempt {
  return async () => {
    const own = await browser(alice);
    return apply(own, (await scanAll(own, scanned)).text);
  };
}

const NO_DESK = "The scan desk writes no such record, or not this field";
const NO_IMPORT = "No import writes such records";
const NO_BULK = "It has a value of its own in each record";
const [ITEM, HOST] = ["/inventory/items", "/network/hosts"];
const FILES = `${ITEM}/AAA001/files`;

const OTHER = {
  ...{ vlan_name: "Other", scope: "Lab", address: "10.9.1.0/24" },
  ...{ first_ip: "10.9.1.1", last_ip: "10.9.1.9", gateway: "10.9.1.254" },
};

const VIOLATIONS: Violation[] = [
  {
    rule: "no item is inside itself",
    sentence: /cannot be inside itself or its own contents/,
    prepare: async () => {
      const { id } = await anItem({ ics_id: "AAA001" });
      await anItem({ ics_id: "AAA002", parent_id: id });
      await anItem({ ics_id: "AAA003" });
    },
    api: patch(`${ITEM}/AAA001`, { parent: "AAA002" }),
    form: form(`${ITEM}/edit/AAA001`, { parent: "AAA002" }),
    bulk: NO_BULK,
    import: { items: [{ ics_id: "AAA001", parent: "AAA002" }] },
    desk: desk("AAA002", action("Set as parent"), "AAA001"),
    undo: [
      patch(`${ITEM}/AAA002`, { parent: null }),
      patch(`${ITEM}/AAA001`, { parent: "AAA002" }),
    ],
  },
  {
    rule: "only network devices have stack members",
    sentence: /Only a host of the device type Network has stack members|(is a|are) stack member/,
    prepare: async () => {
      await aHost({ name: "server", device_type: "VME" });
      const { id } = await aHost({ name: "switch", device_type: "Network" });
      await anItem({ ics_id: "AAA001" });
      await anItem({ ics_id: "AAA002", host_id: id, stack_member: 1 });
    },
    api: patchFirst(HOST, "name=switch", { device_type: "VME" }),
    form: form(`${ITEM}/edit/AAA001`, { host: "server", stack_member: "1" }),
    bulk: bulk(HOST, "name=switch", { device_type: "VME" }),
    import: {
      items: [{ ics_id: "AAA001", host: "server", stack_member: 1 }],
      hosts: [{ name: "switch", device_type: "VME" }],
    },
    desk: NO_DESK,
    undo: [
      patch(`${ITEM}/AAA002`, { stack_member: null }),
      patchFirst(HOST, "name=switch", { device_type: "VME" }),
    ],
  },
  {
    rule: "a stack member is of one item",
    sentence: /This stack member is taken|have its old stack member back/,
    prepare: async () => {
      const { id: host_id } = await aHost({ name: "switch", device_type: "Network" });
      await anItem({ ics_id: "AAA001", host_id, stack_member: 1 });
      await anItem({ ics_id: "AAA002", host_id, stack_member: 2 });
    },
    api: patch(`${ITEM}/AAA001`, { stack_member: 2 }),
    form: form(`${ITEM}/edit/AAA001`, { stack_member: "2" }),
    bulk: NO_BULK,
    import: { items: [{ ics_id: "AAA001", stack_member: 2 }] },
    desk: NO_DESK,
    undo: [
      patch(`${ITEM}/AAA001`, { stack_member: 3 }),
      patch(`${ITEM}/AAA002`, { stack_member: 1 }),
    ],
  },
  {
    rule: "no location is inside itself",
    sentence: /A location cannot be inside of itself/,
    prepare: async () => {
      await aLocation({ name: "Hall" });
      await aLocation({ name: "Room", parent: "Hall" });
    },
    api: patchFirst("/inventory/locations", "name=Hall", { parent: "Room" }),
    form: async () =>
      form("/inventory/attributes/location", {
        ...{ action: "update", id: String(await keyOf("/inventory/locations", "name=Hall")) },
        ...{ name: "Hall", parent: "Room" },
      })(),
    bulk: NO_BULK,
    import: NO_IMPORT,
    desk: NO_DESK,
    undo: [
      patchFirst("/inventory/locations", "name=Room", { parent: null }),
      patchFirst("/inventory/locations", "name=Hall", { parent: "Room" }),
    ],
  },
  {
    rule: "a VLAN is one of its scope",
    sentence: /Use a VLAN of the scope Lab|would be outside/,
    prepare: async () => {
      await aScope({ name: "Lab", supernet: "10.9.0.0/16", first_vlan: 1, last_vlan: 20 });
      await aScope({
        name: "Site",
        supernet: "10.8.0.0/15",
        first_vlan: 100,
        last_vlan: 200,
      }).catch(() => {});
      await aNetwork({ scope: "Lab", vlan_name: "Office", vlan_id: 9, address: "10.9.0.0/24" });
    },
    api: () => admin.post("/network/networks", { ...OTHER, vlan_id: 30 }),
    form: form("/network/networks/create", { ...OTHER, vlan_id: "30" }),
    bulk: NO_BULK,
    import: NO_IMPORT,
    desk: NO_DESK,
    undo: [
      async () => deleted(`networks/${await keyOf("/network/networks", "vlan_name=Office")}`),
      patchFirst("/network/scopes", "name=Lab", { last_vlan: 8 }),
    ],
  },
  {
    rule: "a network is inside its scope",
    sentence: /Use a block inside|would be outside/,
    prepare: async () => {
      await aScope({ name: "Lab", supernet: "10.9.0.0/16" });
      await aNetwork({ scope: "Lab", vlan_name: "Office", vlan_id: 9, address: "10.9.0.0/24" });
    },
    api: patchFirst("/network/scopes", "name=Lab", { supernet: "10.9.128.0/17" }),
    form: form("/network/scopes/edit/Lab", { supernet: "10.9.128.0/17" }),
    bulk: NO_BULK,
    import: NO_IMPORT,
    desk: NO_DESK,
    undo: [
      async () => deleted(`networks/${await keyOf("/network/networks", "vlan_name=Office")}`),
      patchFirst("/network/scopes", "name=Lab", { supernet: "10.9.128.0/17" }),
    ],
  },
  {
    rule: "an address is inside its network",
    sentence: /Use an address inside|would be outside/,
    prepare: async () => {
      await labAndBench();
      await aHost({ name: "web", network: "Lab", ip: "10.1.1.200" });
    },
    api: patchFirst("/network/interfaces", "name=web", { ip: "10.1.3.7" }),
    form: form("/network/networks/edit/Lab", {
      address: "10.1.1.0/25",
      last_ip: "10.1.1.99",
      gateway: "",
    }),
    bulk: NO_BULK,
    import: { hosts: [{ name: "web", ip: "10.1.3.7" }] },
    desk: NO_DESK,
    undo: [
      patchFirst("/network/interfaces", "name=web", { ip: "10.1.1.7" }),
      patchFirst("/network/networks", "vlan_name=Lab", {
        address: "10.1.1.0/25",
        last_ip: "10.1.1.99",
        gateway: null,
      }),
    ],
  },
  {
    rule: "no label names two hosts",
    sentence: /This name is not available|in use|domain: The name/,
    prepare: async () => {
      await labAndBench();
      await aHost({ name: "web", network: "Lab" });
      await anInterface({ host: "web", network: "Bench", name: "storage" });
      await aHost({ name: "bare" });
    },
    api: patchFirst(HOST, "name=bare", { name: "storage" }),
    form: form(`${HOST}/edit/bare`, { name: "storage" }),
    bulk: NO_BULK,
    import: { hosts: [{ name: "storage", device_type: "VME", network: "Lab" }] },
    desk: NO_DESK,
    undo: [
      patchFirst("/network/interfaces", "name=storage", { name: "disks" }),
      () => aHost({ name: "storage", network: "Lab" }),
    ],
  },
  {
    rule: "no name is reserved",
    sentence: /localhost/,
    prepare: async () => {
      await labAndBench();
      await aHost({ name: "db", network: "Lab" });
      // From before there was this rule.
      const { sql } = await service();
      await sql`insert into hosts (name, device_type_id) select 'localhost', id from device_types where name = 'VME'`;
    },
    api: patchFirst(HOST, "name=db", { name: "localhost" }),
    form: form(`${HOST}/edit/db`, { name: "localhost" }),
    bulk: NO_BULK,
    import: { hosts: [{ name: "db", interface: "localhost", network: "Bench" }] },
    desk: NO_DESK,
    undo: [patchFirst(HOST, "name=localhost", { name: "here" }), async () => {}],
  },
  {
    rule: "no group is in itself",
    sentence: /contains this group already/,
    prepare: async () => {
      await aGroup({ name: "Low" });
      await aGroup({ name: "High", children: ["Low"] });
    },
    api: patchFirst("/network/groups", "name=Low", { children: ["High"] }),
    form: form("/network/groups/edit/Low", { name: "Low", type: "static", children: "High" }),
    bulk: bulk("/network/groups", "name=Low", { children__add: "High" }),
    import: NO_IMPORT,
    desk: NO_DESK,
    undo: [
      patchFirst("/network/groups", "name=High", { children: [] }),
      patchFirst("/network/groups", "name=Low", { children: ["High"] }),
    ],
  },
  {
    rule: "a record has at most twenty files",
    sentence: /at most 20 files|file/,
    prepare: async () => {
      await anItem({ ics_id: "AAA001" });
      for (let at = 0; at < 20; at += 1) await api(alice).post(FILES, { at });
    },
    api: () => api(alice).post(FILES, { one: "more" }),
    form: async () => {
      const { id } = (await api(alice).get(`${ITEM}/AAA001`)).body;
      const form = new FormData();
      form.append("file", new File(["one more"], "more.txt"));
      const { cookie } = await browser(alice);
      const headers = { cookie, "sec-fetch-site": "same-origin" };
      return visit(`/files/items/${id}`, { method: "POST", body: form, headers });
    },
    bulk: NO_BULK,
    import: NO_IMPORT,
    desk: NO_DESK,
    undo: [
      async () => {
        const [{ id }] = (await api(alice).get(FILES)).body;
        return api(alice).delete(`${FILES}/${id}`);
      },
      () => api(alice).post(FILES, { another: "one" }),
    ],
  },
  {
    rule: "a group by query has no members of its own",
    sentence: /(finds its hosts|are found) by (its|a) query/,
    prepare: async () => {
      await aHost({ name: "web" });
      await aGroup({ name: "Static", hosts: ["web"] });
      await aGroup({ name: "Found", type: "query", query: "name:x" });
    },
    api: patchFirst("/network/groups", "name=Found", { hosts: ["web"] }),
    form: form(`${HOST}/edit/web`, { automation_groups: "Found" }),
    bulk: bulk("/network/groups", "name=Found", { hosts__add: "web" }),
    import: { hosts: [{ name: "web", automation_groups: "Found" }] },
    desk: NO_DESK,
    undo: [
      patchFirst("/network/groups", "name=Static", { hosts: [] }),
      patchFirst("/network/groups", "name=Static", { type: "query", query: "name:x" }),
    ],
  },
];

const refused = new Map<DataRule, DataRule["refuse"]>();
const seen = new Set<DataRule>();

beforeAll(() => {
  for (const rule of declaredRules()) {
    const { refuse } = rule;
    refused.set(rule, refuse);
    rule.refuse = (found) => {
      seen.add(rule);
      return refuse(found);
    };
  }
});

afterAll(() => {
  for (const [rule, refuse] of refused) rule.refuse = refuse;
});

/** Of a page what it contains, without markup. */
function said(text: string): string {
  return (text.split("<main")[1] ?? text).replace(/<[^>]*>/g, " ");
}

async function expectRefused(attempt: Attempt, sentence: RegExp): Promise<void> {
  const before = (await changes()).length;
  const { status, text } = await attempt();
  expect([status, said(text)]).toEqual([status, expect.stringMatching(sentence)]);
  expect(await changes()).toHaveLength(before);
}

describe.each(VIOLATIONS)("$rule", ({ sentence, prepare, undo, ...ways }) => {
  for (const way of ["api", "form", "bulk", "desk"] as const) {
    const attempt = ways[way];
    if (typeof attempt === "string") continue;
    test(`by ${way}`, async () => {
      await prepare();
      await expectRefused(attempt, sentence);
    });
  }

  const { items, hosts } = typeof ways.import === "string" ? {} : ways.import;
  test.skipIf(!items && !hosts)("by an import and its preview", async () => {
    await prepare();
    for (const query of ["", "?apply=good", "?dry_run=true"]) {
      if (items) await expectRefused(() => imports(alice, items, query), sentence);
      if (hosts) await expectRefused(() => importsHosts(alice, hosts, query), sentence);
    }
  });

  test("by undo", async () => {
    await prepare();
    await undo[0]();
    const set = await latest();
    await undo[1]();
    await expectRefused(() => undoing(set, alice), sentence);
  });
});

test("each declared rule was broken", () => {
  expect(
    declaredRules()
      .filter((rule) => !seen.has(rule))
      // In site_fields_test.ts.
      .filter(({ on }) => !Object.values(on).flat().includes("site") && !("site_fields" in on))
      .map(({ on }) => on),
  ).toEqual([]);
});
