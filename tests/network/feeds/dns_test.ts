import { describe, expect, test } from "bun:test";
import { add, aFeedNetwork, anAlias } from "../../support/feed_network.ts";
import { alice, api, bob, carol, fieldsOf, type Person, service } from "../../support/mod.ts";
import { file, isMissing, run } from "../../support/programs.ts";

const ZONE = "/network/export/dns/lab.example.org";
const REVERSE = "/network/export/dns/1.1.10.in-addr.arpa";

async function read(path: string, person: Person = carol): Promise<string> {
  const { status, text } = await api(person).get(path);
  expect([path, status]).toEqual([path, 200]);
  return text;
}

/** Without the blanks, which have no meaning. */
async function linesOf(path: string, person?: Person): Promise<string[]> {
  return (await read(path, person))
    .trimEnd()
    .split("\n")
    .map((line) => line.replaceAll("\t", " "));
}

async function serialOf(path: string, person?: Person): Promise<number> {
  return Number(/ ([0-9]+) 3600 900/.exec(await read(path, person))?.[1]);
}

async function rename(description: string) {
  const [{ id }] = (await api(alice).get("/network/hosts?name=web")).body;
  return api(alice).patch(`/network/hosts/${id}`, { description });
}

describe("GET /network/export/dns/{zone}", () => {
  test("lists the addresses and aliases of a domain, without hidden ones", async () => {
    await aFeedNetwork();
    const [origin, ttl, soa, ...lines] = await linesOf(ZONE);
    expect([origin, ttl]).toEqual(["$ORIGIN lab.example.org.", "$TTL 3600"]);
    expect(soa).toMatch(
      /^@ IN SOA localhost\. hostmaster\.lab\.example\.org\. [0-9]{10} 3600 900 1209600 300$/,
    );
    expect(lines).toEqual([
      "@ IN NS localhost.",
      "web IN A 10.1.1.1",
      "db IN A 10.1.1.2",
      "db-backup IN A 10.1.2.1",
      "web-v6 IN AAAA 2001:db8:1:1::1",
      "www IN CNAME web.lab.example.org.",
    ]);
    const all = await linesOf(ZONE, alice);
    expect(all).toContain("vault IN A 10.1.9.1");
    expect(all).toContain("safe IN CNAME vault-office.lab.example.org.");
  });

  test("lists the name of a host where its main interface has another name", async () => {
    await aFeedNetwork();
    await add("hosts", { name: "plc", device_type: "PLC" });
    await add("interfaces", { host: "plc", network: "Backup", name: "plc-eth0" });
    const lines = await linesOf(ZONE);
    expect(lines).toContain("plc-eth0 IN A 10.1.2.2");
    expect(lines).toContain("plc IN A 10.1.2.2");
    expect(await linesOf("/network/export/dns/2.1.10.in-addr.arpa")).toContain(
      "2 IN PTR plc-eth0.lab.example.org.",
    );
  });

  test("delegates a subdomain, and leaves out the names in it", async () => {
    await aFeedNetwork();
    await add("domains", { name: "deep.lab.example.org" });
    await add("domains", { name: "more.deep.lab.example.org" });
    await add("domains", { name: "collab.example.org" });
    await anAlias("mail.deep.lab.example.org", "web");
    const [, , , ...lines] = await linesOf(`${ZONE}?ns=ns1.example.org`);
    expect(lines.filter((line) => line.includes(" NS "))).toEqual([
      "@ IN NS ns1.example.org.",
      "deep IN NS ns1.example.org.",
    ]);
    expect(lines.join("\n")).not.toContain("mail");
    expect(await linesOf("/network/export/dns/deep.lab.example.org")).toContain(
      "mail IN CNAME web.lab.example.org.",
    );
  });

  test("lists the server of a subdomain, and refuses one without an address", async () => {
    await aFeedNetwork();
    const { id } = await add("domains", { name: "deep.lab.example.org" });
    const range = { first_vlan: 1, last_vlan: 9, supernet: "10.2.0.0/16", domain_id: id };
    await add("scopes", { name: "Deep", ...range });
    await add("networks", {
      vlan_name: "Deep-1",
      vlan_id: 1,
      address: "10.2.1.0/24",
      first_ip: "10.2.1.1",
      last_ip: "10.2.1.9",
      gateway: null,
      scope: "Deep",
    });
    await add("hosts", { name: "ns1", device_type: "VME", network: "Deep-1" });
    await add("hosts", { name: "ns2", device_type: "VME", network: "Deep-1" });
    const [, , , ...lines] = await linesOf(`${ZONE}?ns=ns1.deep.lab.example.org`);
    expect(lines).toContain("deep IN NS ns1.deep.lab.example.org.");
    expect(lines).toContain("ns1.deep IN A 10.2.1.1");
    expect(lines.join("\n")).not.toContain("ns2");
    const { status } = await api(carol).get(`${ZONE}?ns=ns3.deep.lab.example.org`);
    expect(status).toBe(422);
  });

  test("leaves out an alias where there is an address now", async () => {
    await aFeedNetwork();
    await add("domains", { name: "other.example" });
    await anAlias("db.other.example", "web");
    await anAlias("free.other.example", "web");
    const { sql } = await service();
    await sql`update networks set domain_id = (select id from domains where name = 'other.example')
      where vlan_name = 'Office'`;
    const [, , , , ...lines] = await linesOf("/network/export/dns/other.example");
    expect(lines).toEqual([
      "web IN A 10.1.1.1",
      "db IN A 10.1.1.2",
      "free IN CNAME web.other.example.",
    ]);
  });

  test("takes servers, contact and lifetimes from the query", async () => {
    await aFeedNetwork();
    const asked = "ns=ns1.example.org&ns=db.lab.example.org.&contact=net.team@example.org&ttl=60";
    const lines = await linesOf(`${ZONE}?${asked}`);
    expect(lines[1]).toBe("$TTL 60");
    expect(lines[2]).toStartWith("@ IN SOA ns1.example.org. net\\.team.example.org. ");
    expect(lines[3]).toBe("@ IN NS ns1.example.org.");
    expect(lines[4]).toBe("@ IN NS db.lab.example.org.");
  });

  test("lists the names of addresses in a reverse zone of any size", async () => {
    await aFeedNetwork();
    const names = async (zone: string) => {
      const lines = await linesOf(`/network/export/dns/${zone}`);
      return lines.filter((line) => line.includes(" PTR "));
    };
    expect(await names("1.1.10.in-addr.arpa")).toEqual([
      "1 IN PTR web.lab.example.org.",
      "2 IN PTR db.lab.example.org.",
    ]);
    expect(await names("1.10.IN-ADDR.arpa")).toEqual([
      "1.1 IN PTR web.lab.example.org.",
      "2.1 IN PTR db.lab.example.org.",
      "1.2 IN PTR db-backup.lab.example.org.",
    ]);
    expect(await names("0-26.1.1.10.in-addr.arpa")).toEqual([
      "1 IN PTR web.lab.example.org.",
      "2 IN PTR db.lab.example.org.",
    ]);
    expect(await names("64-26.1.1.10.in-addr.arpa")).toEqual([]);
    expect(await names("1.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa")).toEqual([
      "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0 IN PTR web-v6.lab.example.org.",
    ]);
  });

  test.each([
    ["example.org"],
    ["nothing.example"],
    ["9.1.10.in-addr.arpa"],
    ["8.1.10.in-addr.arpa"],
    ["2.10.in-addr.arpa"],
    ["01.10.in-addr.arpa"],
    ["256.in-addr.arpa"],
    ["1.1.1.10.in-addr.arpa"],
    ["63-26.1.1.10.in-addr.arpa"],
    ["in-addr.arpa"],
    ["g.ip6.arpa"],
  ])("returns 404 for the zone %s", async (name) => {
    await aFeedNetwork();
    const { status } = await api(carol).get(`/network/export/dns/${name}`);
    expect(status).toBe(404);
  });

  test("answers for the zone of a hidden network as for one that does not exist", async () => {
    await aFeedNetwork();
    const bytes = async (name: string) => {
      const { text } = await api(carol).get(`/network/export/dns/${name}`);
      return text.replace(/"request_id":"[^"]+"/, "");
    };
    expect(await bytes("9.1.10.in-addr.arpa")).toBe(await bytes("8.1.10.in-addr.arpa"));
    expect(await linesOf("/network/export/dns/9.1.10.in-addr.arpa", alice)).toContain(
      "1 IN PTR vault.lab.example.org.",
    );
  });

  test.each([
    ["ns=-x", "ns"],
    ["ns=a.example&ns=a.example", "ns"],
    ["ns=nothing.lab.example.org", "ns"],
    ["ns=vault.lab.example.org", "ns"],
    ["ns=lab.example.org", "ns"],
    ["contact=nobody", "contact"],
    ["contact=a@b;c", "contact"],
    ["contact=a@example.org&contact=b@example.org", "contact"],
    ["ttl=-1", "ttl"],
    ["ttl=1&ttl=2", "ttl"],
    ["ttl=604801", "ttl"],
  ])("refuses %s", async (query, field) => {
    await aFeedNetwork();
    const { status, body } = await api(carol).get(`${ZONE}?${query}`);
    expect(status).toBe(422);
    expect(fieldsOf(body)).toEqual([field]);
  });
});

