import { describe, expect, test } from "bun:test";
import {
  aHost,
  alice,
  aNetwork,
  anInterface,
  api,
  audrey,
  bob,
  carol,
  dave,
  inOrder,
  type Person,
} from "../support/mod.ts";

const PATH = "/network/groups";

async function aGroup(fields: object, by: Person = dave) {
  const { status, body } = await api(by).post(PATH, fields);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

/** On a sensitive network. */
async function aHiddenHost(name: string) {
  const { vlan_name } = await aNetwork({ sensitive: true });
  return aHost({ name, network: vlan_name });
}

describe("hidden hosts in groups", () => {
  test("are visible to admins and auditors only, also in filters and nested records", async () => {
    await aHost({ name: "open-1" });
    await aHiddenHost("canary-1");
    const put = await aGroup({ name: "Put", hosts: ["open-1", "canary-1"] }, alice);
    const found = await aGroup({ name: "Found", type: "query", query: "*-1" }, alice);
    for (const { id } of [put, found]) {
      for (const person of [alice, audrey]) {
        expect((await api(person).get(`${PATH}/${id}`)).body.hosts, person.username).toEqual([
          "canary-1",
          "open-1",
        ]);
      }
      for (const person of [bob, carol, dave]) {
        expect((await api(person).get(`${PATH}/${id}`)).body.hosts, person.username).toEqual([
          "open-1",
        ]);
      }
    }
    expect((await api(dave).get(`${PATH}?hosts=canary-1`)).body).toEqual([]);
    expect((await api(dave).get(`${PATH}?recursive=true`)).text).not.toContain("canary");
  });

  test("stay in the group when a user who does not see them sets its hosts", async () => {
    await inOrder(["open-1", "open-2"].map((name) => () => aHost({ name })));
    await aHiddenHost("canary-1");
    const { id } = await aGroup({ name: "Put", hosts: ["open-1", "canary-1"] }, alice);
    const { body } = await api(dave).patch(`${PATH}/${id}`, { hosts: ["open-2"] });
    expect(body.hosts).toEqual(["open-2"]);
    expect((await api(alice).get(`${PATH}/${id}`)).body.hosts).toEqual(["canary-1", "open-2"]);
  });

  test("are refused like an unknown name", async () => {
    await aHiddenHost("canary-1");
    const { id } = await aGroup({ name: "Put" });
    for (const [kind, send] of Object.entries({
      create: (hosts: string[]) => api(dave).post(PATH, { name: "Other", hosts }),
      change: (hosts: string[]) => api(dave).patch(`${PATH}/${id}`, { hosts }),
      preview: (hosts: string[]) => api(dave).post(`${PATH}/preview`, { id, hosts }),
    })) {
      const [hidden, absent] = await inOrder(
        ["canary-1", "nobody-1"].map((one) => () => send([one])),
      );
      expect(hidden?.status, kind).toBe(422);
      expect(hidden?.body.errors, kind).toEqual([
        { field: "hosts", message: "'canary-1' is not a valid host" },
      ]);
      expect(absent?.body.errors, kind).toEqual([
        { field: "hosts", message: "'nobody-1' is not a valid host" },
      ]);
    }
  });

  test("in an admin-only network get their groups changed by admins only", async () => {
    const { vlan_name } = await aNetwork({ admin_only: true });
    await anInterface({ host: (await aHost({ name: "core-1" })).name, network: vlan_name });
    const { id } = await aGroup({ name: "Core" });
    expect((await api(dave).patch(`${PATH}/${id}`, { hosts: ["core-1"] })).status).toBe(403);
    expect((await api(alice).patch(`${PATH}/${id}`, { hosts: ["core-1"] })).status).toBe(200);
    expect((await api(dave).patch(`${PATH}/${id}`, { hosts: [] })).status).toBe(403);
    const { status, body } = await api(dave).patch(`${PATH}/${id}`, { vars: { a: 1 } });
    expect([status, body.errors]).toEqual([
      422,
      [{ field: "vars", message: "Only admins may make this change to the group 'Core'" }],
    ]);
  });
});
