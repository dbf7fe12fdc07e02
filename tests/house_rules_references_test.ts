// Rules for all lists whose records refer to others, including future ones.
import { beforeEach, describe, expect, test } from "bun:test";
import { publicId } from "../src/input/change_ids.ts";
import { standardResources } from "../src/resources.ts";
import { FILE_OWNERS } from "../src/store/file_owners.ts";
import {
  aCname,
  aGroup,
  aHost,
  aLocation,
  alice,
  aManufacturer,
  aModel,
  anInterface,
  anItem,
  api,
  aStatus,
  carol,
  reference,
  service,
} from "./support/mod.ts";
import { bodyOf } from "./support/standard.ts";

const API = "/api/v1";
/** Fields of an item that cannot be filtered. */
const ONLY_SHOWN = ["children", "macs", "comments", "history"];
const SINGULAR: Record<string, string> = { children: "child", status: "status" };

let item: { id: number; ics_id: string };
let account: { id: number };
let trigger: { id: number };
let run: { id: number };
let webhook: { id: number };
/** The records that have files, by the paths of these. */
let withFiles: Array<[path: string, id: number]>;

/** A record of each kind, with all references set. */
beforeEach(async () => {
  const attributes = {
    manufacturer: (await aManufacturer()).name,
    model: (await aModel()).name,
    location: (await aLocation()).name,
    status: (await aStatus()).name,
  };
  const crate = await anItem();
  item = await anItem({ ...attributes, parent_id: crate.id });
  const child = await aGroup({ name: "child" });
  const group = await aGroup({ children: [child.name] });
  const host = await aHost({ items: [item.ics_id], automation_groups: [group.name] });
  const main = await anInterface({ host: host.name });
  await aCname({ interface_id: main.id });
  await api(alice).post("/inventory/macs", { address: "02:42:42:00:00:01", item_id: item.id });
  await api(alice).post(`/inventory/items/${item.ics_id}/comments`, { body: "Seen" });
  account = (await api(alice).post("/user/service_accounts", { username: "robot" })).body;
  await api(alice).post(`/user/service_accounts/${account.id}/tokens`, {});
  await api(alice).get("/user/profile");
  trigger = (await api(alice).post("/triggers", { ...TRIGGER, name: "Job" })).body;
  const { sql } = await service();
  [run] = await sql`
    insert into trigger_runs (subscription_id, status, finished_at) values (${trigger.id}, 'failed', now()) returning id::int`;
  withFiles = [];
  for (const { path } of Object.values(FILE_OWNERS)) {
    withFiles.push([path, Number((await read(path))[0]?.id)]);
  }
  webhook = (await api(alice).post("/webhooks", { ...WEBHOOK, name: "Receiver" })).body;
  await api(alice).post(`/webhooks/${webhook.id}/test`, {});
});

const TRIGGER = { name: "New", template: "post", url: "https://jobs.example.org", body: {} };
const WEBHOOK = { name: "New", url: "https://hooks.invalid/" };

interface List {
  path: string;
  parameters: string[];
}

async function lists(): Promise<List[]> {
  const { paths } = await reference();
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const parameters = get?.parameters.map(({ name }) => name) ?? [];
    // The list of changes has no records that could be nested.
    const isList = parameters.includes("recursive") && parameters.includes("per_page");
    return isList && !path.endsWith("/search")
      ? [{ path: pathOf(path.slice(API.length)), parameters }]
      : [];
  });
}

/** Of the records that were made before. */
function pathOf(path: string): string {
  return path
    .replace("/items/{id}", `/items/${item.ics_id}`)
    .replace(/^(.*)\/\{id\}\/files/, (whole, owner) => {
      const [, id] = withFiles.find(([one]) => one === owner) ?? [];
      return id === undefined ? whole : `${owner}/${id}/files`;
    })
    .replace("/service_accounts/{id}", `/service_accounts/${account.id}`)
    .replace("/webhooks/{id}", `/webhooks/${webhook.id}`)
    .replace("/triggers/{id}", `/triggers/${trigger.id}`)
    .replace("{run_id}", String(run.id));
}

type ApiRecord = Record<string, unknown>;

async function read(path: string, params: Record<string, string> = {}): Promise<ApiRecord[]> {
  const query = new URLSearchParams({ per_page: "100", ...params });
  const { status, body } = await api(alice).get(`${path}?${query}`);
  expect([path, params, status]).toEqual([path, params, 200]);
  return body;
}

interface Reference {
  record: ApiRecord;
  field: string;
  name: string;
  key: number;
}

