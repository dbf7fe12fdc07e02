import { describe, expect, test } from "bun:test";
import {
  alice,
  api,
  bob,
  carol,
  fieldsOf,
  idOf,
  PASSWORD,
  stranger,
  tokenOf,
} from "../support/mod.ts";

const BETTER = "an even better password";

function logIn(username: string, password: string) {
  return api(stranger).post("/user/login", { username, password });
}

describe("GET /user/profile", () => {
  test("returns the caller's record", async () => {
    const { status, body } = await api(bob).get("/user/profile");
    expect(status).toBe(200);
    expect(body).toEqual({
      id: await idOf(bob),
      username: "bob",
      display_name: null,
      email: null,
      groups: ["inventory"],
    });
  });
});

describe("PATCH /user/profile", () => {
  test("changes name and e-mail, and null clears them", async () => {
    const given = { display_name: "Bob Åkerö", email: "bob@example.org" };
    const { status, body } = await api(bob).patch("/user/profile", given);
    expect(status).toBe(200);
    expect(body).toMatchObject({ username: "bob", groups: ["inventory"], ...given });
    const cleared = await api(bob).patch("/user/profile", { display_name: null, email: null });
    expect(cleared.body).toMatchObject({ display_name: null, email: null });
  });

  test("a new password requires the current one", async () => {
    const { status, body } = await api(bob).patch("/user/profile", { password: BETTER });
    expect(status).toBe(422);
    expect(fieldsOf(body)).toEqual(["current_password"]);
    const wrong = { password: BETTER, current_password: "a guess that is wrong" };
    const guessed = await api(bob).patch("/user/profile", wrong);
    expect(guessed.status).toBe(422);
    expect(fieldsOf(guessed.body)).toEqual(["current_password"]);
    expect((await logIn("bob", PASSWORD)).status).toBe(200);
  });

  test("a new password ends the other logins; this one and personal tokens stay valid", async () => {
    const other = (await logIn("bob", PASSWORD)).body.access_token;
    const personal = (await api(bob).post("/user/tokens", {})).body.token;
    const change = { password: BETTER, current_password: PASSWORD };
    const { status } = await api(bob).patch("/user/profile", change);
    expect(status).toBe(200);
    expect((await api({ token: other }).get("/user/profile")).status).toBe(401);
    expect((await api({ token: personal }).get("/user/profile")).status).toBe(200);
    expect((await api(bob).get("/user/profile")).status).toBe(200);
    expect((await logIn("bob", PASSWORD)).status).toBe(401);
    expect((await logIn("bob", BETTER)).status).toBe(200);
  });

  test("a new password ends personal tokens on request, but not the one of the request", async () => {
    const other = (await api(bob).post("/user/tokens", {})).body.token;
    const { token } = (await api(bob).post("/user/tokens", {})).body;
    const change = { password: BETTER, current_password: PASSWORD, end_tokens: true };
    expect((await api({ token }).patch("/user/profile", change)).status).toBe(200);
    expect((await api({ token: other }).get("/user/profile")).status).toBe(401);
    expect((await api(bob).get("/user/profile")).status).toBe(401);
    expect((await api({ token }).get("/user/profile")).status).toBe(200);
  });

  test("tokens are ended only together with a new password", async () => {
    for (const end_tokens of [true, false]) {
      const own = await api(bob).patch("/user/profile", { end_tokens });
      const path = `/user/users/${await idOf(bob)}`;
      const byAdmin = await api(alice).patch(path, { end_tokens });
      expect([own.status, byAdmin.status], `end_tokens: ${end_tokens}`).toEqual([422, 422]);
      expect(fieldsOf(own.body), `end_tokens: ${end_tokens}`).toEqual(["password"]);
      expect(fieldsOf(byAdmin.body), `end_tokens: ${end_tokens}`).toEqual(["password"]);
    }
  });

  test.each(["short", "bob", "passwordpassword", ""])(
    "a new password %j is refused as weak",
    async (password) => {
      const change = { password, current_password: PASSWORD };
      const { status, body } = await api(bob).patch("/user/profile", change);
      expect(status).toBe(422);
      expect(fieldsOf(body)).toEqual(["password"]);
    },
  );

  test("guessing with a stolen token is throttled", async () => {
    const token = await tokenOf(bob);
    const statuses: number[] = [];
    for (let number = 0; number < 12; number += 1) {
      const guess = { password: BETTER, current_password: `a wrong guess, number ${number}` };
      statuses.push((await api({ token }).patch("/user/profile", guess)).status);
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(422));
    expect(statuses.slice(10)).toEqual([429, 429]);
  });

  test("a user cannot extend their own rights", async () => {
    for (const field of [{ groups: ["admin"] }, { username: "alice" }, { id: 1 }]) {
      const { status, body } = await api(carol).patch("/user/profile", field);
      expect(status, JSON.stringify(field)).toBe(422);
      expect(fieldsOf(body), JSON.stringify(field)).toEqual(Object.keys(field));
    }
    expect((await api(carol).get("/user/profile")).body.groups).toEqual([]);
  });

  test("an empty body and a current password alone are refused", async () => {
    expect((await api(bob).patch("/user/profile", {})).status).toBe(422);
    const { status } = await api(bob).patch("/user/profile", { current_password: PASSWORD });
    expect(status).toBe(422);
  });
});
