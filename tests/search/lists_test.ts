import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { alice, api, carol, fieldsOf, type Person } from "../support/mod.ts";
import { makeRecords } from "./lists_made.ts";

setDefaultTimeout(60_000);
beforeEach(makeRecords, 60_000);

/** Queries with the names that they find, in the order of the list, separated by commas. */
type Examples = Array<[query: string, finds: string]>;
interface Found {
  path: string;
  called: string;
  by?: Person;
}

async function found({ path, called, by = carol }: Found, query: string): Promise<string> {
  const asked = `${path}?per_page=100&sort=${called}&q=${encodeURIComponent(query)}`;
  const { status, body, headers } = await api(by).get(asked);
  if (status !== 200) return body.detail;
  expect(headers.get("x-total-count")).toBe(String(body.length));
  return body.map((one: any) => one[called]).join(", ");
}

async function expectFound(where: Found, examples: Examples): Promise<void> {
  for (const [query, finds] of examples) {
    expect([query, await found(where, query)]).toEqual([query, finds]);
  }
}

describe("q=", () => {
  test("finds items by all of their fields and their references", async () => {
    await expectFound({ path: "/inventory/items", called: "ics_id" }, [
      ["aaa001", "AAA001, AAB002"],
      ["ics_id:aaa001", "AAA001"],
      ["ics:AAB*", "AAB002"],
      ["12345", "AAB002"],
      ["serial_number:sn\\-1\\/a", "AAA001"],
      ["serial:SN*", "AAA001, AAD004"],
      ["rack 12", "AAA001, AAB002, AAC003"],
      ['serial:"RACK 12"', "AAC003"],
      ["rack", ""],
      ["*ack*", "AAA001, AAB002, AAC003"],
      ["location:rack*", "AAA001, AAB002"],
      ["manufacturer:(ACME* OR zenith)", "AAA001, AAB002"],
      ["manufacturer.name:zenith", "AAB002"],
      ["manufacturer:zenyth~", "AAB002"],
      ["comments:replacd~1", "AAB002"],
      ["manufacturer.description:pumps", "AAA001"],
      ["pumps", ""],
      ["grinder", "AAA001"],
      ["model:x100 AND quantity:>2", "AAA001"],
      ["quantity:3.0", "AAA001"],
      ["quantity:[1 TO 2]", "AAB002, AAC003, AAD004"],
      ["status:spare", "AAC003"],
      ["parent:AAA001", "AAB002"],
      ["parent.serial_number:SN*", "AAB002"],
      ["children:AAB002", "AAA001"],
      ["children.quantity:1", "AAA001"],
      ["_exists_:children", "AAA001"],
      ["NOT _exists_:manufacturer", "AAC003, AAD004"],
      ["mac:02-42-42-00-00-01", "AAA001"],
      ["02:42:42:00:00:01", "AAA001"],
      ["macs.address:*42\\:00*", "AAA001"],
      ["comments:again", "AAB002"],
      ["comment:repl*", "AAB002"],
      ["comment:*place*", "AAB002"],
      ['"fan replaced works"', "AAB002"],
      ["comment:fan*again.", "AAB002"],
      ["host:db", "AAA001"],
      ["user:alice AND -comments:*", "AAA001, AAC003, AAD004"],
      ["created_at:[2020-01-01 TO now] AND ics_id:*4", "AAD004"],
      ["updated_at:<2020", ""],
      ["colour:red", ""],
    ]);
  });

  test("finds MAC addresses, and comments of an item", async () => {
    await expectFound({ path: "/inventory/macs", called: "address" }, [
      ["024242000001", "02:42:42:00:00:01"],
      ["*00\\:FF", "02:42:42:00:00:ff"],
      ["02:42*", "02:42:42:00:00:01, 02:42:42:00:00:ff"],
      ["aaa001", "02:42:42:00:00:01"],
      ["item.serial_number:sn*", "02:42:42:00:00:01"],
      ["NOT _exists_:item", "02:42:42:00:00:ff"],
    ]);
    await expectFound({ path: "/inventory/items/AAB002/comments", called: "body" }, [
      ["works", "Fan replaced, works again."],
      ["body:check*", "Checked"],
      ["user:alice", "Checked, Fan replaced, works again."],
      ["item:AAB002 AND NOT fan", "Checked"],
    ]);
  });

  test("finds attributes of all five kinds", async () => {
    await expectFound({ path: "/inventory/manufacturers", called: "name" }, [
      ["acme corp", "ACME Corp"],
      ["name:ac*", "ACME Corp"],
      ["anvils", "ACME Corp"],
      ["NOT _exists_:description", "Zenith"],
    ]);
    await expectFound({ path: "/inventory/models", called: "name" }, [["/x1.0/", "X100"]]);
    await expectFound({ path: "/inventory/locations", called: "name" }, [["*12", "Rack 12"]]);
    await expectFound({ path: "/inventory/statuses", called: "name" }, [
      ['"in SERVICE"', "In service"],
      ["spare OR in*", "In service, Spare"],
    ]);
    await expectFound({ path: "/inventory/actions", called: "name" }, [
      ["register OR fetch", "Fetch, Register"],
    ]);
  });

  test("finds interfaces and cnames", async () => {
    await expectFound({ path: "/network/interfaces", called: "name" }, [
      ["db", "db, db-backup"],
      ["name:db", "db"],
      ["host.is_ioc:true AND nightly", "db-backup"],
      ["10.1.1.0/24", "db, web"],
      ["ip:[10.1.1.1 TO 10.1.1.1]", "web"],
      ["02:42:42:00:00:01", "db"],
      ["is_main:false", "db-backup"],
      ["network:office", "db, web"],
      ["vlan:2", "db-backup"],
      ["network.gateway:10.1.1.254", "db, web"],
      ["domain:lab.example.org AND type:network", "web"],
      ["cname:www*", "web"],
      ["model:X100", "db, db-backup"],
      ["netmask:255.255.255.0 AND NOT mac:*", "db-backup, web"],
      ["_exists_:cnames", "web"],
    ]);
    await expectFound({ path: "/network/cnames", called: "name" }, [
      ["www.lab*", "www.lab.example.org"],
      ["interface:web", "www.lab.example.org"],
      ["interface.ip:10.1.0.0/16", "www.lab.example.org"],
    ]);
  });

  test("finds networks, scopes and domains", async () => {
    await expectFound({ path: "/network/networks", called: "vlan_name" }, [
      ["office", "Office"],
      ["name:b*", "Backup"],
      ["vlan:1", "Office"],
      ["printers", "Office"],
      ["10.1.0.0/16", "Backup, Office"],
      ["address:10.1.2*", "Backup"],
      ["address:*2.0\\/24", "Backup"],
      ["admin_only:true", "Backup"],
      ["NOT _exists_:gateway", "Backup"],
      ["scope:laboratory", "Backup, Office"],
      ["scope.last_vlan:99", "Backup, Office"],
      ["domain:acc.example.org", ""],
      ["interfaces:web", "Office"],
      ["interface:db*", "Backup, Office"],
      ["interfaces.mac:024242000001", "Office"],
      ["first_ip:10.1.2.1", "Backup"],
    ]);
    await expectFound({ path: "/network/scopes", called: "name" }, [
      ["hall", "Laboratory"],
      ["first_vlan:>=200", "Spare"],
      ["supernet:10.9.*", "Spare"],
      ["network:office", "Laboratory"],
      ["vlan:2", "Laboratory"],
      ["NOT _exists_:networks", "Spare"],
      ["domain.name:lab*", "Laboratory, Spare"],
    ]);
    await expectFound({ path: "/network/domains", called: "name" }, [
      ["acc*", "acc.example.org"],
      ["scopes:spare", "lab.example.org"],
      ["network:backup", "lab.example.org"],
      ["NOT _exists_:scopes", "acc.example.org"],
    ]);
  });

  test("finds groups and device types", async () => {
    await expectFound({ path: "/network/groups", called: "name" }, [
      ["linux", "All of it, Linux"],
      ["name:linux", "Linux"],
      ["type:query", "Beam line"],
      ["query:is_ioc*", "Beam line"],
      ['query:"is_ioc:true"', "Beam line"],
      ["hosts:db", "Beam line"],
      ["web", "Linux"],
      ["hosts.device_type:network", "Linux"],
      ["child:linux", "All of it"],
      ["children.type:static", "All of it"],
      ["vars.port:8080", "Linux"],
      ["443", "Beam line"],
      ["vars.tls.on:true", "Beam line"],
      ["vars.note:pump*", "Beam line"],
      ["linxu~", "All of it, Linux"],
      ["children:linxu~", "All of it"],
      ["hosts:dc~1", "Beam line"],
      ["_exists_:vars", "Beam line, Linux"],
      ["NOT vars:*", "All of it"],
    ]);
    await expectFound({ path: "/network/device_types", called: "name" }, [
      ["mtca*", "MTCA-AMC, MTCA-IFC, MTCA-MCH, MTCA-RTM"],
      ["vme OR plc", "PLC, VME"],
    ]);
  });

  test("finds users, by the visible fields", async () => {
    const users = { path: "/user/users", called: "username" };
    await expectFound(users, [
      ["carol OR bob", "bob, carol"],
      ["groups:inventory", ""],
    ]);
    await expectFound({ ...users, by: alice }, [["groups:inventory", "bob"]]);
  });
});

