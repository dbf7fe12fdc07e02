// A user with rights in one scope and one location sends every writing request to records of other places.

import { describe, expect, test } from "bun:test";
import { app } from "../../src/app.ts";
import { standardArea, standardResources } from "../../src/resources.ts";
import { fileOwners } from "../../src/store/file_owners.ts";
import type { Resource } from "../../src/store/resource.ts";
import { type Browser, browser } from "../support/browser.ts";
import { elements } from "../support/html.ts";
import { alice, api, carol, idOf, service } from "../support/mod.ts";
import {
  ATTEMPTS,
  aProtectedHost,
  type RouteRequest,
  rows,
  type World,
} from "../support/protected.ts";
import { FORMS } from "../support/protected_forms.ts";
import { type OwnPlaces, ownPlaces, wholeState } from "../support/rights.ts";
import { apply, code, SCANNER } from "../support/scan_desk.ts";
import { aRecordOf } from "../support/standard.ts";
import { IMPORT, IMPORT_HOSTS, uploaded } from "../support/upload.ts";

/** Records of nobody else: what is the user's own, and what only reads. */
const APART = [
  /^(POST|PATCH|PUT|DELETE) \/(api\/v1\/)?(user|searches)\b/,
  /^POST \/(network\/_retrieve_|network\/_validate)/,
  /^POST \/inventory\/(_update_favorites|_retrieve_items)/,
  /^POST \/api\/v1\/network\/(hosts\/search|groups\/preview)$/,
  /^POST \/(admin|tags)\//,
  /^(POST|PATCH|PUT|DELETE) \/api\/v1\/(webhooks|triggers)\b/,
  /^POST \/notices\/unsubscribe\b/,
];

function writingRoutes(): string[] {
  return app.routes
    .filter(({ method }) => ["POST", "PATCH", "PUT", "DELETE"].includes(method))
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => !APART.some((one) => one.test(route)));
}

type Worlds = World & OwnPlaces & { ids: Record<string, number> };
type Attempts = Record<string, (worlds: Worlds) => RouteRequest[]>;

const some = (path: string, ...bodies: object[]): RouteRequest[] =>
  bodies.map((body) => ({ path, body }));

/** Changes of records that are in no place, or that are places. */
const ATTRIBUTES = ["manufacturers", "models", "statuses", "locations"];
const OTHERS = [
  ...ATTRIBUTES.map((kind) => `inventory/${kind}`),
  ...["domains", "scopes", "networks"].map((kind) => `network/${kind}`),
  ...standardResources.map(kindOf),
];

/** As in its paths: network/device_types. */
function kindOf({ path }: Resource): string {
  return path.slice(1);
}

/** Records of others, beside those that are made for a standard resource. */
const NAMED: Record<string, string[]> = {
  ...Object.fromEntries(
    ["manufacturers", "models", "statuses"].map((one) => [`inventory/${one}`, ["Other"]]),
  ),
  "inventory/locations": ["Hall"],
  "network/scopes": ["Lab"],
  "network/networks": ["Open"],
  "network/domains": ["lab.example.org"],
};

function keyOf(kind: string): string {
  return kind === "network/networks" ? "vlan_name" : "name";
}

const ofOthers: Attempts = Object.fromEntries(
  OTHERS.flatMap(
    (kind): Array<[string, Attempts[string]]> => [
      [`POST /${kind}`, () => some(`/${kind}`, { name: "New" })],
      [
        `PATCH /${kind}/:id`,
        ({ ids }) => some(`/${kind}/${ids[kind]}`, { description: "x" }, { name: "Renamed" }),
      ],
      [`DELETE /${kind}/:id`, ({ ids }) => [{ path: `/${kind}/${ids[kind]}` }]],
      [`POST /${kind}/import`, () => rows(`/${kind}/import`, { [keyOf(kind)]: "New" })],
      [
        `PUT /${kind}/by-${keyOf(kind)}/:${keyOf(kind)}`,
        () =>
          ["New", ...(NAMED[kind] ?? [])].flatMap((name) =>
            some(`/${kind}/by-${keyOf(kind)}/${name}`, { description: "x" }),
          ),
      ],
    ],
  ),
);
delete ofOthers["PATCH /network/domains/:id"];
for (const resource of standardResources) {
  const { path, key } = resource;
  const { created, changed } = standardArea(resource);
  if (!changed) delete ofOthers[`PATCH ${path}/:id`];
  // Its name is made of others.
  if (key in created.properties) continue;
  delete ofOthers[`POST ${path}/import`];
  delete ofOthers[`PUT ${path}/by-${key}/:${key}`];
}