/** The fields that are names, and records with `recursive=true`. */
async function referencesIn(path: string): Promise<Reference[]> {
  const [plain, nested] = [await read(path), await read(path, { recursive: "true" })];
  return plain.flatMap((record, at) =>
    Object.entries(record).flatMap(([field, value]) => {
      const [name] = [value].flat();
      const [behind] = [nested[at]?.[field]].flat() as Array<{ id?: number } | undefined>;
      const isNamed = typeof name === "string" && typeof behind?.id === "number";
      return isNamed ? [{ record, field, name, key: behind.id! }] : [];
    }),
  );
}

function keyParameter(field: string): string {
  return `${SINGULAR[field] ?? field.replace(/s$/, "")}_id`;
}

describe("every list", () => {
  test("can be filtered by name and key of each reference", async () => {
    const found: string[] = [];
    for (const { path, parameters } of await lists()) {
      for (const { record, field, name, key } of await referencesIn(path)) {
        if (ONLY_SHOWN.includes(field)) continue;
        const wanted = keyParameter(field);
        found.push(`${path} ${field}`);
        expect([path, field, parameters.includes(field)]).toEqual([path, field, true]);
        expect([path, wanted, parameters.includes(wanted)]).toEqual([path, wanted, true]);
        const byName = await read(path, { [field]: name });
        const byKey = await read(path, { [wanted]: String(key) });
        expect([path, field, byName.map(({ id }) => id)]).toEqual([
          path,
          field,
          byKey.map(({ id }) => id),
        ]);
        expect(
          byKey.map(({ id }) => id),
          `${path} ${field}`,
        ).toContain(record.id);
      }
    }
    expect(new Set(found).size).toBeGreaterThan(35);
  });

  test("nests every field that is named like a resource", async () => {
    const called = new Set(
      (await lists()).flatMap(({ path }) => {
        const plural = path.split("/").at(-1) ?? "";
        return [plural, plural.replace(/(es|s)$/, ""), plural.replace(/s$/, "")];
      }),
    );
    for (const { path } of await lists()) {
      // The groups of users and the status of a message are constants, not records.
      if (["/user/users", "/user/service_accounts"].includes(path)) continue;
      if (path.endsWith("/deliveries")) continue;
      const known = new Set((await referencesIn(path)).map(({ field }) => field));
      const named = (await read(path)).flatMap((record) =>
        Object.entries(record).flatMap(([field, value]) =>
          called.has(field) && [value].flat().length > 0 && value !== null ? [field] : [],
        ),
      );
      expect([path, named.filter((field) => !known.has(field))]).toEqual([path, []]);
    }
  });
});

describe("GET /network/interfaces", () => {
  test("filters by the domain_id of the network", async () => {
    const [one] = await read("/network/interfaces");
    const [domain] = await read("/network/domains", { name: String(one?.domain) });
    await anInterface();
    expect(await read("/network/interfaces", { domain_id: String(domain?.id) })).toEqual([one!]);
    expect(await read("/network/interfaces", { domain_id__ne: String(domain?.id) })).toHaveLength(
      1,
    );
  });
});

