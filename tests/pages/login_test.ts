import { describe, expect, spyOn, test } from "bun:test";
import { browser, HTMX } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { alice, api, carol, PASSWORD, serve, stranger, visit } from "../support/mod.ts";
import { service } from "../support/service.ts";

const WRONG = "Username or password is wrong. An administrator can set a new password";

describe("GET /user/login", () => {
  test("shows a form with a label for each field", async () => {
    const { status, text } = await (await browser(stranger)).get("/user/login");
    expect(status).toBe(200);
    expect(texts(text, "h1")).toEqual(["Log in"]);
    expect(texts(text, "label")).toEqual(["Username", "Password"]);
  });

  test("redirects a user who is logged in already", async () => {
    const { status, headers } = await (await browser(alice)).get("/user/login?next=/user/profile");
    expect(status).toBe(303);
    expect(headers.get("location")).toBe("/user/profile");
  });
});

describe("POST /user/login", () => {
  test("opens a session and redirects to the requested page", async () => {
    const nobody = await browser(stranger);
    const asked = await nobody.get("/inventory/attributes/location?sort=-name");
    expect(asked.status).toBe(303);
    const login = asked.headers.get("location")!;
    const { text } = await nobody.get(login);
    const next = elements(text, "input[name=next]")[0]!.attributes.value!;
    const entered = await nobody.submit("/user/login", {
      username: "carol",
      password: PASSWORD,
      next,
    });
    expect(entered.status).toBe(303);
    expect(entered.headers.get("location")).toBe("/inventory/attributes/location?sort=-name");
    expect((await nobody.get("/inventory/attributes/location")).status).toBe(200);
  });

  test("keeps its cookie from scripts and other sites", async () => {
    const { headers } = await (await browser(stranger)).submit("/user/login", {
      username: "alice",
      password: PASSWORD,
    });
    const cookie = headers.getSetCookie().find((line) => line.startsWith("session="))!;
    expect(cookie).toMatch(
      /^session=[A-Za-z0-9_-]{43}; HttpOnly; Max-Age=43200; Path=\/; SameSite=Lax$/,
    );
  });

  test("marks its cookie Secure behind TLS", async () => {
    const door = await serve({ TRUST_PROXY: "on" });
    const { headers } = await visit(`${door.url.origin}/user/login`, {
      method: "POST",
      body: new URLSearchParams({ username: "alice", password: PASSWORD }),
      headers: { "sec-fetch-site": "same-origin", "x-forwarded-proto": "https" },
    });
    expect(headers.getSetCookie().find((line) => line.startsWith("session="))).toContain(
      "; Secure",
    );
    await door.stop(true);
  });

  test("does not accept a session that somebody else has set", async () => {
    const planted = "x".repeat(43);
    const { headers } = await (await browser(stranger)).submit(
      "/user/login",
      { username: "alice", password: PASSWORD },
      { headers: { cookie: `session=${planted}` } },
    );
    expect(headers.getSetCookie().join()).not.toContain(planted);
  });

  test("refuses a wrong pair with one message, whatever was wrong", async () => {
    const nobody = await browser(stranger);
    const wrong = await nobody.submit("/user/login", { username: "alice", password: "wrong" });
    const unknown = await nobody.submit("/user/login", { username: "nobody", password: "wrong" });
    expect(wrong.status).toBe(401);
    expect(unknown.status).toBe(401);
    expect(texts(wrong.text, "[role=alert]")[0]).toBe(WRONG);
    expect(texts(unknown.text, "[role=alert]")[0]).toBe(WRONG);
    expect(wrong.text).not.toContain('value="wrong"');
  });

  test("refuses a throttled address as the API does, before it compares a password", async () => {
    const nobody = await browser(stranger);
    const { origin } = await service();
    const wrong = (number: number) => ({ username: `guess${number}`, password: "wrong" });
    for (let number = 0; number < 10; number += 1) {
      if (number % 2 === 0) await nobody.submit("/user/login", wrong(number));
      else await api(stranger, origin).post("/user/login", wrong(number));
    }
    const compared = spyOn(Bun.password, "verify");
    const refused = await nobody.submit("/user/login", { username: "alice", password: PASSWORD });
    expect(compared).not.toHaveBeenCalled();
    compared.mockRestore();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 901);
    expect(texts(refused.text, "[role=alert]")[0]).toStartWith("Too many failed logins");
  });

  test("names the missing field, and keeps the input", async () => {
    const { status, text } = await (await browser(stranger)).submit("/user/login", {
      username: "alice",
      password: "",
    });
    expect(status).toBe(422);
    expect(texts(text, ".error")).toEqual(["Enter your password"]);
    expect(elements(text, "input[name=username]")[0]!.attributes.value).toBe("alice");
  });

  test.each([
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "https:evil.example",
    "javascript:alert(1)",
    "/%09/evil.example\t",
    "\\\\evil.example",
    "/\tevil",
    "evil",
    "",
  ])("redirects only within this site: %p", async (next) => {
    const { headers } = await (await browser(stranger)).submit("/user/login", {
      username: "alice",
      password: PASSWORD,
      next,
    });
    const location = new URL(headers.get("location")!, "http://here");
    expect(location.origin).toBe("http://here");
  });

  test("is refused from another site", async () => {
    const fields = { username: "alice", password: PASSWORD };
    const { origin } = await service();
    const nobody = await browser(stranger);
    const cases: Array<[Record<string, string>, number]> = [
      [{ "sec-fetch-site": "same-origin" }, 303],
      [{ "sec-fetch-site": "none" }, 303],
      [{ "sec-fetch-site": "same-site" }, 403],
      [{ "sec-fetch-site": "cross-site" }, 403],
      [{ "sec-fetch-site": "cross-site", origin }, 403],
    ];
    for (const [headers, expected] of cases) {
      expect((await nobody.submit("/user/login", fields, { headers })).status).toBe(expected);
    }
    const bare = (headers: Record<string, string>) =>
      visit("/user/login", { method: "POST", body: new URLSearchParams(fields), headers });
    expect((await bare({ origin })).status).toBe(303);
    expect((await bare({ origin: "https://evil.example" })).status).toBe(403);
    expect((await bare({ origin: "null" })).status).toBe(403);
  });
});

