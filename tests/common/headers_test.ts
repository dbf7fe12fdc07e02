import { describe, expect, test } from "bun:test";
import { aLocation, alice, api, bob, carol, serve, stranger, visit } from "../support/mod.ts";

const PATH = "/inventory/locations";
const ALWAYS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

describe("every response of the API", () => {
  test("has the security headers", async () => {
    const { id } = await aLocation({ name: "Hall 1" });
    const path = `${PATH}/${id}`;
    const answers = [
      await api(bob).get(PATH),
      await api(bob).get(path, { headers: { "if-none-match": "*" } }),
      await api(bob).post(PATH, { name: "Hall 2" }),
      await api(stranger).get(PATH),
      await api(carol).delete(path),
      await api(bob).get("/nothing"),
      await api(bob).send("PUT", PATH),
      await api(bob).patch(path, { name: "Hall" }, { headers: { "if-match": '"v9"' } }),
      await api(bob).post(PATH, "x".repeat(2_000_000)),
      await api(bob).post(PATH, "{}", { headers: { "content-type": "text/plain" } }),
      await api(bob).post(PATH, {}),
      await api(alice).delete(path),
    ];
    expect(answers.map(({ status }) => status)).toEqual([
      200, 304, 201, 401, 403, 404, 405, 412, 413, 415, 422, 204,
    ]);
    for (const { status, headers } of answers) {
      const found = Object.fromEntries(
        Object.keys(ALWAYS).map((name) => [name, headers.get(name)]),
      );
      expect({ status, ...found }).toEqual({ status, ...ALWAYS });
      expect(headers.get("permissions-policy"), String(status)).toContain("camera=(self)");
      expect(headers.get("cache-control")).toMatch(/^(no-store|private, no-cache)$/);
      expect([headers.get("server"), headers.get("x-powered-by")]).toEqual([null, null]);
      expect(headers.get("access-control-allow-origin"), String(status)).toBe(null);
      expect(headers.get("set-cookie"), String(status)).toBe(null);
    }
  });

  test("names its charset", async () => {
    const list = await api(bob).get(PATH);
    expect(list.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const made = await api(bob).post(PATH, { name: "Hall" });
    expect(made.headers.get("content-type")).toBe("application/json; charset=utf-8");
  });

  test("behind TLS has Strict-Transport-Security", async () => {
    const server = await serve({ PUBLIC_URL: "https://cadastre.example.org" });
    const headers = { host: "cadastre.example.org" };
    const answer = await api(bob, server.url.origin).get(PATH, { headers });
    expect(answer.headers.get("strict-transport-security")).toContain("max-age=31536000");
    const plain = await api(bob).get(PATH);
    expect(plain.headers.get("strict-transport-security")).toBe(null);
    await server.stop(true);
  });
});

describe("a request id", () => {
  test("is given to every response, and is unique", async () => {
    const one = await api(bob).get(PATH);
    const other = await api(stranger).get(PATH);
    const ids = [one, other].map(({ headers }) => headers.get("x-request-id"));
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids[0]).not.toBe(ids[1]!);
    expect(other.body.request_id).toBe(ids[1]);
  });

  test("of the client is kept", async () => {
    const headers = { "x-request-id": "proxy:0123.4567-89" };
    const { headers: found } = await api(bob).get(PATH, { headers });
    expect(found.get("x-request-id")).toBe("proxy:0123.4567-89");
  });

  test.each([
    ["short"],
    ["x".repeat(65)],
    ["with blanks in it"],
    ["<script>alert(1)"],
    ["åäöåäöåäö"],
  ])("of the client that is invalid is replaced: %j", async (given) => {
    const { headers } = await api(bob).get(PATH, { headers: { "x-request-id": given } });
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("outside of the API", () => {
  test.each([
    ["/health/live"],
    ["/health/ready"],
    ["/metrics"],
    ["/api/v1/openapi.json"],
    ["/nowhere"],
  ])("%s has the same headers", async (path) => {
    const { headers } = await visit(path);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("the service reports liveness and readiness", async () => {
    for (const path of ["/health/live", "/health/ready"]) {
      const { status, body } = await visit(path);
      expect(status, path).toBe(200);
      expect(body, path).toEqual({ status: "ok" });
    }
  });

  test("requests are counted by route, never by path", async () => {
    const { id } = await aLocation();
    await api(bob).get(`${PATH}/${id}`);
    await api(bob).get("/nothing/of/that/name");
    const { status, text, headers } = await visit("/metrics");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
    expect(text).toContain('method="GET",route="/api/v1/inventory/locations/:id",status="200"');
    expect(text).not.toContain("/nothing/of/that/name");
  });
});