describe("every record that is created", () => {
  /** What a POST to each path creates. Records of standard resources are made from their descriptions. */
  const BODIES: Record<string, () => Promise<object> | object> = {
    ...Object.fromEntries(standardResources.map((one) => [one.path, () => bodyOf(one)])),
    "/user/users": () => ({ username: "newcomer", password: "correct horse battery" }),
    "/user/service_accounts": () => ({ username: "program" }),
    "/user/watches": () => ({ table_name: "items", row_id: item.id }),
    "/inventory/manufacturers": () => ({ name: "New" }),
    "/inventory/models": () => ({ name: "New" }),
    "/inventory/locations": () => ({ name: "New" }),
    "/inventory/statuses": () => ({ name: "New" }),
    "/inventory/items": () => ({ serial_number: "New" }),
    "/inventory/items/{id}/comments": () => ({ body: "New" }),
    ...Object.fromEntries(
      Object.values(FILE_OWNERS).map(({ path }) => [
        `${path}/{id}/files`,
        () => ({ any: "bytes" }),
      ]),
    ),
    "/inventory/macs": () => ({ address: "02:42:42:00:00:99", item_id: item.id }),
    "/network/domains": () => ({ name: "new.example.org" }),
    "/network/scopes": async () => ({
      name: "New-Scope",
      first_vlan: 1,
      last_vlan: 9,
      supernet: "172.16.0.0/16",
      domain_id: (await read("/network/domains"))[0]?.id,
    }),
    "/network/networks": async () => ({
      vlan_name: "New-Net",
      vlan_id: 9,
      address: `${await freeBlock()}.0/24`,
      first_ip: `${await freeBlock()}.1`,
      last_ip: `${await freeBlock()}.9`,
      gateway: null,
      scope: (await read("/network/scopes"))[0]?.name,
    }),
    "/network/hosts": async () => ({
      name: "new-host",
      device_type: "Physical",
      network: (await read("/network/networks"))[0]?.vlan_name,
    }),
    "/network/interfaces": async () => ({
      name: "new-interface",
      host: (await read("/network/hosts"))[0]?.name,
      network: (await read("/network/networks"))[0]?.vlan_name,
    }),
    "/network/cnames": async () => ({
      name: "new-cname",
      interface_id: (await read("/network/interfaces"))[0]?.id,
    }),
    "/network/groups": async () => ({ name: "new", children: ["child"] }),
    "/changes/{id}/undo": () => ({}),
    "/triggers": () => TRIGGER,
    "/triggers/{id}/test": () => ({}),
    "/triggers/{id}/runs/{run_id}/again": () => ({}),
    "/webhooks": () => WEBHOOK,
    "/webhooks/{id}/test": () => ({}),
  };

  async function freeBlock(): Promise<string> {
    const [scope] = await read("/network/scopes");
    return String(scope?.supernet).replace(".0.0/16", ".200");
  }

  async function makers(): Promise<string[]> {
    const { paths } = await reference();
    return Object.entries(paths).flatMap(([path, { post }]) =>
      post?.responses["201"] ? [path.slice(API.length)] : [],
    );
  }

  test("has a Location that can be read; a dry run has none", async () => {
    const { origin } = await service();
    // A token is shown once.
    const paths = (await makers()).filter((path) => !/\/tokens\b/.test(path));
    expect(paths.toSorted()).toEqual(Object.keys(BODIES).toSorted());
    for (const path of paths) {
      const body = await BODIES[path]!();
      const place = pathOf(path).replace("{id}", await latestChange());
      const tried = await api(alice).post(`${place}?dry_run=true`, body);
      expect([path, tried.status, tried.headers.has("location")]).toEqual([path, 201, false]);
      const made = await api(alice).post(place, body);
      const location = made.headers.get("location") ?? "";
      expect([path, made.status, location]).toEqual([
        path,
        201,
        expect.stringMatching(new RegExp(`^${origin}${API}/.*/${made.body.id}$`)),
      ]);
      const { status, body: read } = await api(alice).get(location.slice((origin + API).length));
      expect([path, status, read.id]).toEqual([path, 200, made.body.id]);
    }
  });

  test("is returned nested where that is requested", async () => {
    const { paths } = await reference();
    for (const [path, body] of Object.entries(BODIES)) {
      const takes = paths[`${API}${path}/{id}`]?.get?.parameters.some(
        ({ name }) => name === "recursive",
      );
      if (!takes) continue;
      const given = await body();
      const headers = { "idempotency-key": path };
      const tried = await api(alice).post(`${path}?dry_run=True&recursive=True`, given);
      const made = await api(alice).post(`${path}?recursive=true`, given, { headers });
      expect([path, made.status]).toEqual([path, 201]);
      const again = await api(alice).post(`${path}?recursive=true`, given, { headers });
      const read = await api(alice).get(`${path}/${made.body.id}?recursive=true`);
      expect([path, made.body]).toEqual([path, read.body]);
      expect([path, again.body]).toEqual([path, read.body]);
      expect([path, typesIn(tried.body)]).toEqual([path, typesIn(read.body)]);
      if (!paths[`${API}${path}/{id}`]?.patch) continue;
      const text = ["description", "display_name", "label"].find((name) => name in made.body);
      const changed = await api(alice).patch(
        `${path}/${made.body.id}?recursive=true`,
        text ? { [text]: "Changed" } : given,
      );
      const after = await api(alice).get(`${path}/${made.body.id}?recursive=true`);
      expect([path, changed.status, changed.body]).toEqual([path, 200, after.body]);
    }
  });

  function typesIn(record: ApiRecord): string[] {
    return Object.entries(record).map(([field, value]) => `${field} ${typeof [value].flat()[0]}`);
  }

  async function latestChange(): Promise<string> {
    const { sql } = await service();
    const [{ id }] = await sql`select max(id) as id from change_sets`;
    return publicId(id);
  }
});

describe("recursive", () => {
  test("is a flag of writes that return a record, and of no deletion", async () => {
    const { id } = await aLocation();
    const refused = await api(alice).post("/inventory/items?recursive=yes", { serial_number: "1" });
    expect(refused.status).toBe(422);
    expect((await api(alice).delete(`/inventory/locations/${id}?recursive=true`)).status).toBe(422);
    expect((await api(carol).get("/inventory/items?recursive=TRUE")).status).toBe(200);
  });
});