/** Requests beside those that concern one host of others. */
const FURTHER: Attempts = {
  ...ofOthers,
  "POST /network/hosts": () => [
    ...some("/network/hosts", { name: "n-2", device_type: "VME", network: "Open" }),
    ...some("/network/hosts", { name: "n-3", device_type: "VME" }),
    ...some("/network/hosts", {
      ...{ name: "n-4", device_type: "Network", network: "Own-net", items: ["AAA001"] },
    }),
  ],
  "PATCH /network/hosts/:id": ({ host }) =>
    some(`/network/hosts/${host}`, { items: ["AAA001"] }, { items: ["AAA003"] }),
  "POST /network/interfaces": () => [
    ...some("/network/interfaces", { host: "core", network: "Own-net", name: "core-3" }),
    ...some("/network/interfaces", { host: "own-host", network: "Open", name: "own-3" }),
  ],
  "PATCH /network/interfaces/:id": ({ own, main, elsewhere }) => [
    ...some(`/network/interfaces/${own}`, { network: "Own-net" }, { description: "x" }),
    ...some(`/network/interfaces/${main}`, { network: "Open" }),
    ...some(`/network/interfaces/${elsewhere}`, { network: "Own-net" }),
  ],
  "DELETE /network/interfaces/:id": ({ main }) => [{ path: `/network/interfaces/${main}` }],
  "POST /network/hosts/import": () =>
    rows(
      "/network/hosts/import",
      { name: "own-host", interface: "own-2", network: "Open" },
      { name: "mine", interface: "mine", network: "Own-net" },
      { name: "mine", description: "x" },
      { name: "sixth", device_type: "Network" },
      { name: "own-host", items: ["AAA001"] },
    ),
  "POST /inventory/items": ({ ids }) => [
    ...some("/inventory/items", { serial_number: "S7" }, { serial_number: "S7", location: "Hall" }),
    ...some("/inventory/items", { serial_number: "S7", parent_id: ids["inventory/items"] }),
  ],
  "PATCH /inventory/items/:id": () => [
    ...some("/inventory/items/AAA001", { quantity: 3 }, { location: "Own hall" }, { quantity: 1 }),
    ...some("/inventory/items/AAA002", { location: "Own hall" }, { location: "Hall" }),
    ...some("/inventory/items/OWN001", { location: "Hall" }, { location: null }),
    ...some("/inventory/items/OWN001", { parent: "AAA001" }),
  ],
  "POST /inventory/items/import": () =>
    rows(
      "/inventory/items/import",
      { ics_id: "AAA001", quantity: 4 },
      { ics_id: "AAA001", location: "Own hall" },
      { ics_id: "OWN001", location: "Hall" },
      { ics_id: "OWN001", macs: "02:42:42:00:00:01" },
      { serial_number: "S9", location: "Hall" },
      { serial_number: "S9" },
    ),
  "PUT /network/hosts/by-name/:name": () => [
    ...some("/network/hosts/by-name/n-7", { device_type: "VME", network: "Open" }),
    ...some("/network/hosts/by-name/own-host", { items: ["AAA001"] }),
  ],
  "PUT /network/interfaces/by-name/:name": () => [
    ...some("/network/interfaces/by-name/own-3", { host: "own-host", network: "Open" }),
    ...some("/network/interfaces/by-name/mine", { network: "Own-net" }),
  ],
  "PUT /inventory/items/by-ics_id/:ics_id": () => [
    ...some("/inventory/items/by-ics_id/AAA002", { location: "Own hall" }),
    ...some("/inventory/items/by-ics_id/OWN001", { location: "Hall" }, { location: null }),
    ...some("/inventory/items/by-ics_id/AAA008", { serial_number: "S8", location: "Hall" }),
  ],
  "PUT /inventory/macs/by-address/:address": () =>
    some("/inventory/macs/by-address/02:42:42:00:00:01", { item: "OWN001" }),
  "POST /inventory/macs/import": () =>
    rows("/inventory/macs/import", { address: "02:42:42:00:00:ac", item: "AAA001" }),
  "POST /inventory/items/:id/comments": () =>
    some("/inventory/items/AAA001/comments", { body: "x" }),
  "PATCH /inventory/items/comments/:id": ({ comment }) =>
    some(`/inventory/items/comments/${comment}`, { body: "y" }),
  "DELETE /inventory/items/comments/:id": ({ comment }) => [
    { path: `/inventory/items/comments/${comment}` },
  ],
  ...Object.fromEntries(
    fileOwners.flatMap(([table, { path }]): Array<[string, Attempts[string]]> => {
      const at = (ids: Record<string, number>) => `${path}/${ids[`of ${table}`]}/files`;
      const one = (ids: Record<string, number>) => `${at(ids)}/${ids[`file of ${table}`]}`;
      return [
        [`POST ${path}/:id/files`, ({ ids }) => some(at(ids), { any: "bytes" })],
        [`PATCH ${path}/:id/files/:file`, ({ ids }) => some(one(ids), { caption: "x" })],
        [`DELETE ${path}/:id/files/:file`, ({ ids }) => [{ path: one(ids) }]],
      ];
    }),
  ),
  "POST /inventory/macs": ({ item }) => [
    ...some("/inventory/macs", { address: "02:42:42:00:00:aa" }),
    ...some("/inventory/macs", { address: "02:42:42:00:00:ab", item_id: item }),
  ],
  "PATCH /inventory/macs/:id": ({ mac, own_item }) =>
    some(`/inventory/macs/${mac}`, { item_id: own_item }),
  "DELETE /inventory/macs/:id": ({ mac }) => [{ path: `/inventory/macs/${mac}` }],
  "PATCH /inventory/locations/:id": ({ ids, rack, hall }) => [
    ...some(`/inventory/locations/${ids["inventory/locations"]}`, { parent: "Own hall" }),
    ...some(`/inventory/locations/${rack}`, { parent: "Hall" }, { parent: null }),
    ...some(`/inventory/locations/${hall}`, { parent: "Hall" }),
  ],
};

