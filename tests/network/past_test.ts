import { describe, expect, test } from "bun:test";
import { publicId } from "../../src/input/change_ids.ts";
import { happenedOn } from "../support/history.ts";
import {
  aCname,
  aDomain,
  aHost,
  alice,
  aModel,
  aNetwork,
  anInterface,
  anItem,
  api,
  aScope,
  audrey,
  carol,
  dave,
  fieldsOf,
  type Person,
  service,
} from "../support/mod.ts";

function at(path: string, time: string, by: Person = carol) {
  return api(by).get(`/network/${path}?at=${encodeURIComponent(time)}`);
}

/** The present record, with the times to which its history was moved. */
async function now(path: string) {
  const { body } = await api(alice).get(`/network/${path}`);
  const { created_at: _, updated_at: __, user: ___, ...rest } = body;
  return rest;
}

describe("?at= of a network record", () => {
  test("returns it as it was: fields, names and related records", async () => {
    const domain = await aDomain({ name: "lab.example.org" });
    const scope = await aScope({ name: "Lab", domain_id: domain.id });
    const network = await aNetwork({ scope: "Lab", vlan_name: "Lab-1" });
    const model = await aModel({ name: "R640" });
    await anItem({ ics_id: "AAA001", model: model.name });
    const group = (await api(alice).post("/network/groups", { name: "Old", vars: { a: 1 } })).body;
    const host = await aHost({
      name: "web-01",
      network: "Lab-1",
      items: ["AAA001"],
      automation_groups: ["Old"],
      automation_vars: { b: [1, { c: null }] },
    });
    const second = await anInterface({ host: "web-01", network: "Lab-1", name: "web-01-b" });
    const cname = await aCname({ interface_id: second.id, name: "www" });
    const paths = [
      `domains/${domain.id}`,
      `scopes/${scope.id}`,
      `networks/${network.id}`,
      `groups/${group.id}`,
      `hosts/${host.id}`,
      `interfaces/${second.id}`,
      `cnames/${cname.id}`,
    ];
    const then = await Promise.all(paths.map(now));
    await happenedOn(10);
    await api(alice).patch(`/network/hosts/${host.id}`, {
      name: "new-01",
      items: [],
      automation_groups: [],
    });
    await api(alice).patch(`/network/networks/${network.id}`, { vlan_name: "Lab-2" });
    await api(alice).patch(`/network/scopes/${scope.id}`, { name: "Other" });
    await api(alice).patch(`/network/groups/${group.id}`, { name: "New", vars: {} });
    await api(alice).delete(`/network/cnames/${cname.id}`);
    await api(alice).delete(`/network/interfaces/${second.id}`);
    await happenedOn(20);
    for (const [number, path] of paths.entries()) {
      const past = await at(path, "2026-01-15");
      expect([path, past.status, past.body]).toEqual([
        path,
        200,
        {
          ...then[number],
          user: "alice",
          created_at: past.body.created_at,
          updated_at: "2026-01-10 14:05",
        },
      ]);
    }
    expect((await at(`hosts/${host.id}`, "2026-01-25")).body).toMatchObject({
      name: "new-01",
      interfaces: ["new-01"],
      items: [],
      automation_groups: [],
    });
    expect((await at(`cnames/${cname.id}`, "2026-01-25")).status).toBe(404);
    expect((await at(`hosts/${host.id}`, "2026-01-01")).status).toBe(404);
  });

  test("is refused for an invalid time, or together with recursive", async () => {
    const { id } = await aHost();
    for (const [query, field] of [
      ["at=yesterday", "at"],
      ["at=2999-01-01", "at"],
      ["at=2026-01-01&at=2026-01-02", "at"],
      ["at=2026-01-01&recursive=true", "recursive"],
      ["when=2026-01-01", "when"],
    ] as const) {
      const { status, body } = await api(carol).get(`/network/hosts/${id}?${query}`);
      expect([query, status, fieldsOf(body)]).toEqual([query, 422, [field]]);
    }
    const whole = await api(carol).get(`/network/hosts/${id}?recursive=true`);
    expect(whole.body.device_type).toMatchObject({ name: "Physical" });
  });

  test("hides what is hidden now", async () => {
    const secret = await aNetwork({ vlan_name: "Secret" });
    const open = await aNetwork({ vlan_name: "Open" });
    const moved = await aHost({ name: "moved", network: "Secret" });
    const [main] = (await api(alice).get("/network/interfaces?name=moved")).body;
    const inside = await aHost({ name: "inside", network: "Secret" });
    await happenedOn(10);
    await api(alice).patch(`/network/interfaces/${main.id}`, { network: "Open" });
    await api(alice).patch(`/network/networks/${secret.id}`, { sensitive: true });
    await happenedOn(20);
    for (const path of [`hosts/${inside.id}`, `networks/${secret.id}`, `interfaces/${main.id}`]) {
      expect([path, (await at(path, "2026-01-15")).status]).toEqual([path, 404]);
      expect([path, (await at(path, "2026-01-15", audrey)).status]).toEqual([path, 200]);
    }
    expect((await at(`hosts/${moved.id}`, "2026-01-15")).body.interfaces).toEqual([]);
    expect((await at(`networks/${open.id}`, "2026-01-25", dave)).body.interfaces).toEqual([
      "moved",
    ]);
    const scopes = await at(
      `scopes/${(await api(alice).get("/network/scopes")).body[0].id}`,
      "2026-01-15",
    );
    expect(scopes.text).not.toContain("Secret");
  });
});

describe("a record that is older than some of its columns", () => {
  test("has the defaults of those columns in its past, not null", async () => {
    const host = await aHost({ name: "web-01", is_ioc: true, automation_vars: { a: 1 } });
    const item = await anItem({ ics_id: "AAA001" });
    const { sql } = await service();
    await sql`update changes set after = after - 'is_ioc' - 'automation_vars' where table_name = 'hosts'`;
    await sql`update changes set after = after - 'unseen' where table_name = 'items'`;
    await happenedOn(10);
    const past = await at(`hosts/${host.id}`, "2026-01-20");
    expect(past.body).toMatchObject({ name: "web-01", is_ioc: false, automation_vars: {} });
    // The version that is shown is the stored one without the changes that are not visible.
    const { headers } = await api(carol).get(`/inventory/items/${item.id}?at=2026-01-20`);
    expect(headers.get("etag")).toStartWith('"v1.');
  });
});

describe("the history of a network record", () => {
  test("includes the interfaces and groups of a host, and hides hidden records", async () => {
    await aNetwork({ vlan_name: "Secret", sensitive: true });
    await aNetwork({ vlan_name: "Open" });
    await aHost({ name: "canary", network: "Secret" });
    await api(dave).post("/network/hosts", { name: "web-01", device_type: "VME", network: "Open" });
    const { sql } = await service();
    const sets: Array<{ id: number; hidden: boolean }> = await sql`
      select distinct change_set::int as id, bool_or(coalesce(after ->> 'name', '') = 'canary') as hidden
      from changes where table_name = 'hosts' group by 1`;
    for (const { id, hidden } of sets) {
      const { status, body } = await api(carol).get(`/changes/${publicId(id)}`);
      expect([hidden, status]).toEqual([hidden, hidden ? 404 : 200]);
      if (hidden) continue;
      expect(
        body.events.map(({ table_name, name }: any) => `${table_name} ${name}`),
        `change ${id}`,
      ).toEqual(["hosts web-01", "interfaces web-01"]);
      expect(body.events[1].differences, `change ${id}`).toContainEqual({
        field: "network",
        old: null,
        now: "Open",
      });
    }
  });
});
