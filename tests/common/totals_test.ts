// The total of a list is exact after every change. It is kept while nothing is committed.
import { describe, expect, test } from "bun:test";
import {
  aCname,
  aDomain,
  aHost,
  alice,
  aNetwork,
  anInterface,
  anItem,
  api,
  aScope,
  aStatus,
  carol,
  dave,
  service,
} from "../support/mod.ts";
import { countsDuring, totalOf } from "../support/totals.ts";

const LISTS = [
  "/network/hosts",
  "/network/hosts?device_type=VME",
  "/network/hosts?network=Open",
  "/network/hosts?automation_groups__isnull=false",
  "/network/interfaces",
  "/network/interfaces?is_main=true",
  "/network/cnames",
  "/network/networks",
  "/inventory/items",
  "/inventory/items?status=Lent",
  "/inventory/items?host__isnull=false",
];

const READERS = [alice, carol];

/** A page that is not full gives its total; of a full one it is cached. */
async function wrongTotals(when: string): Promise<unknown[]> {
  const wrong: unknown[] = [];
  for (const path of LISTS) {
    for (const by of READERS) {
      const [shown, right] = [await totalOf(path, by, 1), await totalOf(path, by, 100)];
      if (shown !== right) wrong.push({ when, path, by: by.username, shown, right });
    }
  }
  return wrong;
}

async function aSite(): Promise<void> {
  const domain_id = (await aDomain({ name: "site.example.org" })).id;
  await aScope({ name: "Site", supernet: "10.1.0.0/16", domain_id });
  for (const [at, vlan_name] of ["Open", "Secret", "Other"].entries()) {
    const address = `10.1.${at}.0/24`;
    await aNetwork({ vlan_name, address, scope: "Site", sensitive: vlan_name === "Secret" });
  }
  for (const name of ["web-01", "web-02", "web-03", "db-01"])
    await aHost({ name, network: "Open" });
  await aHost({ name: "secret-01", network: "Secret" });
  await aStatus({ name: "Lent" });
  for (const status of ["Lent", null]) await anItem({ status });
}

async function change(method: "post" | "patch", path: string, body: object, by = alice) {
  const answer = await api(by)[method](path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer;
}

async function idBy(path: string, name: string): Promise<number> {
  return (await api(alice).get(`${path}?name=${name}`)).body[0].id;
}

/** In this order; each leaves less than a hundred records of a kind. */
const CHANGES: Record<string, () => Promise<unknown>> = {
  "a host": () => aHost({ name: "web-04", network: "Open", is_ioc: true, device_type: "VME" }),
  "a hidden host": () => aHost({ name: "web-05", network: "Secret" }),
  "a host without an interface": () => aHost({ name: "web-06" }),
  "an interface that hides": () =>
    anInterface({ host: "db-01", network: "Secret", name: "db-01-s" }),
  "no more interface that hides": async () =>
    api(alice).delete(`/network/interfaces/${await idBy("/network/interfaces", "db-01-s")}`),
  "an interface that moves": async () =>
    change("patch", `/network/interfaces/${await idBy("/network/interfaces", "web-02")}`, {
      network: "Other",
    }),
  "another name": async () =>
    change("patch", `/network/hosts/${await idBy("/network/hosts", "db-01")}`, { name: "web-07" }),
  "another type": async () =>
    change("patch", `/network/hosts/${await idBy("/network/hosts", "web-04")}`, {
      device_type: "PLC",
      is_ioc: false,
    }),
  "a dry run": () =>
    change("post", "/network/hosts?dry_run=true", { name: "web-99", device_type: "VME" }),
  "a refused host": () => api(alice).post("/network/hosts", { name: "web-01", device_type: "VME" }),
  "a group": async () =>
    change("post", "/network/groups", { name: "Web", hosts: ["web-01", "web-04", "secret-01"] }),
  "a cname": async () => aCname({ interface_id: await idBy("/network/interfaces", "web-01") }),
  "a deleted host": async () =>
    api(alice).delete(`/network/hosts/${await idBy("/network/hosts", "web-01")}`),
  "the deletion undone": async () => {
    const { body } = await api(alice).get("/changes?per_page=1");
    await change("post", `/changes/${body[0].id}/undo`, {});
  },
  "a sensitive network": async () =>
    change(
      "patch",
      `/network/networks/${(await api(alice).get("/network/networks?vlan_name=Open")).body[0].id}`,
      {
        sensitive: true,
      },
    ),
  "an open network": async () =>
    change(
      "patch",
      `/network/networks/${(await api(alice).get("/network/networks?vlan_name=Open")).body[0].id}`,
      {
        sensitive: false,
      },
    ),
  "an item": () => anItem({ status: "Lent" }),
  "another status": async () => {
    const [item] = (await api(alice).get("/inventory/items?status=Lent")).body;
    await change("patch", `/inventory/items/${item.id}`, { status: null });
  },
  "an item on a hidden host": async () => {
    const [item] = (await api(alice).get("/inventory/items")).body;
    await change("patch", `/inventory/items/${item.id}`, {
      host_id: await idBy("/network/hosts", "secret-01"),
    });
  },
};

const ALONE = /hides|network|undone/;

describe("totals", () => {
  test("are exact after each change", async () => {
    await aSite();
    expect(await wrongTotals("first")).toEqual([]);
    const changes = Object.entries(CHANGES);
    // Each on its own where it is what hides or reveals, else five at once.
    for (const [at, [name, make]] of changes.entries()) {
      await make();
      if (at % 5 === 4 || ALONE.test(name) || at === changes.length - 1) {
        expect(await wrongTotals(name)).toEqual([]);
      }
    }
  });

  test("are counted again only after something was committed", async () => {
    await aSite();
    const read = async () => {
      for (const by of READERS) {
        for (const path of LISTS) await totalOf(path, by, 1);
      }
    };
    // What works in the background may commit meanwhile.
    const readUntilKept = async () => {
      for (let round = 0; round < 50; round += 1) if ((await countsDuring(read)) === 0) return true;
      return false;
    };
    expect(await readUntilKept()).toBe(true);
    await aHost({ name: "web-10", network: "Open" });
    expect(await countsDuring(read)).toBeGreaterThan(0);
    expect(await readUntilKept()).toBe(true);
  });

  test("are exact while several write", async () => {
    await aSite();
    await wrongTotals("first");
    const { sql } = await service();
    const isMade = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    // By hand, without a change set, and slow.
    const byHand = sql.begin(async (tx) => {
      await tx`insert into hosts (name, device_type_id) values ('slow-01', 1)`;
      isMade.resolve();
      await mayEnd.promise;
    });
    await isMade.promise;
    const numbers = Array.from({ length: 12 }, (_, at) => at);
    await Promise.all(
      numbers.map(async (at) => {
        await aHost({ name: `many-${at + 10}`, network: at % 3 ? "Open" : "Secret" });
        await totalOf("/network/hosts", at % 2 ? alice : carol, 1);
      }),
    );
    expect(await wrongTotals("before the slow one ends")).toEqual([]);
    await aHost({ name: "between-01", network: "Open" });
    expect(await wrongTotals("after another")).toEqual([]);
    mayEnd.resolve();
    await byHand;
    expect(await wrongTotals("after the slow one")).toEqual([]);
    await api(dave).delete(`/network/hosts/${await idBy("/network/hosts", "many-11")}`);
    expect(await wrongTotals("at last")).toEqual([]);
  });
});
