import { describe, expect, test } from "bun:test";
import {
  aHost,
  alice,
  api,
  audrey,
  bob,
  carol,
  dave,
  fieldsOf,
  inOrder,
  namesOf,
  type Person,
  service,
} from "../support/mod.ts";

const PATH = "/network/groups";

async function aGroup(fields: object, by: Person = dave) {
  const { status, body } = await api(by).post(PATH, fields);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

describe("groups", () => {
  test("have variables, children and static hosts", async () => {
    await inOrder(["db-01", "db-02"].map((name) => () => aHost({ name })));
    await aGroup({ name: "Replicas" });
    const { status, body } = await api(dave).post(PATH, {
      name: "Databases",
      vars: { port: 5432, tags: ["a", { b: null }] },
      children: ["replicas"],
      hosts: ["DB-02", "db-01"],
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: body.id,
      name: "Databases",
      type: "static",
      query: null,
      vars: { port: 5432, tags: ["a", { b: null }] },
      children: ["Replicas"],
      hosts: ["db-01", "db-02"],
      user: "dave",
      created_at: body.created_at,
      updated_at: body.updated_at,
    });
    expect((await api(carol).get(`${PATH}/${body.id}`)).body).toEqual(body);
    const [host] = (await api(carol).get("/network/hosts?name=db-01")).body;
    expect(host.automation_groups).toEqual(["Databases"]);
  });

  test("are listed by name, and found by each of their fields", async () => {
    await inOrder(["alpha-1", "beta-1"].map((name) => () => aHost({ name })));
    await aGroup({ name: "zeta", hosts: ["alpha-1"] });
    await aGroup({ name: "Eta", type: "query", query: "*beta*" });
    await aGroup({ name: "theta", children: ["zeta", "eta"] });
    const named = async (query: string) => namesOf((await api(carol).get(PATH + query)).body);
    expect(await named("")).toEqual(["Eta", "theta", "zeta"]);
    expect(await named("?hosts=ALPHA-1")).toEqual(["zeta"]);
    expect(await named("?hosts=beta-1")).toEqual(["Eta"]);
    expect(await named("?children=ETA")).toEqual(["theta"]);
    expect(await named("?type=query")).toEqual(["Eta"]);
    expect(await named("?q=query:*bet*")).toEqual(["Eta"]);
    const [first] = (await api(carol).get(`${PATH}?name=theta&recursive=true`)).body;
    expect(first.children.map(({ name, type }: any) => [name, type])).toEqual([
      ["Eta", "query"],
      ["zeta", "static"],
    ]);
    const [eta] = (await api(carol).get(`${PATH}?name=eta&recursive=true`)).body;
    expect(eta.hosts[0]).toMatchObject({ name: "beta-1", device_type: "Physical" });
  });

  test("with a query have the hosts that it finds at the moment", async () => {
    await aHost({ name: "ioc-01" });
    const { id } = await aGroup({ name: "IOCs", type: "query", query: "*ioc*" });
    const before = await api(carol).get(`${PATH}/${id}`);
    expect(before.body.hosts).toEqual(["ioc-01"]);
    await aHost({ name: "web-01", description: "Replaces an IOC" });
    const after = await api(carol).get(`${PATH}/${id}`);
    expect(after.body.hosts).toEqual(["ioc-01", "web-01"]);
    expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
    const [host] = (await api(carol).get("/network/hosts?name=ioc-01")).body;
    expect(host.automation_groups).toEqual([]);
  });

  test("have no hosts when their query can no longer be parsed", async () => {
    await aHost({ name: "a-1" });
    const { id } = await aGroup({ name: "Old", type: "query", query: "a-*" });
    const { sql } = await service();
    await sql`update groups set query = ${"a\u0001"} where id = ${id}`;
    expect((await api(carol).get(`${PATH}/${id}`)).body.hosts).toEqual([]);
    expect((await api(carol).get(PATH)).status).toBe(200);
  });

  test("find the hosts that the list of hosts finds by the same text", async () => {
    await inOrder(["a-1", "b-1"].map((name) => () => aHost({ name, description: "100% _busy_" })));
    await aHost({ name: "c-1", description: "1000 busy" });
    for (const query of ["0% _", "busy", "A-", "nothing"]) {
      const { body } = await api(dave).post(PATH, { name: query, type: "query", query });
      const found = await api(dave).get(`/network/hosts?q=${encodeURIComponent(query)}`);
      expect([query, body.hosts]).toEqual([query, namesOf(found.body)]);
    }
  });

  test("change the fields that are sent, and keep the rest", async () => {
    await inOrder(["a-1", "b-1"].map((name) => () => aHost({ name })));
    const { id } = await aGroup({ name: "One", vars: { a: 1 }, hosts: ["a-1"] });
    const patch = async (fields: object) => {
      const { status, body } = await api(dave).patch(`${PATH}/${id}`, fields);
      expect(status).toBe(200);
      return body;
    };
    expect(await patch({ name: "Two" })).toMatchObject({
      name: "Two",
      vars: { a: 1 },
      hosts: ["a-1"],
    });
    expect(await patch({ vars: { b: 2 } })).toMatchObject({ vars: { b: 2 }, hosts: ["a-1"] });
    expect(await patch({ hosts: ["b-1"] })).toMatchObject({ name: "Two", hosts: ["b-1"] });
    expect(await patch({ type: "query", query: "a-*" })).toMatchObject({
      query: "a-*",
      hosts: ["a-1"],
    });
    expect(await patch({ query: "b-*" })).toMatchObject({ type: "query", hosts: ["b-1"] });
    expect(await patch({ type: "static" })).toMatchObject({ query: null, hosts: [] });
  });

  test("are deleted by their author or an admin, and keep hosts and children", async () => {
    await aHost({ name: "a-1" });
    const child = await aGroup({ name: "Child" });
    const mine = await aGroup({ name: "Mine", children: ["Child"], hosts: ["a-1"] });
    const hers = await aGroup({ name: "Hers" }, alice);
    expect((await api(bob).delete(`${PATH}/${mine.id}`)).status).toBe(403);
    expect((await api(dave).delete(`${PATH}/${hers.id}`)).status).toBe(403);
    expect((await api(dave).delete(`${PATH}/${mine.id}`)).status).toBe(204);
    expect((await api(alice).delete(`${PATH}/${child.id}`)).status).toBe(204);
    expect(namesOf((await api(alice).get(PATH)).body)).toEqual(["Hers"]);
    expect(namesOf((await api(alice).get("/network/hosts")).body)).toEqual(["a-1"]);
  });

  test("are created and changed by the network group only", async () => {
    const { id } = await aGroup({ name: "One" });
    for (const person of [bob, carol, audrey]) {
      expect((await api(person).post(PATH, { name: "Two" })).status, person.username).toBe(403);
      expect(
        (await api(person).post(`${PATH}/preview`, { name: "Two" })).status,
        person.username,
      ).toBe(403);
      expect(
        (await api(person).patch(`${PATH}/${id}`, { name: "Two" })).status,
        person.username,
      ).toBe(403);
    }
  });

  test("are refused with a sentence for each field", async () => {
    await aHost({ name: "a-1" });
    await aGroup({ name: "Ämter" });
    const refused = async (fields: object) => {
      const { status, body } = await api(dave).post(PATH, fields);
      return [status, fieldsOf(body)];
    };
    expect(await refused({ name: "ämter" })).toEqual([422, ["name"]]);
    expect(await refused({})).toEqual([422, ["name"]]);
    expect(await refused({ name: "x".repeat(101) })).toEqual([422, ["name"]]);
    expect(await refused({ name: "a\nb" })).toEqual([422, ["name"]]);
    expect(await refused({ name: ".." })).toEqual([422, ["name"]]);
    expect(await refused({ name: "." })).toEqual([422, ["name"]]);
    expect(await refused({ name: "a", vars: [] })).toEqual([422, ["vars"]]);
    expect(await refused({ name: "a", vars: { ansible_group_priority: "high" } })).toEqual([
      422,
      ["vars"],
    ]);
    expect(await refused({ name: "a", type: "other" })).toEqual([422, ["type"]]);
    expect(await refused({ name: "a", query: "x" })).toEqual([422, ["query"]]);
    expect(await refused({ name: "a", type: "query" })).toEqual([422, ["query"]]);
    expect(await refused({ name: "a", type: "query", query: "" })).toEqual([422, ["query"]]);
    expect(await refused({ name: "a", type: "query", query: "x", hosts: ["a-1"] })).toEqual([
      422,
      ["hosts"],
    ]);
    expect(await refused({ name: "a", hosts: ["b-1"], children: ["b"] })).toEqual([
      422,
      ["hosts", "children"],
    ]);
    expect(namesOf((await api(dave).get(PATH)).body)).toEqual(["Ämter"]);
  });

  test("with a query accept no static host", async () => {
    await aGroup({ name: "IOCs", type: "query", query: "*ioc*" });
    const { status, body } = await api(dave).post("/network/hosts", {
      name: "a-1",
      device_type: "Physical",
      automation_groups: ["iocs"],
    });
    expect([status, fieldsOf(body)]).toEqual([422, ["automation_groups"]]);
  });
});

describe("the record of a group", () => {
  test("contains who changed it, and refuses a stale If-Match", async () => {
    const { id } = await aGroup({ name: "One" });
    const { headers } = await api(dave).get(`${PATH}/${id}`);
    const given = { headers: { "if-match": headers.get("etag") ?? "" } };
    const { status, body } = await api(alice).patch(`${PATH}/${id}`, { vars: { a: 1 } }, given);
    expect([status, body.user]).toEqual([200, "alice"]);
    expect((await api(dave).patch(`${PATH}/${id}`, { name: "Two" }, given)).status).toBe(412);
    expect((await api(dave).delete(`${PATH}/${id}`, given)).status).toBe(412);
  });
});
