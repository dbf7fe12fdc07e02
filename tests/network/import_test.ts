import { describe, expect, test } from "bun:test";
import { everything } from "../support/history.ts";
import { importsHosts, inShort, labAndBench, summaryOf, verdictsOf } from "../support/imports.ts";
import {
  aCname,
  aGroup,
  aHost,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  audrey,
  bob,
  carol,
  dave,
  fieldsOf,
  stranger,
} from "../support/mod.ts";

const HOSTS = "/network/hosts";

async function shown(name: string, by = alice) {
  const { body } = await api(by).get(`${HOSTS}/search?name=${name}`);
  return body[0];
}

async function total(by = alice): Promise<number> {
  const { headers } = await api(by).get(`${HOSTS}?per_page=1`);
  return Number(headers.get("x-total-count"));
}

function changesOf(answer: Awaited<ReturnType<typeof importsHosts>>): string[][] {
  return verdictsOf(answer).map(({ changes }) =>
    changes.map(({ field, old, now }: any) => `${field}: ${old ?? ""} > ${now ?? ""}`),
  );
}

describe("POST /network/hosts/import", () => {
  test("adds hosts with their interfaces, and is undone at once", async () => {
    await labAndBench();
    await aGroup({ name: "Web" });
    await anItem({ ics_id: "AAA001" });
    const rows = [
      {
        name: "WEB-01",
        device_type: "physical",
        description: "=1+1",
        is_ioc: "yes",
        items: "aaa001",
        automation_groups: "web",
        automation_vars: '{"port": 80, "a": {"b": [1.5]}}',
        network: "lab",
        mac: "02-42-42-00-00-01",
        cnames: "www, shop.lab.example.org",
      },
      { name: "web-01", interface: "web-01-b", ip: "10.1.2.7", interface_description: "Storage" },
      { name: "bare", device_type: "Virtual" },
      { name: "web-02", device_type: "Virtual", network: "Lab", ip: "10.1.1.1" },
    ];
    const answer = await importsHosts(dave, rows);
    expect(inShort(answer)).toEqual(["new", "new", "new", "new"]);
    expect(verdictsOf(answer)[0]).toEqual({
      line: 1,
      verdict: "new",
      host: "web-01",
      interface: "web-01",
      changes: [
        ["is_ioc", "true"],
        ["device_type", "Physical"],
        ["description", "=1+1"],
        ["items", "AAA001"],
        ["automation_vars", '{"a":{"b":[1.5]},"port":80}'],
        ["automation_groups", "Web"],
        ["interface", "web-01"],
        ["network", "Lab"],
        ["ip", "10.1.1.2"],
        ["mac", "02:42:42:00:00:01"],
        ["cnames", "shop.lab.example.org, www.lab.example.org"],
      ].map(([field, now]) => ({ field, old: null, now })),
      errors: [],
    });
    const { change_set, applied } = summaryOf(answer);
    expect(applied).toBe(4);
    expect(await shown("web-01")).toMatchObject({
      fqdn: "web-01.lab.example.org",
      user: "dave",
      is_ioc: true,
      items: [{ ics_id: "AAA001" }],
      automation_vars: { port: 80, a: { b: [1.5] } },
      automation_groups: ["Web"],
      interfaces: [
        {
          name: "web-01",
          is_main: true,
          ip: "10.1.1.2",
          cnames: ["shop.lab.example.org", "www.lab.example.org"],
        },
        {
          name: "web-01-b",
          is_main: false,
          ip: "10.1.2.7",
          network: "Bench",
          description: "Storage",
        },
      ],
    });
    expect(await shown("bare")).toMatchObject({ interfaces: [], is_ioc: false, description: null });
    expect((await api(dave).post(`/changes/${change_set}/undo`, {})).status).toBe(201);
    expect(await total()).toBe(0);
    expect((await api(bob).get("/inventory/items/AAA001")).body.host).toBeNull();
  });

  test("changes only what is filled in and differs", async () => {
    await labAndBench();
    await aGroup({ name: "Web" });
    await aHost({
      name: "web-01",
      description: "Old",
      network: "Lab",
      ip: "10.1.1.9",
      mac: "024242000001",
      automation_vars: { port: 1 },
      automation_groups: ["Web"],
    });
    await anInterface({ host: "web-01", name: "web-01-b", network: "Bench", ip: "10.1.2.9" });
    const before = await everything();
    const same = [
      { name: "web-01", device_type: "PHYSICAL", description: "", mac: "0242.4200.0001", ip: null },
      { name: "web-01", interface: "web-01-b", network: "bench", ip: "10.1.2.9" },
    ];
    const unchanged = await importsHosts(dave, same);
    expect(inShort(unchanged)).toEqual(["same", "same"]);
    expect(summaryOf(unchanged)).toEqual({ applied: 0, refused: 0, change_set: null });
    expect(await everything()).toBe(before);
    const answer = await importsHosts(dave, [
      { name: "web-01", description: "New", automation_vars: "{}", cnames: "www" },
      { name: "web-01", ip: "10.1.2.9", interface: "storage-01" },
      { name: "web-01", interface: "web-01-c", network: "Lab" },
    ]);
    expect(changesOf(answer)).toEqual([
      [
        "description: Old > New",
        'automation_vars: {"port":1} > ',
        "cnames:  > www.lab.example.org",
      ],
      ["interface: web-01-b > storage-01"],
      ["interface:  > web-01-c", "network:  > Lab", "ip:  > 10.1.1.1"],
    ]);
    expect(inShort(answer)).toEqual(["change", "change", "new"]);
    const moved = await importsHosts(dave, [{ name: "web-01", network: "Bench" }]);
    expect(changesOf(moved)).toEqual([["network: Lab > Bench", "ip: 10.1.1.9 > 10.1.2.1"]]);
    expect(await shown("web-01")).toMatchObject({
      description: "New",
      automation_groups: ["Web"],
      automation_vars: {},
    });
    const { body } = await api(alice).get("/network/interfaces?host=web-01");
    expect(body.map(({ name, ip }: any) => [name, ip])).toEqual([
      ["web-01-c", "10.1.1.1"],
      ["web-01", "10.1.2.1"],
      ["storage-01", "10.1.2.9"],
    ]);
  });

  test("applies nothing if a row is refused, and with apply=good the other hosts", async () => {
    await labAndBench();
    const rows = [
      { name: "web-01", device_type: "Virtual", network: "Lab" },
      { name: "web-01", interface: "web-01-b", network: "Nowhere" },
      { name: "web-02", device_type: "Virtual", network: "Lab" },
    ];
    const before = await everything();
    const tried = await importsHosts(dave, rows);
    expect(tried.status).toBe(422);
    expect(inShort(tried)).toEqual([
      ["row: Line 2 of this host is refused"],
      ["network: 'Nowhere' is not a valid network"],
      "new",
    ]);
    expect((await importsHosts(dave, rows, "?dry_run=true")).status).toBe(422);
    expect(await everything()).toBe(before);
    const good = await importsHosts(dave, rows, "?apply=good");
    expect(summaryOf(good)).toMatchObject({ applied: 1, refused: 2 });
    expect([await total(), (await shown("web-02")).interfaces[0].ip]).toEqual([1, "10.1.1.1"]);
  });

  test("does not promise an address before it is assigned", async () => {
    await labAndBench();
    const rows = [{ name: "web-01", device_type: "Virtual", network: "Lab" }];
    const dry = await importsHosts(dave, rows, "?dry_run=true");
    expect(changesOf(dry)[0]).toContain("ip:  > first free address");
    expect(summaryOf(dry)).toEqual({ applied: 1, refused: 0, change_set: null });
    expect(await total()).toBe(0);
  });

  test("is allowed for those who may add hosts", async () => {
    const text = '{"name":"web-01","device_type":"Virtual"}';
    expect((await importsHosts(stranger, text)).status).toBe(401);
    for (const person of [carol, audrey, bob]) {
      expect((await importsHosts(person, text)).status).toBe(403);
    }
    expect(await total()).toBe(0);
    expect((await importsHosts(dave, text)).status).toBe(200);
  });
});