describe("the serial of a zone", () => {
  test("increases when the content of the zone changes, and only then", async () => {
    const before = Math.floor(Date.now() / 1_000) - 60;
    await aFeedNetwork();
    const first = await serialOf(ZONE);
    expect(first).toBeGreaterThan(before);
    await rename("Another description");
    await add("hosts", { name: "idle", device_type: "VME" });
    await add("hosts", { name: "vault2", device_type: "VME", network: "Vaults" });
    expect(await serialOf(ZONE)).toBe(first);
    await add("hosts", { name: "web2", device_type: "VME", network: "Office" });
    const second = await serialOf(ZONE);
    expect(second).toBeGreaterThan(first);
    expect(await serialOf(ZONE)).toBe(second);
  });

  test("does not decrease with the content", async () => {
    await aFeedNetwork();
    const first = await serialOf(ZONE);
    const { id } = await anAlias("ftp", "web");
    const second = await serialOf(ZONE);
    await api(alice).delete(`/network/cnames/${id}`);
    const third = await serialOf(ZONE);
    expect([second > first, third > second]).toEqual([true, true]);
  });

  test("differs between zones and between parameters", async () => {
    await aFeedNetwork();
    const reverse = await serialOf(REVERSE);
    await serialOf(ZONE);
    await anAlias("ftp", "web");
    expect(await serialOf(REVERSE)).toBe(reverse);
  });
});

