// Who has the right network on one scope only makes and moves names in the domains of the networks of that scope, by any
// way in.
import { beforeEach, describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { importsHosts } from "../support/imports.ts";
import { alice, aNetwork, anInterface, api, aScope, carol, dave } from "../support/mod.ts";
import { type OwnPlaces, ownPlaces } from "../support/rights.ts";
import { latest, undoing } from "../support/undo.ts";

const FOREIGN = "login.office.example.org";
const NOWHERE = "accounts.google.com";
const OUTSIDE =
  /^This needs the group network.*, because (office\.example\.org is in no network of your scopes|(accounts\.google\.com) is in no registered domain)$/;

const own = api(carol);
const admin = api(alice);

let places: OwnPlaces;

beforeEach(async () => {
  places = await ownPlaces(carol);
  const { body: domain } = await admin.post("/network/domains", { name: "office.example.org" });
  await aScope({ name: "Office", supernet: "10.1.0.0/16", domain_id: domain.id });
  await aNetwork({ scope: "Office", vlan_name: "Desks", address: "10.1.1.0/24" });
});

interface Refused {
  status: number;
  body: { detail?: string };
}

function refused({ status, body }: Refused): void {
  expect(status).toBe(403);
  expect(body.detail).toMatch(OUTSIDE);
}

async function cnames(): Promise<string[]> {
  return (await admin.get("/network/cnames")).body.map(({ name }: { name: string }) => name);
}

describe("a name outside of the domains of one's own scopes", () => {
  test("is no cname, by the API, in a dry run, by a form and by an import", async () => {
    const interface_id = places.own_main;
    for (const name of [FOREIGN, NOWHERE, "office.example.org"]) {
      refused(await own.post("/network/cnames", { name, interface_id }));
      refused(await own.post("/network/cnames?dry_run=true", { name, interface_id }));
      refused(await importsHosts(carol, [{ name: "own-host", cnames: name }], "?apply=all"));
    }
    const page = await browser(carol);
    const fields = { action: "add_cname", interface: String(interface_id), name: FOREIGN };
    expect((await page.submit("/network/hosts/view/own-host", fields)).status).toBe(403);
    const further = { network: "Own-net", name: "own-b", cnames: NOWHERE };
    expect((await page.submit("/network/interfaces/create/own-host", further)).status).toBe(403);
    expect(await cnames()).toEqual([]);
  });

  test("is a cname in one's own domain, also below it and by a label", async () => {
    for (const name of ["www", "ftp.own.example.org", "a.b.own.example.org"]) {
      const made = await own.post("/network/cnames", { name, interface_id: places.own_main });
      expect(made.status).toBe(201);
    }
  });

  test("is not the full name of a host or an interface, made or changed", async () => {
    const { body: inside } = await admin.post("/network/domains", {
      name: "office.own.example.org",
    });
    await aNetwork({
      ...{ scope: "Office", vlan_name: "Inside", address: "10.1.2.0/24" },
      domain_id: inside.id,
    });
    const answers = [
      await own.post("/network/hosts", {
        ...{ name: "office", device_type: "VME", network: "Own-net" },
      }),
      await own.patch(`/network/hosts/${places.host}`, { name: "office" }),
      await own.patch(`/network/interfaces/${places.own_main}`, { name: "office" }),
      await own.post("/network/interfaces", {
        ...{ host: "own-host", name: "office", network: "Own-net" },
      }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(403);
      expect(body.detail).toContain("because office.own.example.org is in no network of your");
    }
  });

  test("is not moved by a token that is limited to a scope, whoever has it", async () => {
    const { body } = await admin.post("/user/tokens", { description: "Own", scopes: ["Own"] });
    const limited = api({ token: body.token });
    refused(
      await limited.post("/network/cnames", { name: FOREIGN, interface_id: places.own_main }),
    );
    const made = { name: "www", interface_id: places.own_main };
    expect((await limited.post("/network/cnames", made)).status).toBe(201);
  });

  test("does not come along with an interface that moves into another domain", async () => {
    const { body: other } = await admin.post("/network/domains", { name: "further.example.org" });
    const network = { scope: "Own", vlan_name: "Further", vlan_id: 101, address: "10.9.2.0/24" };
    await aNetwork({ ...network, domain_id: other.id });
    const { id } = await anInterface({ host: "own-host", network: "Own-net", name: "own-b" });
    await admin.post("/network/domains", { name: "own-b.further.example.org" });
    const moved = await own.patch(`/network/interfaces/${id}`, { network: "Further" });
    expect(moved.status).toBe(403);
    expect(moved.body.detail).toContain("because own-b.further.example.org is in no network of");
    await own.patch(`/network/interfaces/${id}`, { name: "own-c" });
    const renamed = await own.patch(`/network/interfaces/${id}`, { network: "Further" });
    expect(renamed.status).toBe(200);
  });

  test("does not come back by undo", async () => {
    const { body: made } = await admin.post("/network/cnames", {
      ...{ name: FOREIGN, interface_id: places.own_main },
    });
    await admin.delete(`/network/cnames/${made.id}`);
    refused(await undoing(await latest(), carol));
    expect(await cnames()).toEqual([]);
  });

  test("stays what somebody else gave: the rest of its host can be changed", async () => {
    await admin.post("/network/cnames", { name: FOREIGN, interface_id: places.own_main });
    const fields = { description: "x", name: "renamed" };
    expect((await own.patch(`/network/hosts/${places.host}`, fields)).status).toBe(200);
    const mac = { mac: "02:42:42:00:00:01" };
    expect((await own.patch(`/network/interfaces/${places.own_main}`, mac)).status).toBe(200);
  });

  test("is for admins and the group network; without a domain it is in no feed", async () => {
    const interface_id = places.own_main;
    for (const [by, name] of [
      [dave, FOREIGN],
      [dave, NOWHERE],
      [alice, "mail.example.com"],
    ] as const) {
      expect((await api(by).post("/network/cnames", { name, interface_id })).status).toBe(201);
    }
    for (const feed of ["hosts", "ansible", "dns/own.example.org", "dns/office.example.org"]) {
      const { status, text } = await admin.get(`/network/export/${feed}`);
      expect(status).toBe(200);
      expect(text).not.toMatch(/google|example\.com/);
    }
    expect((await admin.get("/network/export/dns/office.example.org")).text).toContain("login");
    expect((await admin.get("/network/export/hosts")).text).toContain(FOREIGN);
  });
});
