import { describe, expect, setSystemTime, spyOn, test } from "bun:test";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { concurrently } from "../support/concurrently.ts";
import {
  alice,
  api,
  aUser,
  bob,
  carol,
  fieldsOf,
  idOf,
  PASSWORD,
  serve,
  stranger,
} from "../support/mod.ts";

const WRONG = "not the password at all";

function logIn(username: string, password: string, given: object = {}) {
  return api(stranger).post("/user/login", { username, password }, given);
}

async function failures(username: string, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let number = 0; number < count; number += 1) {
    statuses.push((await logIn(username, WRONG)).status);
  }
  return statuses;
}

describe("POST /user/login", () => {
  test("a correct pair returns a token that is valid for the API", async () => {
    const { status, body } = await logIn("bob", PASSWORD);
    expect(status).toBe(200);
    const profile = await api({ token: body.access_token }).get("/user/profile");
    expect(profile.status).toBe(200);
    expect(profile.body.username).toBe("bob");
  });

  test("the token is a JWT of its user that is valid for twelve hours", async () => {
    const now = new Date();
    setSystemTime(now);
    const { body } = await logIn("bob", PASSWORD);
    setSystemTime();
    expect(decodeProtectedHeader(body.access_token).alg).toBe("HS256");
    const { sub, jti, iat, exp } = decodeJwt(body.access_token);
    expect(sub).toBe(String(await idOf(bob)));
    expect(jti).toBeString();
    expect(iat).toBe(Math.floor(now.getTime() / 1_000));
    expect(exp).toBe(iat! + 43_200);
  });

  test("a username is accepted in any case and with surrounding blanks", async () => {
    const { status } = await logIn("  BOB ", PASSWORD);
    expect(status).toBe(200);
  });

  test("a wrong password is refused with the standard message", async () => {
    const { status, body, headers } = await logIn("bob", WRONG);
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toBe("Bearer");
    const message = "Invalid credentials";
    expect(body).toMatchObject({ status: 401, message, detail: message, msg: message });
  });

  test("a wrong password, an unknown and a deactivated user get the same response", async () => {
    await api(alice).delete(`/user/users/${await idOf(carol)}`);
    const answers = [
      await logIn("bob", WRONG),
      await logIn("nobody", WRONG),
      await logIn("carol", PASSWORD),
    ];
    const bodies = answers.map(({ status, body }) => ({ ...body, status, request_id: "" }));
    expect(bodies[0]?.status).toBe(401);
    expect(bodies[1]).toEqual(bodies[0]);
    expect(bodies[2]).toEqual(bodies[0]);
  });

  test("an unknown user costs as much computation as a known one", async () => {
    const verify = spyOn(Bun.password, "verify");
    await logIn("bob", WRONG);
    await logIn("nobody", WRONG);
    const parameters = verify.mock.calls.map(([, hash]) => String(hash).split("$").slice(0, 4));
    verify.mockRestore();
    expect(parameters).toHaveLength(2);
    expect(parameters[1]).toEqual(parameters[0]!);
    expect(parameters[0]).toEqual(["", "argon2id", "v=19", "m=19456,t=2,p=1"]);
  });

  test("passwords are compared whole: blanks, long ends and accents count", async () => {
    const long = "a".repeat(72);
    for (const [index, password] of [` ${long} `, `${long}b`, "åäö ÅÄÖ 12345"].entries()) {
      const username = `whole${index}`;
      await aUser({ username, password });
      expect((await logIn(username, password)).status).toBe(200);
      expect((await logIn(username, password.trim().slice(0, 72).normalize("NFD"))).status).toBe(
        401,
      );
    }
  });

  test("missing, wrong and unknown fields are named", async () => {
    const { status, body } = await api(stranger).post("/user/login", { remember: true });
    expect(status).toBe(422);
    expect(fieldsOf(body).toSorted()).toEqual(["password", "remember", "username"]);
    const wrong = await api(stranger).post("/user/login", { username: 1, password: null });
    expect(wrong.status).toBe(422);
    expect(fieldsOf(wrong.body).toSorted()).toEqual(["password", "username"]);
  });

  test.each([["{"], ["[]"], ['"bob"'], ["null"], [""]])("a body of %j is refused", async (body) => {
    const { status } = await api(stranger).post("/user/login", body);
    expect(status).toBe(422);
  });

  test("a query string is refused: no password belongs into a URL", async () => {
    const path = `/user/login?password=${encodeURIComponent(PASSWORD)}`;
    const { status } = await api(stranger).post(path, { username: "bob", password: PASSWORD });
    expect(status).toBe(422);
  });
});

