// Failed logins delay the client that caused them, and nobody else.
import { afterEach, describe, expect, spyOn, test } from "bun:test";
import type { Server } from "bun";
import { api, bob, idOf, PASSWORD, serve, service, stranger } from "../support/mod.ts";

const WRONG = "not the password at all";
/** A time limit for a missing response. */
const PATIENCE = 60_000;

let proxied: Server<undefined> | undefined;

afterEach(async () => {
  await proxied?.stop(true);
  proxied = undefined;
});

/** A login through a trusted proxy for a client at this address. */
async function logInFrom(address: string, username: string, password: string) {
  proxied ??= await serve({ TRUST_PROXY: "on" });
  const given = { headers: { "x-forwarded-for": address } };
  return api(stranger, proxied.url.origin).post("/user/login", { username, password }, given);
}

async function failFrom(address: string, count = 10): Promise<number[]> {
  const statuses: number[] = [];
  for (let number = 0; number < count; number += 1) {
    statuses.push((await logInFrom(address, `guess${number}`, WRONG)).status);
  }
  return statuses;
}

/** Inserts recent failures for a name, each from another address. */
async function manyFailedFor(username: string, count = 20): Promise<void> {
  const { sql } = await service();
  await sql`
    insert into login_failures (username, address)
    select ${username}, '198.51.100.' || number from generate_series(1, ${count}::int) number`;
}

describe("logins from elsewhere", () => {
  test(
    "succeed while forty connections from five addresses try wrong passwords",
    async () => {
      const compared = spyOn(Bun.password, "verify");
      let goesOn = true;
      const crowd = Array.from({ length: 40 }, async (_, number) => {
        // On a busy machine one that waits for half a minute is not answered any more.
        while (goesOn) await logInFrom(`192.0.2.${number % 5}`, "bob", WRONG).catch(() => {});
      });
      const statuses: number[] = [];
      for (let number = 0; number < 15; number += 1) {
        statuses.push((await logInFrom(`203.0.113.${number}`, "bob", PASSWORD)).status);
      }
      goesOn = false;
      await Promise.all(crowd);
      const hashes = compared.mock.calls.length;
      compared.mockRestore();
      expect(statuses).toEqual(Array(15).fill(200));
      expect(hashes).toBeLessThanOrEqual(5 * 10 + 15);
    },
    PATIENCE,
  );

  test("are not delayed by failures for the same name from elsewhere, where the user logged in before", async () => {
    expect((await logInFrom("203.0.113.7", "bob", PASSWORD)).status).toBe(200);
    await manyFailedFor("bob");
    for (const name of ["bob", "BOB"]) {
      const slowed = await logInFrom("203.0.113.8", name, PASSWORD);
      expect(slowed.status, name).toBe(429);
      expect(Number(slowed.headers.get("retry-after")), name).toBeWithin(1, 65);
    }
    expect((await logInFrom("203.0.113.7", "bob", WRONG)).status).toBe(401);
    expect((await logInFrom("203.0.113.7", "bob", PASSWORD)).status).toBe(200);
  });

  test("do not reset the failures of others", async () => {
    await failFrom("192.0.2.1", 9);
    await logInFrom("192.0.2.1", "bob", WRONG);
    expect((await logInFrom("203.0.113.7", "bob", PASSWORD)).status).toBe(200);
    expect((await logInFrom("192.0.2.1", "bob", PASSWORD)).status).toBe(429);
  });
});

describe("a name with failed logins from many addresses", () => {
  test("is delayed alike whether a user has it or not, and no password is compared", async () => {
    await manyFailedFor("bob");
    await manyFailedFor("nobody");
    const compared = spyOn(Bun.password, "verify");
    const answers = [
      await logInFrom("203.0.113.8", "bob", WRONG),
      await logInFrom("203.0.113.8", "nobody", WRONG),
    ];
    expect(compared).not.toHaveBeenCalled();
    compared.mockRestore();
    // Except for the request id and the remaining time.
    const differing = /[0-9a-f-]{36}|again in [\w ]+/g;
    const bodies = answers.map(({ status, text }) => [status, text.replace(differing, "")]);
    expect(bodies[0]?.[0]).toBe(429);
    expect(bodies[1]).toEqual(bodies[0]);
  });

  test("is free again after the delay", async () => {
    await manyFailedFor("bob");
    const { sql } = await service();
    await sql`update login_failures set at = at - interval '65 seconds'`;
    expect((await logInFrom("203.0.113.8", "bob", PASSWORD)).status).toBe(200);
  });
});

describe("addresses that count as one", () => {
  test("are those of an IPv6 /64, and no others", async () => {
    for (let number = 0; number < 10; number += 1) {
      await logInFrom(`2001:db8:0:1::${number}`, `guess${number}`, WRONG);
    }
    const same = await logInFrom("2001:0db8::1:ffff:0:0:1", "bob", PASSWORD);
    expect(same.status).toBe(429);
    expect((await logInFrom("2001:db8:0:2::1", "bob", PASSWORD)).status).toBe(200);
  });

  test("are an IPv4 address in all its notations", async () => {
    await failFrom("::ffff:192.0.2.1", 5);
    await failFrom("192.0.2.1:4711", 5);
    expect((await logInFrom("192.0.2.1", "bob", PASSWORD)).status).toBe(429);
    expect((await logInFrom("::ffff:192.0.2.2", "bob", PASSWORD)).status).toBe(200);
  });
});

describe("the audit log", () => {
  async function entries() {
    const { sql } = await service();
    const rows = await sql`
      select event, user_id, username, address, request_id, details from audit_log
      where event = 'login.failed' order by id`;
    return [...rows];
  }

  test("has each failed login with the name as typed", async () => {
    const typed = ["Bob", "nobody", `${"ü".repeat(99)}😀${"x".repeat(60)}`];
    for (const name of typed) await logInFrom("192.0.2.1", name, WRONG);
    await logInFrom("192.0.2.1", "bob", PASSWORD);
    const found = await entries();
    expect(found.map(({ username }) => username)).toEqual(["Bob", "nobody", `${"ü".repeat(99)}😀`]);
    expect(found[0]).toEqual({
      event: "login.failed",
      user_id: null,
      username: "Bob",
      address: "192.0.2.1",
      request_id: expect.any(String),
      details: { failures: 1 },
    });
    expect(JSON.stringify(found)).not.toContain(WRONG);
  });

  test("does not grow by what is refused before a password is compared", async () => {
    await failFrom("192.0.2.1", 15);
    await manyFailedFor("bob");
    await logInFrom("203.0.113.8", "bob", WRONG);
    const found = await entries();
    expect(found).toHaveLength(10);
    expect(found.at(-1)?.details).toEqual({ failures: 10 });
  });

  test("names the user who gave a wrong current password", async () => {
    const change = { password: "an even better password", current_password: WRONG };
    expect((await api(bob).patch("/user/profile", change)).status).toBe(422);
    const [entry] = await entries();
    expect(entry).toMatchObject({
      event: "login.failed",
      user_id: await idOf(bob),
      username: "bob",
      address: "127.0.0.1",
      details: { failures: 1 },
    });
  });
});
