import { describe, expect, test } from "bun:test";
import { app } from "../../src/app.ts";
import { standardResources } from "../../src/resources.ts";
import { browser } from "../support/browser.ts";
import {
  aHost,
  alice,
  aNetwork,
  api,
  bob,
  carol,
  dave,
  type Person,
  service,
} from "../support/mod.ts";
import {
  ATTEMPTS,
  aProtectedHost,
  type ProtectedKind,
  type RouteRequest,
  stateOf,
  type World,
} from "../support/protected.ts";
import { FORMS } from "../support/protected_forms.ts";
import { giveRight } from "../support/rights.ts";

const PEOPLE: Person[] = [dave, bob, carol];
const KINDS: ProtectedKind[] = ["admin_only", "sensitive"];

/** Routes that refer to no host and no group. */
const APART = [
  /^(POST|PATCH|PUT|DELETE) \/(api\/v1\/)?(user|searches)\b/,
  /^(POST|PATCH|PUT|DELETE) \/(api\/v1\/)?inventory\/(manufacturers|models|locations|statuses)\b/,
  /^POST \/inventory\/(_update_favorites|attributes|_retrieve_items|items\/comment)/,
  /^(POST|PATCH|PUT|DELETE) \/api\/v1\/inventory\/items\/(:id\/)?comments/,
  /^POST \/(network\/_retrieve_|network\/_validate)/,
  // It only reads.
  /^POST \/api\/v1\/network\/hosts\/search$/,
  /^(POST|DELETE) \/api\/v1\/inventory\/macs(\/:id)?$/,
  // Files of items are about these, as their comments are.
  /\/inventory\/(items|models|locations)\/:id\/files/,
  // Allowed for admins only.
  /^POST \/(admin|tags)\//,
  /^(POST|PATCH|PUT|DELETE) \/api\/v1\/(webhooks|triggers)\b/,
  /^POST \/notices\/unsubscribe\b/,
  /^(POST|PATCH|PUT|DELETE) \/(api\/v1\/)?network\/(domains|scopes|networks)\b/,
  ...standardResources
    .filter(({ fields }) =>
      Object.values(fields).every(({ refersTo }) => !isOfHosts(refersTo?.table)),
    )
    .map(({ path }) => new RegExp(`^(POST|PATCH|PUT|DELETE) (/api/v1)?${path}\\b`)),
];

function isOfHosts(table = ""): boolean {
  return ["hosts", "interfaces", "cnames", "groups", "items"].includes(table);
}

function writingRoutes(): string[] {
  return app.routes
    .filter(({ method }) => ["POST", "PATCH", "PUT", "DELETE"].includes(method))
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => !APART.some((one) => one.test(route)));
}

/** Sends all requests, and returns those that changed the host. */
async function reaching(world: World, person: Person): Promise<string[]> {
  const { sql } = await service();
  let before = await stateOf(world);
  const guilty: string[] = [];
  const look = async (route: string, { path, body }: RouteRequest, status: number) => {
    const now = await stateOf(world);
    // The limit on probes must not refuse requests here.
    await sql`delete from audit_log`;
    if (now !== before || status >= 500 || status === 429) {
      guilty.push(`${route} ${path} ${JSON.stringify(body)}: ${status}`);
    }
    before = now;
  };
  for (const [route, attempts] of Object.entries(ATTEMPTS)) {
    const [method = ""] = route.split(" ");
    for (const one of attempts(world)) {
      await look(route, one, (await api(person).send(method, one.path, one)).status);
    }
  }
  const as = await browser(person);
  for (const [route, attempts] of Object.entries(FORMS)) {
    for (const one of attempts(world)) {
      await look(route, one, (await as.submit(one.path, { ...(one.body as object) })).status);
    }
  }
  return guilty;
}

describe("a host that only admins may change", () => {
  test("is refused by every writing route", () => {
    const known = [
      ...Object.keys(ATTEMPTS).map((route) => route.replace(" ", " /api/v1")),
      ...Object.keys(FORMS),
      "POST /api/v1/network/groups/preview",
    ];
    expect(known.toSorted()).toEqual(writingRoutes().toSorted());
  });

  test("is changed by an admin with the same request", async () => {
    const world = await aProtectedHost("sensitive");
    const before = await stateOf(world);
    const refused: string[] = [];
    for (const [route, attempts] of Object.entries(ATTEMPTS)) {
      const [method = ""] = route.split(" ");
      for (const { path, ...given } of attempts(world)) {
        if (path.endsWith("/undo")) continue;
        const to = `${path}${path.includes("?") ? "&" : "?"}dry_run=true`;
        const { status } = await api(alice).send(method, to, given);
        if (status >= 300) refused.push(`${method} ${path} ${JSON.stringify(given.body)}`);
      }
    }
    // There is a group of that name already.
    expect(refused.filter((one) => !/"name":"all"|"ALL"/i.test(one))).toEqual([]);
    expect(await stateOf(world)).toBe(before);
  }, 120_000);

  for (const kind of KINDS) {
    for (const person of PEOPLE) {
      test(`is not changed by ${person.username} if its network is ${kind}`, async () => {
        const world = await aProtectedHost(kind);
        expect(await reaching(world, person)).toEqual([]);
      }, 120_000);
    }
  }
});

test("is not changed by somebody with the right to see its sensitive network", async () => {
  const world = await aProtectedHost("sensitive");
  const { sql } = await service();
  const [closed] = await sql`select id from networks where vlan_name = 'Closed'`;
  await giveRight(dave, "sensitive", closed.id);
  expect((await api(dave).get(`/network/hosts/${world.core}`)).status).toBe(200);
  expect(await reaching(world, dave)).toEqual([]);
  const inside = await sql`select name from interfaces where network_id = ${closed.id}`;
  expect([...inside].map(({ name }) => name)).toEqual(["core"]);
  const refused = await api(dave).patch(`/network/hosts/${world.core}`, { description: "x" });
  expect(refused.body.detail).toBe("Only admins may change hosts in the network Closed");
}, 120_000);

test("is named as protected to those who may see it, whatever else is hidden", async () => {
  const { core, mine, elsewhere } = await aProtectedHost("admin_only");
  const vault = await aNetwork({ vlan_name: "Vault", sensitive: true });
  await aHost({ name: "canary", network: vault.vlan_name });
  const given = { host: "core", network: "Open", name: "core-3" };
  const refused = {
    status: 403,
    body: { detail: "Only admins may change hosts in the network Closed" },
  };
  const answers = [
    await api(dave).post("/network/interfaces", given),
    await api(dave).patch(`/network/interfaces/${elsewhere}`, { description: "x" }),
    await api(dave).patch(`/network/hosts/${core}`, { description: "x" }),
    await api(bob).patch("/inventory/items/AAA001", { host_id: null }),
    await api(bob).patch("/inventory/items/AAA003", { host_id: core }),
  ];
  expect(answers).toMatchObject(answers.map(() => refused));
  const taken = { ...given, host: "mine", mac: "02:42:42:00:00:01" };
  expect((await api(dave).post("/network/interfaces", taken)).status).toBe(422);
  const { sql } = await service();
  const probes = await sql`
    select details ->> 'hidden' as hidden from audit_log where event = 'name.probed'`;
  expect(probes.map((row: any) => row.hidden)).toEqual(["false"]);
  const put = await api(bob).patch("/inventory/items/AAA003", { host_id: null });
  expect([put.status, (await api(bob).get(`/network/hosts/${mine}`)).body.items]).toEqual([
    200,
    [],
  ]);
});