const form = (path: string, ...all: Array<Record<string, string>>): RouteRequest[] =>
  some(path, ...all);

const FURTHER_FORMS: Attempts = {
  "POST /inventory/attributes/:kind": ({ ids }) =>
    ["manufacturer", "model", "status", "location"].flatMap((kind, at) => {
      const id = String(ids[`inventory/${ATTRIBUTES[at]}`]);
      const path = `/inventory/attributes/${kind}`;
      return form(
        path,
        { name: "New" },
        { id, action: "edit", name: "Renamed" },
        { id, action: "delete" },
      );
    }),
  "POST /inventory/items/comment/:ics_id": () =>
    form("/inventory/items/comment/AAA001", { body: "x" }),
  "POST /inventory/items/comment/edit/:comment_id": ({ comment }) =>
    form(`/inventory/items/comment/edit/${comment}`, { body: "x" }),
  "POST /inventory/items/comment/delete": ({ comment }) =>
    form("/inventory/items/comment/delete", { comment_id: `${comment}`, confirmed: "true" }),
  "POST /inventory/items/create": () =>
    form(
      "/inventory/items/create",
      { serial_number: "S8", location: "Hall" },
      { serial_number: "S8" },
    ),
  "POST /inventory/items/edit/:ics_id": () => [
    ...form("/inventory/items/edit/AAA001", { serial_number: "Other", location: "Hall" }),
    ...form("/inventory/items/edit/OWN001", { serial_number: "O1", location: "Hall" }),
  ],
  "POST /inventory/items/_bulk": ({ item, own_item }) => [
    ...form("/inventory/items/_bulk", { id: `${item}`, location: "Own hall", step: "apply" }),
    ...form("/inventory/items/_bulk", { id: `${own_item}`, location: "Hall", step: "apply" }),
  ],
  "POST /network/hosts/create": () =>
    form("/network/hosts/create", { name: "n-5", device_type: "VME", network: "Open" }),
  "POST /network/interfaces/edit/:name": () => [
    ...form("/network/interfaces/edit/own-host", { network: "Open", name: "own-host" }),
    ...form("/network/interfaces/edit/mine", { network: "Own-net", name: "mine" }),
  ],
  "POST /files/:table/:id": ({ ids }) =>
    fileOwners.flatMap(([table]) => form(`/files/${table}/${ids[`of ${table}`]}`, { file: "x" })),
  "POST /files/:table/:id/:file": ({ ids }) =>
    fileOwners.flatMap(([table]) =>
      form(`/files/${table}/${ids[`of ${table}`]}/${ids[`file of ${table}`]}`, { caption: "x" }),
    ),
  "POST /files/:table/:id/:file/delete": ({ ids }) =>
    fileOwners.flatMap(([table]) =>
      form(`/files/${table}/${ids[`of ${table}`]}/${ids[`file of ${table}`]}/delete`, {
        confirmed: "true",
      }),
    ),
  "POST /lists/change": ({ core, item }) =>
    [`/network/hosts ${core}`, `/inventory/items ${item}`].flatMap((one) => {
      const [list = "", id = ""] = one.split(" ");
      return form("/lists/change", { list, id, description: "x", quantity: "7", step: "apply" });
    }),
  ...Object.fromEntries(
    [
      ...["domains", "networks", "scopes"].map((kind) => `network/${kind}`),
      ...standardResources.map(kindOf),
    ].flatMap((kind): Array<[string, Attempts[string]]> => {
      const path = `/${kind}`;
      return [
        [`POST ${path}/create`, () => form(`${path}/create`, { name: "New" })],
        [
          `POST ${path}/delete`,
          ({ ids }) => form(`${path}/delete`, { id: `${ids[kind]}`, confirmed: "true" }),
        ],
      ];
    }),
  ),
  ...Object.fromEntries(
    standardResources
      .filter((one) => standardArea(one).changed)
      .map(({ path }) => [
        `POST ${path}/edit/:name`,
        () => form(`${path}/edit/New`, { name: "X" }),
      ]),
  ),
  "POST /network/networks/edit/:vlan_name": () =>
    form("/network/networks/edit/Open", { vlan_name: "Renamed" }),
  "POST /network/scopes/edit/:name": () => form("/network/scopes/edit/Lab", { name: "Renamed" }),
};