describe("GET /network/export/dns", () => {
  test("lists the zones of the visible domains and networks", async () => {
    await aFeedNetwork();
    const { body } = await api(bob).get("/network/export/dns");
    expect(body.zones).toEqual([
      { name: "lab.example.org", kind: "forward", networks: ["Backup", "Office", "Office-v6"] },
      { name: "1.1.10.in-addr.arpa", kind: "reverse", networks: ["Office"] },
      { name: "2.1.10.in-addr.arpa", kind: "reverse", networks: ["Backup"] },
      {
        name: "1.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
        kind: "reverse",
        networks: ["Office-v6"],
      },
    ]);
    const all = (await api(alice).get("/network/export/dns")).body.zones;
    expect(JSON.stringify(all)).toContain("9.1.10.in-addr.arpa");
  });
});

describe.skipIf(isMissing("named-checkzone"))("BIND", () => {
  test("loads every listed zone", async () => {
    await aFeedNetwork();
    await add("domains", { name: "deep.lab.example.org" });
    await add("domains", { name: "empty.example" });
    const { zones } = (await api(alice).get("/network/export/dns")).body;
    const asked = [...zones.map(({ name }: { name: string }) => name), "0-26.1.1.10.in-addr.arpa"];
    for (const name of asked) {
      const text = await read(`/network/export/dns/${name}?contact=net.team@example.org`, alice);
      const path = await file("zone", text);
      const { code, said } = await run(["named-checkzone", "-k", "fail", name, path]);
      expect([name, said]).toEqual([name, expect.stringMatching(/loaded serial [0-9]{10}\nOK\n$/)]);
      expect(code, name).toBe(0);
    }
  });
});
