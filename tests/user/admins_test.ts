import { describe, expect, test } from "bun:test";
import type { Answer } from "../support/api.ts";
import {
  alice,
  api,
  aUser,
  audrey,
  bob,
  fieldsOf,
  idOf,
  PASSWORD,
  service,
  stranger,
} from "../support/mod.ts";

describe("there is always an admin", () => {
  test("the last one can neither be demoted nor deactivated", async () => {
    const path = `/user/users/${await idOf(alice)}`;
    const demoted = await api(alice).patch(path, { groups: ["auditor"] });
    expect(demoted.status).toBe(422);
    expect(fieldsOf(demoted.body)).toEqual(["groups"]);
    expect((await api(alice).delete(path)).status).toBe(422);
    expect((await api(alice).get("/user/profile")).body.groups).toEqual(["admin"]);
  });

  test("one of two can be demoted", async () => {
    await api(alice).patch(`/user/users/${await idOf(bob)}`, { groups: ["admin"] });
    const { status } = await api(alice).patch(`/user/users/${await idOf(alice)}`, { groups: [] });
    expect(status).toBe(200);
    expect((await api(alice).patch(`/user/users/${await idOf(bob)}`, { groups: [] })).status).toBe(
      403,
    );
  });

  test.each([
    ["demote", "PATCH", { groups: [], password: "another good long password" }, 200],
    ["deactivate", "DELETE", undefined, 204],
  ])("two who %s each other at the same moment leave one", async (_, method, body, done) => {
    const pair = [await aUser({ groups: ["admin"] }), await aUser({ groups: ["admin"] })];
    const tokens = [await logInAs(pair[0].username), await logInAs(pair[1].username)];
    await api(alice).patch(`/user/users/${await idOf(alice)}`, { groups: [] });
    const ask = (by: number, of: number) =>
      api({ token: tokens[by]! }).send(method, `/user/users/${pair[of].id}`, { body });
    const answers = await bothUnderWay(() => [ask(0, 1), ask(1, 0)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([done, 422]);
    expect((await api(audrey).get("/user/users?groups=admin")).body).toHaveLength(1);
  });
});

/** Both transactions run concurrently: each waits for a lock before it can commit. */
async function bothUnderWay(ask: () => [Promise<Answer>, Promise<Answer>]): Promise<Answer[]> {
  const { sql } = await service();
  const asked = await sql.begin(async (tx) => {
    await tx`lock table sessions in share mode`;
    const both = ask();
    for (let waiting = 0, tries = 0; waiting < 2 && tries < 400; tries += 1) {
      await Bun.sleep(5);
      [{ waiting }] = await sql`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
    }
    return { both };
  });
  return Promise.all(asked.both);
}

async function logInAs(username: string): Promise<string> {
  const { body } = await api(stranger).post("/user/login", { username, password: PASSWORD });
  return body.access_token;
}
