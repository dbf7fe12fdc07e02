import { describe, expect, test } from "bun:test";
import { concurrently, counted } from "../support/concurrently.ts";
import {
  aDomain,
  aHost,
  alice,
  aNetwork,
  anInterface,
  api,
  aScope,
  carol,
  dave,
  fieldsOf,
} from "../support/mod.ts";

const PATH = "/network/networks";
const LAB = {
  vlan_name: "Lab-1",
  vlan_id: 110,
  address: "10.1.2.0/24",
  first_ip: "10.1.2.10",
  last_ip: "10.1.2.200",
  gateway: "10.1.2.254",
  scope: "Lab",
};

function aLab(fields: object = {}) {
  return aScope({
    name: "Lab",
    first_vlan: 100,
    last_vlan: 200,
    supernet: "10.1.0.0/16",
    ...fields,
  });
}

describe("networks", () => {
  test("are filtered and sorted by their use, without hidden hosts; it is no part of a record", async () => {
    await aLab();
    for (const [at, vlan_name] of ["Empty", "Busy", "Secret"].entries()) {
      await aNetwork({
        vlan_name,
        vlan_id: 110 + at,
        address: `10.1.${at}.0/24`,
        scope: "Lab",
        sensitive: vlan_name === "Secret",
      });
    }
    await aHost({ name: "crate", network: "Busy" });
    await aHost({ name: "guarded", network: "Empty" });
    await anInterface({ network: "Secret", host: "guarded", name: "guarded-s" });
    const names = async (query: string, by = carol) =>
      (await api(by).get(`${PATH}?${query}`)).body.map(
        (one: { vlan_name: string }) => one.vlan_name,
      );
    expect(await names("used__gte=1")).toEqual(["Busy"]);
    expect(await names("used__gte=1", alice)).toEqual(["Empty", "Busy", "Secret"]);
    expect(await names("sort=-used,vlan_name")).toEqual(["Busy", "Empty"]);
    const [record] = (await api(carol).get(`${PATH}?used=1`)).body;
    expect(record).not.toHaveProperty("used");
  });

  test("are created in their scope, with its domain unless another is given", async () => {
    const domain = await aDomain({ name: "lab.example.org" });
    const other = await aDomain({ name: "other.example.org" });
    await aLab({ domain_id: domain.id });
    const { status, body } = await api(alice).post(PATH, LAB);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: body.id,
      tags: [],
      site: {},
      ...LAB,
      netmask: "255.255.255.0",
      description: null,
      admin_only: false,
      sensitive: false,
      domain: "lab.example.org",
      interfaces: [],
      user: "alice",
      created_at: body.created_at,
      updated_at: body.updated_at,
    });
    const elsewhere = await api(alice).post(PATH, {
      ...LAB,
      vlan_name: "Lab-2",
      vlan_id: 111,
      address: "10.1.3.0/24",
      first_ip: "10.1.3.1",
      last_ip: "10.1.3.1",
      gateway: null,
      domain_id: other.id,
      admin_only: true,
    });
    expect(elsewhere.body).toMatchObject({
      domain: "other.example.org",
      admin_only: true,
      gateway: null,
    });
    for (const query of ["address=10.1.2.77", "scope=lab&vlan_id=110", "gateway=10.1.2.0/24"]) {
      const found = await api(carol).get(`${PATH}?${query}`);
      expect([query, found.body]).toEqual([query, [body]]);
    }
    const [nested] = (await api(carol).get(`${PATH}?recursive=true`)).body;
    expect(nested.scope).toMatchObject({ name: "Lab", supernet: "10.1.0.0/16" });
  });

  test("may be IPv6", async () => {
    await aLab({ supernet: "2001:db8::/32" });
    const { status, body } = await api(alice).post(PATH, {
      ...LAB,
      address: "2001:db8:0:1::/64",
      first_ip: "2001:db8:0:1::10",
      last_ip: "2001:db8:0:1:ffff:ffff:ffff:ffff",
      gateway: "2001:DB8:0:1::1",
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ address: "2001:db8:0:1::/64", gateway: "2001:db8:0:1::1" });
    expect(body.netmask).toBe("ffff:ffff:ffff:ffff::");
  });

  test.each([
    [{ vlan_name: "no" }, ["vlan_name"]],
    [{ vlan_name: "ümlaut" }, ["vlan_name"]],
    [{ vlan_id: 99 }, ["vlan_id"]],
    [{ vlan_id: 201 }, ["vlan_id"]],
    [{ vlan_id: 4095 }, ["vlan_id"]],
    [{ address: "10.1.2.1/24" }, ["address"]],
    [{ address: "10.2.2.0/24" }, ["address", "first_ip", "last_ip", "gateway"]],
    [{ address: "10.0.0.0/8" }, ["address"]],
    [{ first_ip: "10.1.2.201" }, ["last_ip"]],
    [{ first_ip: "10.1.1.255" }, ["first_ip"]],
    [{ last_ip: "10.1.3.0" }, ["last_ip"]],
    [{ gateway: "10.1.3.1" }, ["gateway"]],
    [{ gateway: "2001:db8::1" }, ["gateway"]],
    [{ first_ip: "10.1.2" }, ["first_ip"]],
    [{ scope: "Nowhere" }, ["scope"]],
    [{ domain_id: 999_999 }, ["domain_id"]],
    [{ sensitive: "yes" }, ["sensitive"]],
  ])("are refused with %p", async (fields, wrong) => {
    await aLab();
    const { status, body } = await api(alice).post(PATH, { ...LAB, ...fields });
    expect(status).toBe(422);
    expect(fieldsOf(body)).toEqual(wrong);
    expect((await api(alice).get(PATH)).body).toEqual([]);
  });

  test("have a unique name, a VLAN that is unique in the scope, and a block that overlaps no other", async () => {
    await aLab();
    await aLab({ name: "Other", supernet: "10.9.0.0/16" });
    await api(alice).post(PATH, LAB);
    const others = {
      first_ip: "10.1.3.1",
      last_ip: "10.1.3.9",
      gateway: null,
      address: "10.1.3.0/24",
    };
    const refusedBy = async (fields: object) =>
      (await api(alice).post(PATH, { ...LAB, ...fields })).body.detail;
    expect(await refusedBy({ ...others, vlan_id: 120, vlan_name: "LAB-1" })).toBe(
      "vlan_name: This name is taken",
    );
    expect(await refusedBy({ ...others, vlan_name: "Lab-2" })).toBe(
      "vlan_id: This VLAN is taken in its scope",
    );
    const inside = { address: "10.1.2.0/25", last_ip: "10.1.2.20", gateway: null };
    expect(await refusedBy({ ...inside, vlan_name: "Lab-2", vlan_id: 120 })).toBe(
      "address: This block overlaps with another network",
    );
    const elsewhere = await api(alice).post(PATH, {
      ...LAB,
      vlan_name: "Lab-3",
      scope: "Other",
      address: "10.9.0.0/24",
      first_ip: "10.9.0.1",
      last_ip: "10.9.0.9",
      gateway: null,
    });
    expect(elsewhere.status).toBe(201);
  });

  test("of thirty-two creates that overlap, or use one VLAN, one succeeds", async () => {
    await aLab();
    const overlapping = await concurrently(32, (number) =>
      api(alice).post(PATH, { ...LAB, vlan_name: `Lab-${number}`, vlan_id: 101 + number }),
    );
    expect(counted(overlapping)).toEqual({ 201: 1, 422: 31 });
    const crowding = await concurrently(32, (number) => {
      const start = `10.1.${100 + number}`;
      const block = { address: `${start}.0/24`, first_ip: `${start}.1`, last_ip: `${start}.9` };
      return api(alice).post(PATH, {
        ...LAB,
        ...block,
        gateway: null,
        vlan_name: `V-${number}`,
        vlan_id: 200,
      });
    });
    expect(counted(crowding)).toEqual({ 201: 1, 422: 31 });
  });

  test("change, unless an interface would be outside", async () => {
    await aLab();
    const { body } = await api(alice).post(PATH, LAB);
    await anInterface({ network: "Lab-1", name: "rack", ip: "10.1.2.150" });
    await anInterface({ network: "Lab-1", name: "desk", ip: "10.1.2.140" });
    const shrink = {
      address: "10.1.2.0/25",
      first_ip: "10.1.2.10",
      last_ip: "10.1.2.100",
      gateway: "10.1.2.1",
    };
    const refused = await api(alice).patch(`${PATH}/${body.id}`, shrink);
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toBe("address: The interface desk at 10.1.2.140 would be outside");
    const domain = await aDomain({ name: "new.example.org" });
    const changed = await api(alice).patch(`${PATH}/${body.id}`, {
      vlan_name: "Lab-one",
      first_ip: "10.1.2.20",
      last_ip: "10.1.2.30",
      gateway: "10.1.2.1",
      domain: domain.name,
      admin_only: true,
      sensitive: true,
      description: "Quiet",
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      vlan_name: "Lab-one",
      first_ip: "10.1.2.20",
      domain: "new.example.org",
      sensitive: true,
      interfaces: ["desk", "rack"],
    });
    for (const [fields, field] of [
      [{ first_ip: "10.1.2.31" }, "last_ip"],
      [{ vlan_id: 120 }, "vlan_id"],
      [{ scope: "Lab" }, "scope"],
      [{ domain: "no.example" }, "domain"],
    ] as const) {
      const wrong = await api(alice).patch(`${PATH}/${body.id}`, fields);
      expect([fields, wrong.status, fieldsOf(wrong.body)]).toEqual([fields, 422, [field]]);
    }
  });

  test("are not deleted while they have interfaces", async () => {
    const network = await aNetwork();
    const { id } = await anInterface({ network: network.vlan_name });
    const { status, body } = await api(alice).delete(`${PATH}/${network.id}`);
    expect(status).toBe(422);
    expect(body.detail).toBe("id: This network is in use by 1 interface");
    await api(alice).delete(`/network/interfaces/${id}`);
    expect((await api(alice).delete(`${PATH}/${network.id}`)).status).toBe(204);
  });

  test("are changed by admins only", async () => {
    const { id } = await aNetwork();
    expect((await api(dave).post(PATH, {})).status).toBe(403);
    expect((await api(dave).patch(`${PATH}/${id}`, { vlan_name: "Mine" })).status).toBe(403);
    expect((await api(dave).delete(`${PATH}/${id}`)).status).toBe(403);
  });
});
