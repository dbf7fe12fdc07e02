import { describe, expect, test } from "bun:test";
import {
  alice,
  api,
  aUser,
  audrey,
  bob,
  fieldsOf,
  idOf,
  PASSWORD,
  stranger,
} from "../support/mod.ts";

describe("somebody remains an admin", () => {
  test("the last one can neither be demoted nor deactivated", async () => {
    const path = `/user/users/${await idOf(alice)}`;
    const demoted = await api(alice).patch(path, { groups: ["auditor"] });
    expect(demoted.status).toBe(422);
    expect(fieldsOf(demoted.body)).toEqual(["groups"]);
    expect((await api(alice).delete(path)).status).toBe(422);
    expect((await api(alice).get("/user/profile")).body.groups).toEqual(["admin"]);
  });

  test("one of two may go", async () => {
    await api(alice).patch(`/user/users/${await idOf(bob)}`, { groups: ["admin"] });
    const { status } = await api(alice).patch(`/user/users/${await idOf(alice)}`, { groups: [] });
    expect(status).toBe(200);
    expect((await api(alice).patch(`/user/users/${await idOf(bob)}`, { groups: [] })).status).toBe(
      403,
    );
  });

  test("two who demote each other at the same moment leave one", async () => {
    for (let round = 0; round < 5; round += 1) {
      const one = await aUser({ groups: ["admin"] });
      const two = await aUser({ groups: ["admin"] });
      const tokens = await Promise.all([logInAs(one.username), logInAs(two.username)]);
      await demote(alice, await idOf(alice));
      await Promise.all([
        demote({ token: tokens[0]! }, two.id),
        demote({ token: tokens[1]! }, one.id),
      ]);
      const { body } = await api(audrey).get("/user/users?groups=admin");
      expect(body).toHaveLength(1);
      const last = body[0].id === one.id ? tokens[0]! : tokens[1]!;
      const promoted = await api({ token: last }).patch(`/user/users/${await idOf(alice)}`, {
        groups: ["admin"],
      });
      expect(promoted.status).toBe(200);
      await demote(alice, body[0].id);
    }
  });
});

async function logInAs(username: string): Promise<string> {
  const { body } = await api(stranger).post("/user/login", { username, password: PASSWORD });
  return body.access_token;
}

function demote(who: Parameters<typeof api>[0], id: number) {
  return api(who).patch(`/user/users/${id}`, { groups: [] });
}
