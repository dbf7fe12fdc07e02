import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { concurrently, counted } from "../support/concurrently.ts";
import { aHost, alice, api, dave, inOrder, type Person, service } from "../support/mod.ts";

setDefaultTimeout(120_000);

const PATH = "/network/groups";

async function aGroup(fields: object, by: Person = dave) {
  const { status, body } = await api(by).post(PATH, fields);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

describe("two users who change one group at the same time", () => {
  test("leave no static host in a group with a query", async () => {
    const hosts = await inOrder(Array.from({ length: 6 }, () => () => aHost()));
    for (let round = 0; round < 8; round += 1) {
      const { id, name } = await aGroup({ name: `g${round}` });
      const join = (host: number) =>
        api(dave).patch(`/network/hosts/${host}`, { automation_groups: [name] });
      await Promise.all([
        ...hosts.map((host) => join(host.id)),
        api(dave).patch(`${PATH}/${id}`, { type: "query", query: "nothing" }),
      ]);
    }
    const { sql } = await service();
    const left = await sql`
      select from group_hosts join groups on groups.id = group_id where type = 'query'`;
    expect(left).toHaveLength(0);
  });

  test("get an error for what is deleted meanwhile, or succeed", async () => {
    for (let round = 0; round < 5; round += 1) {
      const host = await aHost({ name: `h-${round}` });
      const child = await aGroup({ name: `child${round}` });
      const { id } = await aGroup({ name: `g${round}` });
      const [answer] = await Promise.all([
        api(dave).patch(`${PATH}/${id}`, { hosts: [host.name], children: [child.name] }),
        api(alice).delete(`/network/hosts/${host.id}`),
        api(alice).delete(`${PATH}/${child.id}`),
      ]);
      expect([200, 422], `round ${round}`).toContain(answer.status);
    }
  });
});

describe("groups within groups", () => {
  test("never contain themselves, however deep", async () => {
    await aGroup({ name: "g0" });
    for (let n = 1; n < 6; n += 1) await aGroup({ name: `g${n}`, children: [`g${n - 1}`] });
    const { body } = await api(dave).get(`${PATH}?name=g0`);
    const patch = (children: string[]) => api(dave).patch(`${PATH}/${body[0].id}`, { children });
    expect((await patch(["G5"])).body.errors).toEqual([
      { field: "children", message: "'g5' contains this group already" },
    ]);
    expect((await patch(["g0"])).body.errors).toEqual([
      { field: "children", message: "A group does not contain itself" },
    ]);
    expect((await patch([])).status).toBe(200);
  });

  test("form no circle when two requests close it at the same time", async () => {
    for (let round = 0; round < 5; round += 1) {
      const pair = await inOrder(
        ["a", "b"].map((letter) => () => aGroup({ name: `${letter}${round}` })),
      );
      const answers = await concurrently(2, (n) =>
        api(dave).patch(`${PATH}/${pair[n].id}`, { children: [pair[1 - n].name] }),
      );
      expect(counted(answers), `round ${round}`).toEqual({ 200: 1, 422: 1 });
    }
  });
});
