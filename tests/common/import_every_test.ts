// The import of resources that have no import of their own: the row of a record makes it so.
import { describe, expect, test } from "bun:test";
import { aHiddenHost } from "../support/hidden.ts";
import { verdictsOf } from "../support/imports.ts";
import { aDomain, aHost, alice, aNetwork, anInterface, api, carol, dave } from "../support/mod.ts";

const admin = api(alice);

function imports(path: string, rows: object[] | string, query = "", by = admin) {
  const isTable = typeof rows === "string";
  const body = isTable ? rows : rows.map((row) => JSON.stringify(row)).join("\n");
  const headers = { "content-type": isTable ? "text/csv" : "application/x-ndjson" };
  return by.post(`${path}/import${query}`, body, { headers });
}

describe("an import", () => {
  test("of each resource makes its records, and the same again changes nothing", async () => {
    const { name: domain } = await aDomain({ name: "lab.example" });
    const { name: host } = await aHost({ name: "web-1" });
    const { network, name: nic, domain: own } = await anInterface({ host, name: "web-1" });
    const scope = { name: "Lab", first_vlan: 1, last_vlan: 99, supernet: "10.1.0.0/16", domain };
    const block = {
      vlan_id: 7,
      address: "10.1.7.0/24",
      first_ip: "10.1.7.1",
      last_ip: "10.1.7.9",
      gateway: "10.1.7.254",
    };
    for (const [path, rows] of [
      ["/inventory/manufacturers", [{ name: "ESS" }, { name: "ITER", description: "France" }]],
      ["/inventory/models", [{ name: "X/1" }]],
      ["/inventory/statuses", [{ name: "In use" }]],
      ["/inventory/locations", [{ name: "Rack", parent: "Hall" }, { name: "Hall" }]],
      ["/inventory/macs", [{ address: "02:42:42:00:00:01" }]],
      ["/network/domains", [{ name: "new.example" }]],
      ["/network/device_types", [{ name: "Robot" }]],
      ["/network/scopes", [scope]],
      ["/network/networks", [{ vlan_name: "Net", scope: "Lab", ...block }]],
      [
        "/network/groups",
        [
          { name: "a", children: ["b"] },
          { name: "b", vars: { x: 1 } },
        ],
      ],
      ["/network/interfaces", [{ name: "web-1-b", host, network }]],
      ["/network/cnames", [{ name: `www.${own}`, interface: nic }]],
      [
        "/user/users",
        [
          { username: "erin", password: "correct horse battery staple", groups: ["network"] },
          { username: "frank", password: "correct horse battery staple", email: "f@example.org" },
        ],
      ],
      ["/user/service_accounts", [{ username: "robot", groups: ["network"] }]],
      ["/webhooks", [{ name: "dns", url: "https://hooks.example.org/dns" }]],
      [
        "/triggers",
        [{ name: "dns", template: "post", url: "https://jobs.example.org", body: { a: 1 } }],
      ],
    ] as const) {
      const first = await imports(path, [...rows]);
      const words = (answer: typeof first) => verdictsOf(answer).map(({ verdict }) => verdict);
      expect([path, first.status, verdictsOf(first)]).toMatchObject([
        ...[path, 200, rows.map(() => ({ verdict: "new" }))],
      ]);
      const again = await imports(path, [...rows]);
      expect([path, words(again)]).toEqual([path, rows.map(() => "same")]);
    }
  });

  test("of accounts changes no password, shows no secret and names no change to undo", async () => {
    const path = "/user/users";
    const user = { username: "erin", password: "correct horse battery staple" };
    const first = await imports(path, [user]);
    expect(first.text).not.toContain(user.password);
    expect(first.text.trimEnd().split("\n").at(-1)).toContain('"change_set":null');
    const answer = await imports(path, [
      { ...user, password: "another horse battery", email: null },
    ]);
    expect(verdictsOf(answer)).toMatchObject([{ verdict: "same" }]);
    expect((await api(alice).post("/user/login", user)).status).toBe(200);
    for (const by of [carol, dave]) {
      for (const one of [path, "/user/service_accounts", "/webhooks", "/triggers"]) {
        const refused = await imports(one, [{ name: "e" }], "", api(by));
        expect([one, refused.status]).toEqual([one, 403]);
      }
    }
  });

  test("takes the CSV of a list", async () => {
    const path = "/inventory/locations";
    await imports(path, "name,description,parent\r\nHall,Big,\r\nRack,,Hall\r\n");
    const { text } = await admin.get(path, { headers: { accept: "text/csv" } });
    const changed = text.replace("Big", "Great");
    const answer = await imports(path, changed);
    expect(verdictsOf(answer)).toMatchObject([
      { line: 2, name: "Hall", verdict: "change", changes: [{ old: "Big", now: "Great" }] },
      { line: 3, name: "Rack", verdict: "same" },
    ]);
    const unknown = await imports(path, "name,colour\r\nHall,red\r\n");
    expect([unknown.status, unknown.body.errors]).toEqual([
      422,
      [{ field: "colour", message: "Unknown column" }],
    ]);
  });

  test("refuses rows by their fields, writes the others if asked to, and is undone at once", async () => {
    const path = "/inventory/locations";
    const rows = [
      { name: "Hall", parent: "Nowhere" },
      { description: "No name" },
      { name: "Rack", parent: "Shed" },
      { name: "Shed" },
      { name: "SHED" },
      { name: "One", parent: "Two" },
      { name: "Two", parent: "One" },
    ];
    const all = await imports(path, rows);
    expect([all.status, verdictsOf(all).map(({ verdict }) => verdict)]).toEqual([
      422,
      ["refused", "refused", "new", "new", "refused", "refused", "refused"],
    ]);
    expect(verdictsOf(all)[4].errors).toMatchObject([{ field: "name" }]);
    expect((await admin.get(path)).body).toEqual([]);
    const good = await imports(path, rows, "?apply=good");
    expect(good.status).toBe(200);
    const names = (await admin.get(`${path}?sort=name&fields=name`)).body;
    expect(names).toEqual([{ name: "Rack" }, { name: "Shed" }]);
    const { change_set } = good.body.at(-1);
    expect((await admin.post(`/changes/${change_set}/undo`, {})).status).toBe(201);
    expect((await admin.get(path)).body).toEqual([]);
  });

  test("needs the rights of its records, and betrays no hidden host", async () => {
    await aHiddenHost();
    const { vlan_name: network } = await aNetwork();
    expect((await imports("/network/groups", [{ name: "a" }], "", api(carol))).status).toBe(403);
    const row = { name: "nic", host: "canary", network };
    const answer = await imports("/network/interfaces", [row], "", api(dave));
    expect(verdictsOf(answer)[0].errors).toMatchObject([
      { field: "host", message: "'canary' is not a valid host", code: "unknown_record" },
    ]);
  });
});