describe("failed logins", () => {
  test("ten for a name are the limit, and then the correct password has to wait, too", async () => {
    expect(await failures("bob", 10)).toEqual(Array(10).fill(401));
    const { status, headers } = await logIn("bob", PASSWORD);
    expect(status).toBe(429);
    const wait = Number(headers.get("retry-after"));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(900);
  });

  test("ten from an address are the limit, for any names", async () => {
    for (let number = 0; number < 10; number += 1) await logIn(`guess${number}`, WRONG);
    const { status } = await logIn("bob", PASSWORD);
    expect(status).toBe(429);
  });

  test("unknown names are throttled like others", async () => {
    await failures("nobody", 10);
    const { status } = await logIn("nobody", WRONG);
    expect(status).toBe(429);
  });

  test("a success resets the count of a name", async () => {
    await failures("bob", 9);
    expect((await logIn("bob", PASSWORD)).status).toBe(200);
    expect((await logIn("bob", WRONG)).status).toBe(401);
    expect((await logIn("bob", PASSWORD)).status).toBe(200);
  });

  test("of thirty concurrent ones at most ten are compared", async () => {
    const answers = await concurrently(30, () => logIn("bob", WRONG));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
  });

  test("do not include correct ones, however many are concurrent", async () => {
    const answers = await concurrently(15, () => logIn("bob", PASSWORD));
    expect(answers.map(({ status }) => status)).toEqual(Array(15).fill(200));
  });

  test("many concurrent logins succeed or get a Retry-After, and nobody else waits for them", async () => {
    let waiting = 60;
    const crowd = Array.from({ length: waiting }, async () => {
      const answer = await logIn("bob", PASSWORD);
      waiting -= 1;
      return answer;
    });
    expect((await api(alice).get("/user/profile")).status).toBe(200);
    expect(waiting).toBeGreaterThan(0);
    const answers = await Promise.all(crowd);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeLessThan(60);
    for (const { status, body, headers } of refused) {
      expect(status).toBe(429);
      expect(headers.get("retry-after")).toBe("5");
      expect(body.message).toStartWith("Too many people log in at once");
    }
  });

  test("an address that the client claims is ignored", async () => {
    const claims = Array.from({ length: 10 }, (_, number) => `192.0.2.${number}`);
    for (const [number, address] of claims.entries()) {
      await logIn(`guess${number}`, WRONG, { headers: { "x-forwarded-for": address } });
    }
    const { status } = await logIn("bob", PASSWORD, {
      headers: { "x-forwarded-for": "192.0.2.99" },
    });
    expect(status).toBe(429);
  });

  test("behind a trusted proxy one address does not stop another", async () => {
    const server = await serve({ TRUST_PROXY: "on" });
    const from = (address: string, username: string, password: string) =>
      api(stranger, server.url.origin).post(
        "/user/login",
        { username, password },
        { headers: { "x-forwarded-for": address } },
      );
    for (let number = 0; number < 10; number += 1) {
      await from("192.0.2.1", `guess${number}`, WRONG);
    }
    expect((await from("192.0.2.1", "bob", PASSWORD)).status).toBe(429);
    expect((await from("192.0.2.2", "bob", PASSWORD)).status).toBe(200);
    await server.stop(true);
  });
});
