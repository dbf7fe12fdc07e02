import { describe, expect, test } from "bun:test";
import { concurrently, counted } from "../support/concurrently.ts";
import { aDomain, alice, aNetwork, api, aScope, carol, dave, fieldsOf } from "../support/mod.ts";

const PATH = "/network/scopes";

async function given(fields: object = {}) {
  const { id } = await aDomain();
  return {
    name: "Office",
    first_vlan: 100,
    last_vlan: 200,
    supernet: "10.1.0.0/16",
    domain_id: id,
    ...fields,
  };
}

describe("scopes", () => {
  test("have a range, a block, a domain and networks", async () => {
    const domain = await aDomain({ name: "office.example.org" });
    const input = await given({ domain_id: domain.id, description: "Desks" });
    const { status, body } = await api(alice).post(PATH, input);
    expect(status).toBe(201);
    await aNetwork({ scope: "office", vlan_name: "Desks", vlan_id: 100 });
    expect((await api(carol).get(`${PATH}/${body.id}`)).body).toEqual({
      id: body.id,
      tags: [],
      name: "Office",
      description: "Desks",
      first_vlan: 100,
      last_vlan: 200,
      supernet: "10.1.0.0/16",
      domain: "office.example.org",
      networks: ["Desks"],
      user: "alice",
      created_at: body.created_at,
      updated_at: body.updated_at,
    });
    for (const query of ["supernet=10.1.2.3", "domain=office.example.org", "first_vlan__lte=100"]) {
      expect((await api(carol).get(`${PATH}?${query}`)).body).toHaveLength(1);
    }
    expect((await api(carol).get(`${PATH}?supernet=10.2.0.0/16`)).body).toEqual([]);
  });

  test.each([
    [{ name: "ab" }, "name"],
    [{ name: "with space" }, "name"],
    [{ name: "a".repeat(26) }, "name"],
    [{ first_vlan: 0 }, "first_vlan"],
    [{ last_vlan: 4095 }, "last_vlan"],
    [{ first_vlan: 201 }, "last_vlan"],
    [{ supernet: "10.1.0.1/16" }, "supernet"],
    [{ supernet: "10.1.0.0" }, "supernet"],
    [{ supernet: "10.1.0.0/33" }, "supernet"],
    [{ supernet: "010.1.0.0/16" }, "supernet"],
    [{ domain_id: 999_999 }, "domain_id"],
    [{ color: "red" }, "color"],
  ])("are refused with %p", async (fields, field) => {
    const { status, body } = await api(alice).post(PATH, await given(fields));
    expect(status).toBe(422);
    expect(fieldsOf(body)).toEqual([field]);
    expect((await api(alice).get(PATH)).body).toEqual([]);
  });

  test("may be IPv6", async () => {
    const { status, body } = await api(alice).post(
      PATH,
      await given({ supernet: "2001:DB8::/32" }),
    );
    expect(status).toBe(201);
    expect(body.supernet).toBe("2001:db8::/32");
  });

  test("do not overlap, also with concurrent requests", async () => {
    const inputs = await Promise.all(
      Array.from({ length: 32 }, async (_, number) =>
        given({ name: `Scope-${number}`, supernet: number % 2 ? "10.0.0.0/8" : "10.1.0.0/16" }),
      ),
    );
    const answers = await concurrently(32, (number) => api(alice).post(PATH, inputs[number]));
    expect(counted(answers)).toEqual({ 201: 1, 422: 31 });
    const refused = answers.find(({ status }) => status === 422)!;
    expect(refused.body.detail).toBe("supernet: This block overlaps with another scope");
  });

  test("change, unless a network would be outside", async () => {
    const scope = await aScope({ name: "Office", first_vlan: 100, last_vlan: 200 });
    const start = scope.supernet.replace(".0.0/16", "");
    await aNetwork({ scope: "Office", vlan_name: "Low", vlan_id: 110, address: `${start}.0.0/24` });
    await aNetwork({
      scope: "Office",
      vlan_name: "High",
      vlan_id: 190,
      address: `${start}.9.0/24`,
    });
    const refused = await api(alice).patch(`${PATH}/${scope.id}`, {
      first_vlan: 150,
      last_vlan: 160,
      supernet: `${start}.0.0/21`,
    });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([
      {
        field: "first_vlan",
        message: `The network Low (VLAN 110, ${start}.0.0/24) would be outside`,
      },
      {
        field: "last_vlan",
        message: `The network High (VLAN 190, ${start}.9.0/24) would be outside`,
      },
      {
        field: "supernet",
        message: `The network High (VLAN 190, ${start}.9.0/24) would be outside`,
      },
    ]);
    const domain = await aDomain({ name: "new.example.org" });
    const changed = await api(alice).patch(`${PATH}/${scope.id}`, {
      name: "Offices",
      first_vlan: 110,
      last_vlan: 190,
      supernet: `${start}.0.0/20`,
      domain: domain.name,
      description: null,
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      name: "Offices",
      first_vlan: 110,
      supernet: `${start}.0.0/20`,
      domain: "new.example.org",
    });
    expect((await api(alice).patch(`${PATH}/${scope.id}`, {})).status).toBe(422);
    expect((await api(alice).patch(`${PATH}/${scope.id}`, { first_vlan: 191 })).status).toBe(422);
    const unknown = await api(alice).patch(`${PATH}/${scope.id}`, { domain: "no.example" });
    expect(unknown.body.detail).toBe("domain: 'no.example' is not a valid domain");
  });

  test("are not deleted while they have networks", async () => {
    const scope = await aScope();
    const network = await aNetwork({ scope: scope.name });
    const { status, body } = await api(alice).delete(`${PATH}/${scope.id}`);
    expect(status).toBe(422);
    expect(body.detail).toBe("id: This scope is in use by 1 network");
    await api(alice).delete(`/network/networks/${network.id}`);
    expect((await api(alice).delete(`${PATH}/${scope.id}`)).status).toBe(204);
  });

  test("are changed by admins only", async () => {
    const { id } = await aScope();
    expect((await api(dave).post(PATH, {})).status).toBe(403);
    expect((await api(dave).patch(`${PATH}/${id}`, { name: "Mine" })).status).toBe(403);
    expect((await api(dave).delete(`${PATH}/${id}`)).status).toBe(403);
  });
});