describe("a row is refused", () => {
  test("for values that a single host is refused for", async () => {
    await labAndBench();
    await aGroup({ name: "Found", type: "query", query: "name:x" });
    const host = { device_type: "Virtual", network: "Lab" };
    const wrong: Array<[object, string]> = [
      [{ ...host }, "name: This field is required"],
      [{ ...host, name: "-x" }, "name: Use 2 to 63 letters"],
      [{ name: "web-01" }, "device_type: This field is required"],
      [
        { ...host, name: "web-01", device_type: "Toaster" },
        "device_type: 'Toaster' is not a valid device type",
      ],
      [{ ...host, name: "web-01", is_ioc: "maybe" }, "is_ioc: Use true or false"],
      [{ ...host, name: "web-01", items: "AAA999" }, "items: 'AAA999' is not a valid item"],
      [{ ...host, name: "web-01", items: "x y" }, "items: 'x': Use"],
      [
        { ...host, name: "web-01", automation_groups: "None" },
        "automation_groups: 'None' is not a valid group",
      ],
      [
        { ...host, name: "web-01", automation_groups: "Found" },
        "automation_groups: The group 'Found' finds its hosts",
      ],
      [{ ...host, name: "web-01", automation_vars: "{" }, "automation_vars: This is not JSON"],
      [{ ...host, name: "web-01", automation_vars: "[1]" }, "automation_vars: Use a JSON object"],
      [
        { ...host, name: "web-01", automation_vars: '{"a":1e400}' },
        "automation_vars: This number is too",
      ],
      [
        { ...host, name: "web-01", automation_vars: { ["x".repeat(300)]: 1 } },
        "automation_vars: Use names of at most",
      ],
      [{ ...host, name: "web-01", ip: "10.1.1.300" }, "ip: Use an address such as"],
      [{ ...host, name: "web-01", ip: "10.1.2.1" }, "ip: Use an address inside 10.1.1.0/24"],
      [
        { ...host, name: "web-01", ip: "10.1.1.251" },
        "ip: Use an address from 10.1.1.1 to 10.1.1.250",
      ],
      [
        { name: "web-01", device_type: "Virtual", ip: "192.0.2.1" },
        "ip: No network has this address",
      ],
      [
        { name: "web-01", device_type: "Virtual", mac: "024242000001" },
        "network: This field is required",
      ],
      [{ ...host, name: "web-01", mac: "02:42" }, "mac: Use a MAC address"],
      [{ ...host, name: "web-01", cnames: "a b_" }, "cnames: 'b_': Use labels"],
      [
        { ...host, name: "web-01", description: "x".repeat(10_001) },
        "description: Use at most 10000",
      ],
      [{ ...host, name: "web-01", interface: ["a"] }, "interface: Use 2 to 63"],
      [{ ...host, name: ["web-01"] }, "name: Use 2 to 63"],
      [{ ...host, name: "web-01", items: 7 }, "items: Use a list of labels"],
    ];
    const before = await everything();
    for (const [row, sentence] of wrong) {
      const answer = await importsHosts(dave, [row]);
      const [error = ""] = inShort(answer).flat() as string[];
      expect([answer.status, error.slice(0, sentence.length)]).toEqual([422, sentence]);
    }
    expect(await everything()).toBe(before);
    const gateway = [{ ...host, name: "web-01", ip: "10.1.1.254" }];
    expect(inShort(await importsHosts(alice, gateway))).toEqual([
      ["ip: This is the gateway, network or broadcast address of Lab"],
    ]);
    const beyond = [{ ...host, name: "web-01", ip: "10.1.1.251" }];
    expect(inShort(await importsHosts(alice, beyond, "?dry_run=true"))).toEqual(["new"]);
  });

  test("for what another record has", async () => {
    await labAndBench();
    const { interfaces } = await aHost({
      name: "web-01",
      network: "Lab",
      ip: "10.1.1.9",
      mac: "024242000001",
    });
    await anInterface({ host: "web-01", name: "web-01-b", network: "Bench", ip: "10.1.2.9" });
    await aCname({ name: "www", interface_id: interfaces[0].id });
    const unavailable = "This name is not available";
    const host = { name: "web-02", device_type: "Virtual", network: "Lab" };
    const wrong: Array<[object, string]> = [
      [{ ...host, name: "web-01-b" }, `name: ${unavailable}`],
      [{ ...host, name: "www" }, `name: ${unavailable}`],
      [{ ...host, interface: "web-01" }, `interface: ${unavailable}`],
      [{ ...host, interface: "www" }, `interface: ${unavailable}`],
      [{ ...host, cnames: "web-01-b" }, `cnames: ${unavailable}`],
      [{ ...host, cnames: "www" }, `cnames: ${unavailable}`],
      [{ ...host, ip: "10.1.1.9" }, "ip: This address is not available"],
      [{ ...host, mac: "024242000001" }, "mac: This MAC address is already in this network"],
      [{ name: "web-01", ip: "10.1.2.9", interface: "web-01" }, "ip: Use an address inside"],
    ];
    for (const [row, sentence] of wrong) {
      const [error = ""] = inShort(await importsHosts(alice, [row])).flat() as string[];
      expect(error.slice(0, sentence.length)).toBe(sentence);
    }
    expect(await total()).toBe(1);
  });

  test("for what another row has", async () => {
    await labAndBench();
    await anItem({ ics_id: "AAA001" });
    const host = { device_type: "Virtual", network: "Lab" };
    const first = {
      ...host,
      name: "web-01",
      items: ["AAA001"],
      ip: "10.1.1.9",
      mac: "024242000001",
      cnames: ["www"],
    };
    const rows = [
      first,
      { ...host, name: "web-02", items: "AAA001" },
      { ...host, name: "web-03", ip: "10.1.1.9" },
      { ...host, name: "web-04", mac: "02:42:42:00:00:01" },
      { ...host, name: "web-05", cnames: "www.lab.example.org" },
      { ...host, name: "web-06", cnames: "web-01" },
      { ...host, name: "web-07", interface: "web-01" },
      { name: "web-01" },
      { name: "web-08", device_type: "Virtual" },
      { name: "web-08", interface: "web-08", network: "Lab", device_type: "Physical" },
      { name: "web-09", device_type: "Virtual", network: "Lab" },
      { name: "web-09", network: "Lab" },
      { name: "www", device_type: "Virtual" },
    ];
    const answer = await importsHosts(dave, rows, "?dry_run=true");
    expect(inShort(answer)).toEqual([
      ["row: Line 8 of this host is refused"],
      ["items: AAA001 is already in line 1"],
      ["ip: 10.1.1.9 is already in line 1"],
      ["mac: 02:42:42:00:00:01 is already in line 1"],
      ["cnames: www.lab.example.org is already in line 1"],
      ["cnames: web-01.lab.example.org is already in line 1"],
      ["interface: web-01 is already in line 1"],
      ["name: web-01 is already in line 1; fill in an interface"],
      ["row: Line 10 of this host is refused"],
      ["device_type: Line 9 gives another value for the same host"],
      ["row: Line 12 of this host is refused"],
      ["interface: Name each further interface of a host"],
      ["name: www.lab.example.org is already in line 1"],
    ]);
  });

  test("for an unknown column, and none, or too many rows are refused at once", async () => {
    const row = { name: "web-01", device_type: "Virtual" };
    const unknown = await importsHosts(dave, [{ ...row, colour: "red" }]);
    expect([unknown.status, fieldsOf(unknown.body)]).toEqual([422, ["colour"]]);
    expect(inShort(await importsHosts(dave, [{ ...row, fqdn: "x", user: "eve" }]))).toEqual([
      "new",
    ]);
    const many = await importsHosts(dave, `${JSON.stringify(row)}\n`.repeat(20_000));
    expect([many.status, many.body.message]).toEqual([
      422,
      "rows: Import at most 10,000 rows at once",
    ]);
    expect(fieldsOf((await importsHosts(dave, "")).body)).toEqual(["rows"]);
  });

  test("for a full network, which gives its last addresses to the first rows", async () => {
    await labAndBench();
    const last = {
      vlan_name: "Small",
      address: "10.1.3.0/29",
      first_ip: "10.1.3.1",
      last_ip: "10.1.3.5",
    };
    await aNetwork({ scope: "Site", ...last, gateway: "10.1.3.3" });
    await aHost({ name: "old", network: "Small", ip: "10.1.3.2" });
    const rows = ["a-1", "a-2", "a-3", "a-4"].map((name) => ({
      name,
      device_type: "Virtual",
      network: "Small",
    }));
    rows.push({ ...rows[0]!, name: "a-5", ip: "10.1.3.4" } as any);
    const answer = await importsHosts(dave, rows, "?apply=good");
    expect(inShort(answer)).toEqual([
      "new",
      "new",
      ["ip: no address left in Small"],
      ["ip: no address left in Small"],
      "new",
    ]);
    const { body } = await api(alice).get("/network/interfaces?network=Small");
    expect(body.map(({ name, ip }: any) => [name, ip])).toEqual([
      ["a-1", "10.1.3.1"],
      ["old", "10.1.3.2"],
      ["a-5", "10.1.3.4"],
      ["a-2", "10.1.3.5"],
    ]);
  });
});
