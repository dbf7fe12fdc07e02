import { describe, expect, test } from "bun:test";
import {
  alice,
  api,
  aUser,
  audrey,
  bob,
  carol,
  dave,
  fieldsOf,
  idOf,
  PASSWORD,
  stranger,
} from "../support/mod.ts";

interface User {
  username: string;
  email: string | null;
  groups: string[] | null;
}

function usernames(users: User[]): string[] {
  return users.map(({ username }) => username);
}

async function logIn(username: string, password: string): Promise<number> {
  return (await api(stranger).post("/user/login", { username, password })).status;
}

describe("GET /user/users", () => {
  test("lists everyone by username", async () => {
    const { status, body, headers } = await api(carol).get("/user/users");
    expect(status).toBe(200);
    expect(usernames(body)).toEqual(["alice", "audrey", "bob", "carol", "dave"]);
    expect(headers.get("x-total-count")).toBe("5");
  });

  test("shows e-mail and groups of all users to admins and auditors", async () => {
    await aUser({ username: "erin", email: "erin@example.org", groups: ["network"] });
    for (const person of [alice, audrey]) {
      const { body } = await api(person).get("/user/users?username=erin");
      expect(body, person.username).toEqual([
        {
          id: expect.any(Number),
          username: "erin",
          display_name: null,
          email: "erin@example.org",
          groups: ["network"],
        },
      ]);
    }
  });

  test("shows everybody else only their own", async () => {
    await aUser({ username: "erin", email: "erin@example.org", groups: ["network"] });
    for (const person of [bob, carol, dave]) {
      const { body } = await api(person).get("/user/users");
      const known = (body as User[]).filter(({ groups }) => groups !== null);
      expect(usernames(known), person.username).toEqual([person.username]);
      expect(known[0]?.groups, person.username).toEqual(person.groups);
      expect(
        (body as User[]).every(({ email }) => email === null),
        person.username,
      ).toBe(true);
    }
  });

  test("filters and sorting disclose no more than the list does", async () => {
    await aUser({ username: "erin", email: "erin@example.org", groups: ["network"] });
    const found = async (query: string) =>
      usernames((await api(carol).get(`/user/users?${query}`)).body);
    expect(await found("groups=network")).toEqual([]);
    expect(await found("email=erin@example.org")).toEqual([]);
    expect(await found("email__isnull=false")).toEqual([]);
    expect(await found("email__contains=erin")).toEqual([]);
    expect(await found("q=example.org")).toEqual([]);
    expect(await found("sort=-email,username")).toEqual([...(await found("")).toSorted()]);
    expect(usernames((await api(alice).get("/user/users?groups=network")).body)).toEqual([
      "dave",
      "erin",
    ]);
  });

  test("a list without elements is null for a filter", async () => {
    const found = async (query: string, person = alice) =>
      usernames((await api(person).get(`/user/users?${query}`)).body);
    expect(await found("groups__isnull=true")).toEqual(["carol"]);
    expect(await found("groups__isnull=false")).toEqual(["alice", "audrey", "bob", "dave"]);
    expect(await found("groups__isnull=false", carol)).toEqual([]);
  });

  test("one user is the same record", async () => {
    const id = await idOf(bob);
    const { status, body } = await api(alice).get(`/user/users/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      username: "bob",
      display_name: null,
      email: null,
      groups: ["inventory"],
    });
    expect((await api(carol).get(`/user/users/${id}`)).body.groups).toBe(null);
  });
});

describe("POST /user/users", () => {
  test("creates a user who can log in", async () => {
    const { status, body } = await api(alice).post("/user/users", {
      username: "Erin",
      password: PASSWORD,
      display_name: " Erin  Example ",
      email: "erin@example.org",
      groups: ["network", "inventory"],
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      username: "erin",
      display_name: "Erin  Example",
      email: "erin@example.org",
      groups: ["network", "inventory"],
    });
    expect(await logIn("erin", PASSWORD)).toBe(200);
  });

  test("a username is unique ignoring case, also among deactivated users", async () => {
    await api(alice).delete(`/user/users/${await idOf(carol)}`);
    for (const username of ["bob", "BOB", "carol"]) {
      const { status, body } = await api(alice).post("/user/users", {
        username,
        password: PASSWORD,
      });
      expect(status, username).toBe(422);
      expect(body.errors, username).toEqual([
        { field: "username", message: "This username is taken" },
      ]);
    }
  });

  test.each([
    ["username", { username: "" }],
    ["username", { username: "two words" }],
    ["username", { username: "-erin" }],
    ["username", { username: "érin" }],
    ["username", { username: "e".repeat(65) }],
    ["username", { username: null }],
    ["password", { password: "short" }],
    ["password", { password: "elevenchars" }],
    ["password", { password: "passwordpassword" }],
    ["password", { username: "erin.example", password: "Erin.Example" }],
    ["password", { password: "x".repeat(1025) }],
    ["password", { password: "with a\u0000 zero in it" }],
    ["email", { email: "nobody" }],
    ["email", { email: "two words@example.org" }],
    ["groups", { groups: "admin" }],
    ["groups.0", { groups: ["root"] }],
    ["groups", { groups: ["admin", "admin"] }],
    ["display_name", { display_name: "" }],
    ["display_name", { display_name: "two\nlines" }],
    ["id", { id: 7 }],
    ["password_hash", { password_hash: "x" }],
    ["version", { version: 1 }],
  ])("%s is refused: %j", async (field, fields) => {
    const { status, body } = await api(alice).post("/user/users", {
      username: "erin",
      password: PASSWORD,
      ...fields,
    });
    expect(status).toBe(422);
    expect(fieldsOf(body)).toEqual([field]);
    expect((await api(alice).get("/user/users")).body).toHaveLength(5);
  });

  test.each([audrey, bob, carol, dave])("is not for $username", async (person) => {
    const { status } = await api(person).post("/user/users", { username: "erin" });
    expect(status).toBe(403);
  });
});

describe("PATCH /user/users/{id}", () => {
  test("changes the given fields and nothing else", async () => {
    const { id } = await aUser({
      username: "erin",
      email: "erin@example.org",
      groups: ["network"],
    });
    const { status, body } = await api(alice).patch(`/user/users/${id}`, { display_name: "Erin" });
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      username: "erin",
      display_name: "Erin",
      email: "erin@example.org",
      groups: ["network"],
    });
    const cleared = await api(alice).patch(`/user/users/${id}`, { email: null, groups: [] });
    expect(cleared.body).toMatchObject({ display_name: "Erin", email: null, groups: [] });
  });

  test("a group is in effect from the next request on", async () => {
    const path = `/user/users/${await idOf(bob)}`;
    const make = (name: string) => api(bob).post("/inventory/locations", { name });
    expect((await make("Hall 1")).status).toBe(201);
    await api(alice).patch(path, { groups: [] });
    expect((await make("Hall 2")).status).toBe(403);
    await api(alice).patch(path, { groups: ["inventory"] });
    expect((await make("Hall 3")).status).toBe(201);
  });

  test("a new password ends the logins and keeps the personal tokens", async () => {
    const personal = (await api(bob).post("/user/tokens", {})).body.token;
    const password = "a new and better password";
    const { status } = await api(alice).patch(`/user/users/${await idOf(bob)}`, { password });
    expect(status).toBe(200);
    expect((await api(bob).get("/user/profile")).status).toBe(401);
    expect((await api({ token: personal }).get("/user/profile")).status).toBe(200);
    expect(await logIn("bob", PASSWORD)).toBe(401);
    expect(await logIn("bob", password)).toBe(200);
    await api(alice).patch(`/user/users/${await idOf(bob)}`, { password, end_tokens: true });
    expect((await api({ token: personal }).get("/user/profile")).status).toBe(401);
  });

  test("a weak password, an empty body and read-only fields are refused", async () => {
    const path = `/user/users/${await idOf(bob)}`;
    const refused = async (fields: object) => {
      const { status, body } = await api(alice).patch(path, fields);
      expect(status).toBe(422);
      return fieldsOf(body);
    };
    expect(await refused({ password: "short" })).toEqual(["password"]);
    expect(await refused({})).toEqual(["body"]);
    expect(await refused({ username: "robert" })).toEqual(["username"]);
    expect(await refused({ groups: null })).toEqual(["groups"]);
    expect(await refused({ deactivated_at: null })).toEqual(["deactivated_at"]);
  });

  test("is allowed for admins, before any id is read", async () => {
    for (const id of [await idOf(bob), 2147483647]) {
      const { status } = await api(bob).patch(`/user/users/${id}`, { groups: ["admin"] });
      expect(status, `user ${id}`).toBe(403);
    }
  });
});

describe("DELETE /user/users/{id}", () => {
  test("deactivates: every login, session and token ends at once", async () => {
    const personal = (await api(bob).post("/user/tokens", {})).body.token;
    expect((await api({ token: personal }).get("/user/profile")).status).toBe(200);
    const { status, text } = await api(alice).delete(`/user/users/${await idOf(bob)}`);
    expect(status).toBe(204);
    expect(text).toBe("");
    expect((await api(bob).get("/user/profile")).status).toBe(401);
    expect((await api({ token: personal }).get("/user/profile")).status).toBe(401);
    expect(await logIn("bob", PASSWORD)).toBe(401);
  });

  test("the user is no longer listed, found or changed", async () => {
    const id = await idOf(bob);
    await api(alice).delete(`/user/users/${id}`);
    expect(usernames((await api(alice).get("/user/users")).body)).not.toContain("bob");
    expect((await api(alice).get(`/user/users/${id}`)).status).toBe(404);
    expect((await api(alice).patch(`/user/users/${id}`, { groups: [] })).status).toBe(404);
    expect((await api(alice).delete(`/user/users/${id}`)).status).toBe(404);
  });

  test("is allowed for admins", async () => {
    for (const person of [audrey, bob, carol, dave]) {
      expect(
        (await api(person).delete(`/user/users/${await idOf(bob)}`)).status,
        person.username,
      ).toBe(403);
    }
  });
});
