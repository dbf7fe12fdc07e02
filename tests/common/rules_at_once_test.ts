// Rules that declare a lock: many clients make changes of which each alone would be allowed, and together they would break
// the rule.
import { expect, test } from "bun:test";
import { declaredRules } from "../../src/store/rules.ts";
import { concurrently } from "../support/concurrently.ts";
import { labAndBench } from "../support/imports.ts";
import {
  aHost,
  aLocation,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  aScope,
  inOrder,
  service,
} from "../support/mod.ts";
import { aGroup } from "../support/network.ts";

const admin = api(alice);
const RING = 8;
const ROUNDS = 6;

/** What many clients do at once, and a query that finds what must not be. */
interface Race {
  rule: string;
  prepare: () => Promise<Array<() => Promise<{ status: number; text: string }>>>;
  broken: string;
}

/** Each record of a ring gets the next one as its parent: one of them has to be refused. */
function ring(paths: string[], body: (next: number) => object) {
  return paths.map((path, at) => () => admin.patch(path, body((at + 1) % paths.length)));
}

function inside(table: string): string {
  return `with recursive above as (
      select id, parent_id from ${table} union select above.id, one.parent_id from ${table} one join above on one.id = above.parent_id
    ) select 1 from above where parent_id = id`;
}

const RACES: Race[] = [
  {
    rule: "no item is inside itself",
    prepare: async () => {
      const labels = Array.from({ length: RING }, (_, at) => `AAA00${at}`);
      await inOrder(labels.map((ics_id) => () => anItem({ ics_id })));
      const paths = labels.map((label) => `/inventory/items/${label}`);
      return ring(paths, (next) => ({ parent: labels[next] }));
    },
    broken: inside("items"),
  },
  {
    rule: "no location is inside itself",
    prepare: async () => {
      const names = Array.from({ length: RING }, (_, at) => `Hall ${at}`);
      const halls = await inOrder(names.map((name) => () => aLocation({ name })));
      const paths = halls.map(({ id }) => `/inventory/locations/${id}`);
      return ring(paths, (next) => ({ parent: names[next] }));
    },
    broken: inside("locations"),
  },
  {
    rule: "no group is in itself",
    prepare: async () => {
      const names = Array.from({ length: RING }, (_, at) => `Group ${at}`);
      const groups = await inOrder(names.map((name) => () => aGroup({ name })));
      const paths = groups.map(({ id }) => `/network/groups/${id}`);
      return ring(paths, (next) => ({ children: [names[next]] }));
    },
    broken: `with recursive below as (
        select parent_id, child_id from group_children
        union select below.parent_id, link.child_id from group_children link join below on link.parent_id = below.child_id
      ) select 1 from below where parent_id = child_id`,
  },
  {
    rule: "only network devices have stack members, each of one item",
    prepare: async () => {
      const { id: host_id } = await aHost({ name: "switch", device_type: "Network" });
      const labels = Array.from({ length: RING }, (_, at) => `AAA00${at}`);
      await inOrder(labels.map((ics_id) => () => anItem({ ics_id, host_id })));
      return [
        ...labels.map(
          (label, at) => () => admin.patch(`/inventory/items/${label}`, { stack_member: at % 4 }),
        ),
        () => admin.patch(`/network/hosts/${host_id}`, { device_type: "VME" }),
      ];
    },
    broken: `select 1 from items join hosts on hosts.id = host_id join device_types on device_types.id = device_type_id
      where stack_member is not null and device_types.name <> 'Network'
      union all select 1 from items where stack_member is not null group by host_id, stack_member having count(*) > 1`,
  },
  {
    rule: "networks are inside their scopes, with VLANs of these",
    prepare: async () => {
      const scope = await aScope({ name: "Lab", supernet: "10.9.0.0/16" });
      const network = (at: number) => ({
        ...{ scope: "Lab", vlan_name: `Net ${at}`, vlan_id: at + 1, address: `10.9.${at}.0/24` },
        ...{ first_ip: `10.9.${at}.1`, last_ip: `10.9.${at}.9`, gateway: `10.9.${at}.254` },
      });
      const smaller = { supernet: "10.9.0.0/22", last_vlan: 4 };
      return [
        ...Array.from(
          { length: RING },
          (_, at) => () => admin.post("/network/networks", network(at)),
        ),
        () => admin.patch(`/network/scopes/${scope.id}`, smaller),
      ];
    },
    broken: `select 1 from networks join scopes on scopes.id = scope_id
      where not address <<= supernet or vlan_id not between first_vlan and last_vlan`,
  },
  {
    rule: "no label names two hosts",
    prepare: async () => {
      await labAndBench();
      await aNetwork({ scope: "Site", vlan_name: "Store", address: "10.1.3.0/24" });
      const owner = await aHost({ name: "owner", network: "Lab" });
      await anInterface({ host: "owner", network: "Bench", name: "owner-2" });
      const names = Array.from({ length: RING }, (_, at) => `label-${at}`);
      return names.flatMap((name) => [
        () => admin.post("/network/hosts", { name, device_type: "VME" }),
        () => admin.post("/network/interfaces", { host: "owner", network: "Store", name }),
        () => admin.post("/network/cnames", { name, interface_id: owner.interfaces[0].id }),
      ]);
    },
    broken: `select 1 from hosts join interfaces on interfaces.name = hosts.name and host_id <> hosts.id
      union all select 1 from cnames join hosts on hosts.name = split_part(cnames.name, '.', 1)
      union all select 1 from cnames join interfaces on interfaces.name = split_part(cnames.name, '.', 1)`,
  },
];

test.each(RACES)(
  "$rule, also of many at once",
  async ({ prepare, broken }) => {
    const { sql, empty } = await service();
    for (let round = 0; round < ROUNDS; round += 1) {
      if (round > 0) await empty();
      const attempts = await prepare();
      // Each of them is the first one once in a while.
      const shifted = attempts.map((_, at) => attempts[(at + round) % attempts.length]!);
      const answers = await concurrently(attempts.length, (at) => shifted[at]!());
      expect(answers.filter(({ status }) => ![200, 201, 422].includes(status))).toEqual([]);
      expect(answers.some(({ status }) => status < 300)).toBe(true);
      expect(await sql.unsafe(broken)).toHaveLength(0);
    }
  },
  120_000,
);

test("each rule with a lock is in a race", () => {
  const locked = declaredRules().filter(({ lock, lockRows }) => lock || lockRows);
  // The VLANs and blocks of networks are one race; those of definitions are in site_fields_test.ts.
  const ofSite = locked.filter(({ on }) => "site_fields" in on);
  expect(locked).toHaveLength(RACES.length + ofSite.length + 1);
  expect(ofSite).toHaveLength(2);
});