describe("GET /user/logout", () => {
  test("ends the session", async () => {
    const own = await browser(carol);
    const { cookie } = own;
    const left = await own.get("/user/logout", { headers: { "sec-fetch-site": "same-origin" } });
    expect(left.status).toBe(303);
    expect(left.headers.get("clear-site-data")).toBe('"cache", "storage"');
    expect(
      (await visit("/user/profile", { headers: { cookie, accept: "text/html" } })).status,
    ).toBe(303);
  });

  test("asks first when another site linked here", async () => {
    const own = await browser(carol);
    const asked = await own.get("/user/logout", { headers: { "sec-fetch-site": "cross-site" } });
    expect(asked.status).toBe(403);
    expect(texts(asked.text, "h1")).toEqual(["Log out?"]);
    expect((await own.get("/user/profile")).status).toBe(200);
    expect((await own.submit("/user/logout", {})).status).toBe(303);
    expect((await own.get("/user/profile")).status).toBe(303);
  });

  test("ignores a prefetch", async () => {
    const own = await browser(carol);
    const headers = { "sec-fetch-site": "same-origin", "sec-purpose": "prefetch" };
    expect((await own.get("/user/logout", { headers })).status).toBe(403);
    expect((await own.get("/user/profile")).status).toBe(200);
  });
});

describe("a page without a session", () => {
  test("redirects a navigation to the login, and returns 401 to scripts and programs", async () => {
    const nobody = await browser(stranger);
    expect((await nobody.get("/user/profile")).headers.get("location")).toBe(
      "/user/login?next=%2Fuser%2Fprofile",
    );
    const fragment = await nobody.get("/inventory/attributes/status?sort=name", { headers: HTMX });
    expect(fragment.status).toBe(401);
    expect(fragment.headers.get("hx-redirect")).toBe(
      "/user/login?next=%2Finventory%2Fattributes%2Fstatus%3Fsort%3Dname",
    );
    const json = await visit("/inventory/_retrieve_attributes/status");
    expect(json.status).toBe(401);
    expect(json.body.status).toBe(401);
    const asking = await visit("/user/profile", { headers: { accept: "application/json" } });
    expect(asking.status).toBe(401);
  });

  test.each([
    ["an object", '{"a":1}'],
    ["a broken escape", "%E0%A4%A"],
    ["a short one", "short"],
    ["two", `${"a".repeat(43)}; session=${"b".repeat(43)}`],
    ["a long one", "a".repeat(8_000)],
  ])("is returned for an invalid cookie: %s", async (_, value) => {
    const headers = { cookie: `session=${value}`, accept: "text/html" };
    expect((await visit("/user/profile", { headers })).status).toBe(303);
  });

  test("is returned for a session that has ended or never existed", async () => {
    const own = await browser(carol);
    const { sql } = await service();
    await sql`update sessions set last_seen_at = now() - interval '3 hours'`;
    await Bun.sleep(1_000);
    expect((await own.get("/user/profile")).status).toBe(303);
    const headers = { cookie: `session=${"A".repeat(43)}`, accept: "text/html" };
    expect((await visit("/user/profile", { headers })).status).toBe(303);
  });

  test("cannot use its cookie for the API", async () => {
    const own = await browser(alice);
    expect((await own.get("/api/v1/user/profile")).status).toBe(401);
  });
});
