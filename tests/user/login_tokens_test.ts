import { describe, expect, setSystemTime, test } from "bun:test";
import { decodeJwt, generateKeyPair, SignJWT } from "jose";
import * as jwt from "../../src/auth/jwt.ts";
import { concurrently, counted } from "../support/concurrently.ts";
import { alice, api, bob, carol, idOf, PASSWORD, service, stranger } from "../support/mod.ts";

async function logIn(username: string): Promise<string> {
  const { body } = await api(stranger).post("/user/login", { username, password: PASSWORD });
  return body.access_token;
}

function profileWith(token: string) {
  return api({ token }).get("/user/profile");
}

async function statusWith(token: string): Promise<number> {
  return (await profileWith(token)).status;
}

async function signingKey(): Promise<Uint8Array> {
  const { sql } = await service();
  const [{ value }] = await sql`select value from settings where name = 'secret_key'`;
  return new TextEncoder().encode(value);
}

/** A token like the given one, with other claims or another signature. */
async function forged(
  token: string,
  other: { claims?: object; alg?: string; key?: Parameters<SignJWT["sign"]>[0]; header?: object },
) {
  const claims = { ...decodeJwt(token), ...other.claims };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: other.alg ?? "HS256", typ: "JWT", ...other.header })
    .sign(other.key ?? (await signingKey()));
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The last letter of a signature has two unused bits, so four letters are equivalent. */
function variants(token: string): string[] {
  const last = DIGITS.indexOf(token.at(-1)!);
  const group = last - (last % 4);
  return [0, 1, 2, 3].map((spare) => token.slice(0, -1) + DIGITS[group + spare]);
}

describe("a login token", () => {
  test("with the service's own signature is accepted: the forger of these tests works", async () => {
    expect(await statusWith(await forged(await logIn("bob"), {}))).toBe(200);
  });

  test("without a signature is refused", async () => {
    const claims = decodeJwt(await logIn("bob"));
    for (const alg of ["none", "None", "NONE", ""]) {
      const head = `${part({ alg, typ: "JWT" })}.${part(claims)}`;
      expect([alg, await statusWith(`${head}.`)]).toEqual([alg, 401]);
      expect([alg, await statusWith(head)]).toEqual([alg, 401]);
    }
  });

  test("signed with another algorithm is refused, with the right key, too", async () => {
    const token = await logIn("bob");
    const { privateKey } = await generateKeyPair("RS256");
    expect(await statusWith(await forged(token, { alg: "HS384" }))).toBe(401);
    expect(await statusWith(await forged(token, { alg: "HS512" }))).toBe(401);
    expect(await statusWith(await forged(token, { alg: "RS256", key: privateKey }))).toBe(401);
  });

  test("signed with another key is refused", async () => {
    const key = new TextEncoder().encode("another key that is long enough for HS256");
    expect(await statusWith(await forged(await logIn("bob"), { key }))).toBe(401);
  });

  test("that contains its own key is refused", async () => {
    const key = new TextEncoder().encode("another key that is long enough for HS256");
    const jwk = { kty: "oct", k: Buffer.from(key).toString("base64url") };
    const token = await logIn("bob");
    for (const header of [{ jwk }, { jku: "http://127.0.0.1:1/keys" }, { kid: "../../dev/null" }]) {
      expect(await statusWith(await forged(token, { key, header }))).toBe(401);
    }
  });

  test("is valid for twelve hours by the clock of this instance, like its row", async () => {
    const { sql } = await service();
    // Far from the clock of the database.
    const now = Math.floor(Date.now() / 1_000) * 1_000 + 90_000;
    setSystemTime(now);
    const token = await logIn("bob").finally(() => setSystemTime());
    const { jti, iat, exp } = decodeJwt(token);
    const [row] = await sql`
      select extract(epoch from created_at)::float8 as iat, extract(epoch from expires_at)::float8 as exp
      from tokens where key = ${jti}`;
    expect({ iat, exp }).toEqual({ iat: now / 1_000, exp: now / 1_000 + 12 * 60 * 60 });
    expect(row).toEqual({ iat, exp });
  });

  test("that has expired is refused, to the second", async () => {
    const token = await logIn("bob");
    const now = Math.floor(Date.now() / 1000);
    expect(await statusWith(await forged(token, { claims: { exp: now + 30 } }))).toBe(200);
    expect(await statusWith(await forged(token, { claims: { exp: now - 1 } }))).toBe(401);
    expect(await statusWith(await forged(token, { claims: { exp: undefined } }))).toBe(401);
  });

  test("whose row in the database has expired is refused, whatever the token says", async () => {
    const token = await logIn("bob");
    const { sql } = await service();
    await sql`update tokens set expires_at = now() - interval '1 second'`;
    expect(await statusWith(await forged(token, { claims: { exp: 4_000_000_000 } }))).toBe(401);
  });

  test("with an unknown jti is refused", async () => {
    const token = await logIn("bob");
    for (const jti of [crypto.randomUUID(), undefined, ""]) {
      expect(await statusWith(await forged(token, { claims: { jti } }))).toBe(401);
    }
  });

  test("whose user was replaced is refused or stays that of the first user", async () => {
    const claims = { sub: String(await idOf(alice)) };
    const token = await forged(await logIn("carol"), { claims });
    const { status, body } = await api({ token }).get("/user/profile");
    expect(status === 401 || body.username === "carol").toBe(true);
  });

  test("with any letter changed is refused", async () => {
    const token = await logIn("bob");
    const same = variants(token);
    for (let place = 0; place < token.length; place += 3) {
      const letter = token[place] === "A" ? "B" : "A";
      const changed = token.slice(0, place) + letter + token.slice(place + 1);
      if (same.includes(changed)) continue;
      expect([place, await statusWith(changed)]).toEqual([place, 401]);
    }
  });

  test("that is cut, doubled or no token at all is refused", async () => {
    const token = await logIn("bob");
    const [head = "", claims = "", signature = ""] = token.split(".");
    const wrong = ["a.b.c", "...", `${head}.${claims}`, `${token}.${signature}`, "x".repeat(8000)];
    for (const text of [...wrong, token.slice(0, -1), head]) {
      expect([text.slice(0, 20), await statusWith(text)]).toEqual([text.slice(0, 20), 401]);
    }
  });

  test("is refused in all four spellings of its last letter after it was revoked", async () => {
    const token = await logIn("bob");
    const spellings = variants(token);
    const before = await Promise.all(spellings.map(statusWith));
    expect(before.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
    const { sql } = await service();
    const [{ id }] = await sql`select id from tokens where key = ${decodeJwt(token).jti}`;
    expect((await api(bob).delete(`/user/tokens/${id}`)).status).toBe(204);
    expect(await Promise.all(spellings.map(statusWith))).toEqual([401, 401, 401, 401]);
  });

  test("ends when its user is deactivated, for a hundred requests as for one", async () => {
    const token = await logIn("carol");
    expect(await statusWith(token)).toBe(200);
    await api(alice).delete(`/user/users/${await idOf(carol)}`);
    const answers = await concurrently(100, () => profileWith(token));
    expect(counted(answers)).toEqual({ 401: 100 });
  });

  test("ends with the signing key, and a personal token stays valid", async () => {
    const login = await logIn("bob");
    const { body } = await api(bob).post("/user/tokens", {});
    const key = new TextDecoder().decode(await signingKey());
    jwt.useKey("a new signing key, with as many bytes as it needs");
    const [withLogin, withPersonal] = [await statusWith(login), await statusWith(body.token)];
    jwt.useKey(key);
    expect([withLogin, withPersonal]).toEqual([401, 200]);
  });
});