/** Everything of others is made by Carol, so that no refusal depends on its author. */
async function twoWorlds(): Promise<Worlds> {
  const world = await aProtectedHost(undefined, { network: carol, inventory: carol });
  const own = await ownPlaces(carol);
  const { sql } = await service();
  const ids: Record<string, number> = {};
  for (const kind of ["manufacturers", "models", "statuses"]) {
    const { body } = await api(alice).post(`/inventory/${kind}`, { name: "Other" });
    ids[`inventory/${kind}`] = body.id;
  }
  const [hall] = await sql`select id from locations where name = 'Hall'`;
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update items set location_id = ${hall.id} where ics_id = 'AAA001'`;
    await tx`update comments set created_by = ${await idOf(carol)}`;
  });
  const [network] =
    await sql`select id, scope_id, domain_id from networks where vlan_name = 'Open'`;
  for (const one of standardResources) ids[kindOf(one)] = (await aRecordOf(one)).id;
  Object.assign(ids, {
    "inventory/locations": hall.id,
    "inventory/items": world.item,
    "network/networks": network.id,
    "network/scopes": network.scope_id,
    "network/domains": network.domain_id,
  });
  for (const [table, { path }] of fileOwners) {
    const id = table === "hosts" ? world.core : ids[path.slice(1)];
    const { body } = await api(alice).post(`${path}/${id}/files`, { some: "bytes" });
    Object.assign(ids, { [`of ${table}`]: id, [`file of ${table}`]: body.id });
  }
  return { ...world, ...own, ids };
}

/** Collects requests that were not refused, and routes that have left a trace. */
class Watch {
  readonly guilty: string[] = [];
  private constructor(private before: string) {}

  static async start(): Promise<Watch> {
    return new Watch(await wholeState());
  }

  noteStatus(
    route: string,
    { path, body }: RouteRequest,
    status: number,
    isRefused: boolean,
  ): void {
    if (isRefused && status < 500 && status !== 429) return;
    this.guilty.push(`${route} ${path} ${JSON.stringify(body)}: ${status}`);
  }

  async lookAround(route: string): Promise<void> {
    const now = await wholeState();
    if (now !== this.before) this.guilty.push(`${route} has changed something`);
    this.before = now;
    const { sql } = await service();
    // The limit on probes must not refuse requests here.
    await sql`delete from audit_log`;
  }
}

/** A request as it is or, if it can have a key, twice with the same one; and its dry run. */
function variants(method: string, one: RouteRequest, key: string): RouteRequest[] {
  const dry = { ...one, path: `${one.path}${one.path.includes("?") ? "&" : "?"}dry_run=true` };
  if (method !== "POST") return [one, dry];
  const keyed = { ...one, headers: { ...one.headers, "idempotency-key": key } };
  return [keyed, keyed, dry];
}

const of = (table: Attempts, route: string, worlds: Worlds) => table[route]?.(worlds) ?? [];

describe("rights in one scope and one location", () => {
  test("are tried against every writing route", () => {
    const routes = [...Object.keys({ ...ATTEMPTS, ...FURTHER })];
    const forms = Object.keys({ ...FORMS, ...FURTHER_FORMS });
    const known = [...routes.map((route) => route.replace(" ", " /api/v1")), ...forms];
    expect(known.toSorted()).toEqual(writingRoutes().toSorted());
  });

  test("change nothing elsewhere by the API, also in a dry run and under a key", async () => {
    const worlds = await twoWorlds();
    const watch = await Watch.start();
    for (const route of Object.keys({ ...ATTEMPTS, ...FURTHER })) {
      const [method = ""] = route.split(" ");
      const all = [...of(ATTEMPTS as Attempts, route, worlds), ...of(FURTHER, route, worlds)];
      for (const [at, one] of all.entries()) {
        for (const sent of at === 0 ? variants(method, one, route) : [one]) {
          const { status } = await api(carol).send(method, sent.path, sent);
          watch.noteStatus(route, sent, status, status >= 400);
        }
      }
      await watch.lookAround(route);
    }
    expect(watch.guilty).toEqual([]);
  }, 180_000);

  test("change nothing elsewhere by the pages", async () => {
    const worlds = await twoWorlds();
    const watch = await Watch.start();
    const own = await browser(carol);
    for (const route of Object.keys({ ...FORMS, ...FURTHER_FORMS })) {
      const all = [...of(FORMS as Attempts, route, worlds), ...of(FURTHER_FORMS, route, worlds)];
      for (const one of all) {
        const { status } = await submit(own, one);
        watch.noteStatus(route, one, status, true);
      }
      await watch.lookAround(route);
    }
    await uploadAndApply(own, watch);
    await scanAndApply(own, watch);
    expect(watch.guilty).toEqual([]);
  }, 180_000);
});

/** A form that applies what its preview has shown is sent with the mark of the preview. */
async function submit(own: Browser, { path, body }: RouteRequest) {
  const fields: Record<string, string> = { ...(body as object) };
  if (fields.step !== "apply") return own.submit(path, fields);
  const { text } = await own.submit(path, { ...fields, step: "preview" });
  const [seen] = elements(text, "input[name=seen]");
  return own.submit(path, { ...fields, seen: seen?.attributes.value ?? "" });
}

async function uploadAndApply(own: Browser, watch: Watch): Promise<void> {
  const sheets: Array<[path: string, content: string]> = [
    [IMPORT, "ics_id,quantity\nOWN001,5\nAAA001,5\n"],
    [IMPORT, "ics_id,location\nOWN001,Hall\n"],
    [IMPORT_HOSTS, "name,description\nown-host,x\nmine,x\n"],
  ];
  for (const [path, content] of sheets) {
    const page = await uploaded(own, content, path);
    const { status } = await own.submit(page, { action: "all", state: "1" });
    watch.noteStatus(`import ${path}`, { path: content }, status, status >= 400);
    await watch.lookAround(`import ${path}`);
  }
}

async function scanAndApply(own: Browser, watch: Watch): Promise<void> {
  for (const [hall, item] of [
    ["Own hall", "AAA001"],
    ["Hall", "OWN001"],
  ] as const) {
    const { text } = await own.submit(SCANNER, { scan: `${code("location", hall)}\n${item}` });
    const { status } = await apply(own, text);
    watch.noteStatus("scan", { path: `${hall} ${item}` }, status, status >= 400);
    await watch.lookAround("scan");
  }
}
