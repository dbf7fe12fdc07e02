import { describe, expect, spyOn, test } from "bun:test";
import * as database from "../../db/client.ts";
import { forgetCallers } from "../../src/auth/auth.ts";
import { forgetDefinitions } from "../../src/store/site/definitions.ts";
import { aHost, alice, aNetwork, api, dave, fieldsOf, inOrder } from "../support/mod.ts";

const PATH = "/network/groups";
const PREVIEW = `${PATH}/preview`;

async function aGroup(fields: object) {
  const { status, body } = await api(alice).post(PATH, fields);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

function stays(name: string, changes: object[]) {
  return { name, joins: false, leaves: false, changes };
}

describe("POST /network/groups/preview", () => {
  test("returns the hosts that a new group affects, and creates none", async () => {
    await inOrder(["a-1", "b-1"].map((name) => () => aHost({ name })));
    await aHost({ name: "c-1", automation_vars: { port: 3 } });
    const { status, body } = await api(dave).post(PREVIEW, {
      name: "One",
      vars: { port: 5 },
      hosts: ["a-1", "c-1"],
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      hosts: [
        {
          name: "a-1",
          joins: true,
          leaves: false,
          changes: [{ variable: "port", old: null, now: 5 }],
        },
        { name: "c-1", joins: true, leaves: false, changes: [] },
      ],
      total: 2,
      members: 2,
    });
    expect((await api(dave).get(PATH)).body).toEqual([]);
  });

  test("returns the changes of hosts that stay, join and leave", async () => {
    await inOrder(["a-1", "b-1", "c-1", "d-1"].map((name) => () => aHost({ name })));
    await aGroup({ name: "Site", vars: { ntp: "x", port: 1 }, hosts: ["a-1", "b-1"] });
    const { id } = await aGroup({ name: "Rack", vars: { port: 2 }, hosts: ["a-1", "b-1", "d-1"] });
    const { body } = await api(dave).post(PREVIEW, {
      id,
      vars: { port: 2, ntp: "y" },
      hosts: ["a-1", "c-1", "d-1"],
    });
    expect(body).toEqual({
      hosts: [
        // At the same depth the later name wins: Site after Rack.
        { name: "b-1", joins: false, leaves: true, changes: [] },
        {
          name: "c-1",
          joins: true,
          leaves: false,
          changes: [
            { variable: "ntp", old: null, now: "y" },
            { variable: "port", old: null, now: 2 },
          ],
        },
        stays("d-1", [{ variable: "ntp", old: null, now: "y" }]),
      ],
      total: 3,
      members: 3,
    });
  });

  test("follows children, a query, a name and a priority", async () => {
    await inOrder(["a-1", "b-1"].map((name) => () => aHost({ name })));
    await aGroup({ name: "B", vars: { port: 1 }, hosts: ["a-1"] });
    const { id } = await aGroup({ name: "A", vars: { port: 2 }, hosts: ["a-1"] });
    const changes = async (fields: object, by = dave) => {
      const { body } = await api(by).post(PREVIEW, { id, ...fields });
      return body.hosts.map((host: any) => [
        host.name,
        host.joins,
        ...host.changes.map((one: any) => one.now),
      ]);
    };
    expect(await changes({ name: "C" })).toEqual([["a-1", false, 2]]);
    expect(await changes({ vars: { port: 2, ansible_group_priority: 5 } })).toEqual([
      ["a-1", false, 2],
    ]);
    expect(await changes({ type: "query", query: "b-*" })).toEqual([
      ["a-1", false],
      ["b-1", true, 2],
    ]);
    await aGroup({ name: "Child", hosts: ["b-1"] });
    expect(await changes({ children: ["Child"] })).toEqual([["b-1", true, 2]]);
    expect(await changes({ name: "all" }, alice)).toEqual([["b-1", true, 2]]);
    expect((await api(dave).get(`${PATH}/${id}`)).body).toMatchObject({ name: "A", children: [] });
  });

  test("is refused like the change itself", async () => {
    const { id } = await aGroup({ name: "One" });
    const refused = async (fields: object) => {
      const { status, body } = await api(dave).post(PREVIEW, fields);
      return [status, ...fieldsOf(body)];
    };
    expect(await refused({})).toEqual([422, "name"]);
    expect(await refused({ name: "one" })).toEqual([422, "name"]);
    expect(await refused({ id, children: ["one"] })).toEqual([422, "children"]);
    expect(await refused({ id: id + 1000, name: "Two" })).toEqual([422, "id"]);
    expect(await refused({ id, type: "query" })).toEqual([422, "query"]);
  });

  test("discloses no hidden host, not in its counts either", async () => {
    const { vlan_name } = await aNetwork({ sensitive: true });
    await inOrder(
      [{ name: "open-1" }, { name: "canary-1", network: vlan_name }].map((one) => () => aHost(one)),
    );
    const { id } = await aGroup({ name: "One", hosts: ["open-1", "canary-1"] });
    const { body, text } = await api(dave).post(PREVIEW, { id, hosts: [] });
    expect([body.total, body.members]).toEqual([1, 0]);
    expect(text).not.toContain("canary");
    const hers = await api(alice).post(PREVIEW, { id, vars: { port: 1 } });
    expect([hers.body.total, hers.body.members]).toEqual([2, 2]);
  });

  test("needs as many statements for many hosts as for one", async () => {
    const asked = spyOn(database, "rows");
    const count = async (hosts: string[]) => {
      // Callers and the definitions of fields are known for a moment only.
      forgetCallers();
      forgetDefinitions();
      asked.mockClear();
      const { status } = await api(dave).post(PREVIEW, { name: "Many", vars: { a: 1 }, hosts });
      expect(status).toBe(200);
      return asked.mock.calls.length;
    };
    const names = Array.from({ length: 30 }, (_, n) => `many-${n}`);
    await inOrder(names.map((name) => () => aHost({ name })));
    await count(["many-1"]);
    expect(await count(names)).toBe(await count(["many-1"]));
    asked.mockRestore();
  });
});
