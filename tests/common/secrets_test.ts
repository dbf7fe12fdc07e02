import { describe, expect, test } from "bun:test";
import { captureLog, linesOf } from "../support/log_capture.ts";
import { alice, api, bob, PASSWORD, service, stranger, tokenOf, visit } from "../support/mod.ts";

const CANARY = "canary password of these tests";

describe("a password", () => {
  test("is in no response, whatever is wrong with it", async () => {
    const login = (body: unknown) => api(stranger).post("/user/login", body);
    const answers = [
      await login({ username: "bob", password: CANARY }),
      await login({ username: "bob", password: [CANARY] }),
      await login({ username: "bob", password: `${CANARY}\u0000` }),
      await login({ username: "bob", password: CANARY, [CANARY]: CANARY }),
      await login(`{"username": "bob", "password": "${CANARY}"`),
      await api(alice).post("/user/users", { username: "!", password: CANARY }),
      await api(alice).post("/user/users", { username: "bob", password: CANARY }),
      await api(bob).patch("/user/profile", { password: CANARY, current_password: CANARY }),
    ];
    const texts = answers.filter((_, index) => index !== 3).map(({ text }) => text);
    expect(texts.join()).not.toContain(CANARY);
    const [, ...rest] = answers[3]!.text.split('"errors"');
    expect(rest.join().split(CANARY).length - 1).toBeLessThanOrEqual(1);
  });

  test("is in no log, nor is a token or the signing key", async () => {
    const { sql } = await service();
    const [{ value: key }] = await sql`select value from settings where name = 'secret_key'`;
    let token = "";
    const log = await captureLog(async () => {
      await api(stranger).post("/user/login", { username: "bob", password: CANARY });
      const { body } = await api(stranger).post("/user/login", {
        username: "bob",
        password: PASSWORD,
      });
      await api(bob).patch("/user/profile", { password: CANARY, current_password: CANARY });
      token = (await api({ token: body.access_token }).post("/user/tokens", {})).body.token;
      await api({ token }).get("/user/profile");
      await api(stranger).get(`/user/profile?access_token=${token}`);
      await visit("/user/login", {
        method: "POST",
        body: new URLSearchParams({ username: "bob", password: CANARY }),
        headers: { "sec-fetch-site": "same-origin" },
      });
    });
    expect(linesOf(log).length).toBeGreaterThanOrEqual(6);
    for (const secret of [CANARY, PASSWORD, token, token.split("_")[2]!, key, "Bearer"]) {
      expect(log).not.toContain(secret);
    }
  });

  test("is stored as argon2id and in no other form", async () => {
    await api(alice).post("/user/users", { username: "erin", password: CANARY });
    const { sql } = await service();
    const [{ password_hash }] = await sql`select password_hash from users where username = 'erin'`;
    expect(password_hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
    const tables: Array<{ name: string }> = await sql`
      select table_name as name from information_schema.tables where table_schema = 'public'`;
    for (const { name } of tables) {
      const [{ dump }] = await sql.unsafe(
        `select coalesce(json_agg(t), '[]')::text dump from ${name} t`,
      );
      expect([name, dump.includes(CANARY)]).toEqual([name, false]);
    }
  });
});

describe("the log", () => {
  test("has one line a request: user, path and duration", async () => {
    const headers = { "x-request-id": "request-1" };
    const log = await captureLog(() => api(bob).get("/inventory/locations?name=Hall", { headers }));
    expect(linesOf(log)).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: "info",
        event: "request",
        id: "request-1",
        method: "GET",
        path: "/api/v1/inventory/locations",
        route: "/api/v1/inventory/locations",
        status: 200,
        ms: expect.any(Number),
        user: "bob",
        address: "127.0.0.1",
      },
    ]);
  });

  test("has one line a request, whatever a path contains", async () => {
    const log = await captureLog(() =>
      visit("/api/v1/inventory/a%0a%7B%22level%22%3A%22error%22%7D%1b%5B31m\u2028"),
    );
    expect(linesOf(log)).toHaveLength(1);
    expect(log).not.toContain("\u001b");
  });
});

describe("an internal error", () => {
  test("is a 500 without details, and a log line with all details", async () => {
    const { sql } = await service();
    const headers = { authorization: `Bearer ${await tokenOf(bob)}` };
    await sql`alter table locations rename to moved_away`;
    let answer: Awaited<ReturnType<typeof visit>> | undefined;
    const log = await captureLog(async () => {
      answer = await visit("/api/v1/inventory/locations", { headers });
    });
    await sql`alter table moved_away rename to locations`;
    expect(answer?.status).toBe(500);
    expect(answer?.headers.get("content-type")).toBe("application/problem+json");
    expect(answer?.body.request_id).toBe(answer?.headers.get("x-request-id"));
    expect(answer?.text).not.toMatch(/locations|relation|select|\.ts|node_modules|at /i);
    const error = linesOf(log).find(({ level }) => level === "error");
    expect(error?.error).toContain("locations");
    expect(error?.id).toBe(answer?.body.request_id);
    expect((await api(bob).get("/inventory/locations")).status).toBe(200);
  });
});