/** Each matches only the vault, for users who may see it. */
const SECRETS: Array<[path: string, called: string, queries: string[]]> = [
  [
    "/inventory/items",
    "ics_id",
    ["vault", "host:vault", "host:v*", "stack_member:7", "host:vaukt~"],
  ],
  ["/network/interfaces", "name", ["vault", "vault*", "host.description:gold", "network:vaults"]],
  ["/network/cnames", "name", ["safe*", "interface:vault-office"]],
  ["/network/networks", "vlan_name", ["vaults", "interfaces:vault*", "sensitive:true", "secret"]],
  ["/network/scopes", "name", ["vaults", "networks.vlan_id:9", "networks.address:10.1.9.0/24"]],
  ["/network/domains", "name", ["vaults", "networks:vaults"]],
  ["/network/groups", "name", ["vault", "hosts:vault", "hosts.description:gold"]],
];

describe("q= of a hidden name", () => {
  test("finds nothing, and excluding it finds everything", async () => {
    for (const [path, called, queries] of SECRETS) {
      const all = await found({ path, called }, "*");
      for (const query of queries) {
        const hidden = await found({ path, called }, query);
        const others = await found({ path, called }, `NOT (${query})`);
        const known = await found({ path, called, by: alice }, query);
        expect([path, query, hidden, others]).toEqual([path, query, "", all]);
        expect([path, query, known]).not.toEqual([path, query, ""]);
      }
    }
  });
});

describe("q= that cannot be parsed", () => {
  test("is refused with the reason in every list", async () => {
    for (const path of ["/inventory/items", "/inventory/macs", "/network/groups", "/user/users"]) {
      const { status, body } = await api(carol).get(`${path}?q=${encodeURIComponent("name:(a")}`);
      expect([path, status, fieldsOf(body)]).toEqual([path, 422, ["q"]]);
      expect(body.errors[0].message, path).toBe("A closing ) is missing");
    }
  });

  test("finds nothing where it can never match", async () => {
    for (const query of ["\0", "quantity:many", "/[/", "created_at:yesterday"]) {
      expect([query, await found({ path: "/inventory/items", called: "ics_id" }, query)]).toEqual([
        query,
        "",
      ]);
    }
  });

  test("that is blank matches everything", async () => {
    expect(await found({ path: "/inventory/statuses", called: "name" }, " ")).toBe(
      "In service, Spare",
    );
  });
});
