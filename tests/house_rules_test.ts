// Rules for all routes, including future ones.
import { describe, expect, test } from "bun:test";
import { app } from "../src/app.ts";
import { browser } from "./support/browser.ts";
import { alice, api, cast, reference, stranger, tokenOf, visit } from "./support/mod.ts";

interface Route {
  method: string;
  path: string;
  takesBody: boolean;
}

const API = "/api/v1";
/** The routes that are open without authentication. */
const OPEN = [
  "GET /api/docs",
  "GET /api/v1/openapi.json",
  "GET /health",
  "GET /health/live",
  "GET /health/ready",
  "GET /manifest.webmanifest",
  "GET /metrics",
  "GET /notices/feeds/:secret/:file",
  "GET /notices/unsubscribe/:link",
  "GET /static/*",
  "GET /user/login",
  "GET /user/login/second-step",
  "GET /user/login/with/:key",
  "GET /user/login/with/:key/callback",
  "GET /user/login/with/:key/logout",
  "GET /user/logout",
  "POST /api/v1/user/login",
  "POST /notices/unsubscribe/:link",
  "POST /user/login",
  "POST /user/login/passkey",
  "POST /user/login/passkey/options",
  "POST /user/login/second-step",
  "POST /user/login/second-step/options",
  "POST /user/logout",
];
/** Routes that take rows. */
const ROWS = /^POST \/api\/.*\/import$/;
const NOBODYS_ID = "2147483647";

const routes: Route[] = app.routes.map(({ method, path, hooks }) => ({
  method,
  path: path.replace(/(.)\/$/, "$1"),
  takesBody: hooks.body !== undefined,
}));
const guarded = routes.filter((route) => !OPEN.includes(nameOf(route)));
const ofApi = routes.filter(({ path }) => path.startsWith(`${API}/`) && !path.endsWith(".json"));

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** The path of a route with values for its parameters. */
function pathOf({ path }: Route): string {
  return path
    .replace(/:kind/, "location")
    .replace(/:[^/]+/g, NOBODYS_ID)
    .replace("*", "app.css");
}

function send(route: Route, options: RequestInit = {}, query = "") {
  return visit(pathOf(route) + query, { ...options, method: route.method });
}

function typeOf(route: Route): Record<string, string> {
  return { "content-type": ROWS.test(nameOf(route)) ? "application/x-ndjson" : "application/json" };
}

async function asAlice(): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await tokenOf(alice)}` };
}

describe("every route", () => {
  test("authenticates first, unless it is declared open", async () => {
    for (const route of guarded) {
      const answer = await send(route);
      const toLogin = answer.headers.get("location")?.startsWith("/user/login");
      const refused = answer.status === 401 || (answer.status === 303 && toLogin);
      expect([nameOf(route), refused]).toEqual([nameOf(route), true]);
      expect(answer.headers.get("etag"), nameOf(route)).toBe(null);
    }
  });

  test("reads no body of an unauthenticated request", async () => {
    const headers = { "content-type": "application/json" };
    for (const route of guarded.filter(({ method }) => method !== "GET")) {
      const { status } = await send(route, { headers, body: "{" });
      expect([nameOf(route), [303, 401].includes(status)]).toEqual([nameOf(route), true]);
    }
  });

  test("that is declared open exists, and is open", async () => {
    const names = routes.map(nameOf);
    expect(OPEN.filter((name) => !names.includes(name))).toEqual([]);
    for (const route of routes.filter((one) => OPEN.includes(nameOf(one)))) {
      expect([nameOf(route), (await send(route)).status]).not.toEqual([nameOf(route), 401]);
    }
  });

  test("sets its headers for every caller", async () => {
    for (const route of routes) {
      for (const headers of [{}, await asAlice()]) {
        const answer = await send(route, { headers });
        const actual = {
          guess: answer.headers.get("x-content-type-options"),
          frame: answer.headers.get("x-frame-options"),
          refer: answer.headers.get("referrer-policy"),
          policy: answer.headers.get("content-security-policy")?.includes("frame-ancestors 'none'"),
          id: answer.headers.has("x-request-id"),
          cached: answer.headers.get("cache-control") !== null,
        };
        expect([nameOf(route), actual]).toEqual([
          nameOf(route),
          {
            guess: "nosniff",
            frame: "DENY",
            refer: "same-origin",
            policy: true,
            id: true,
            cached: true,
          },
        ]);
      }
    }
  });

  test("answers no request with 5xx", async () => {
    for (const route of routes) {
      for (const query of ["", "?page=0", "?__proto__=1", "?q=%00", "?%ff=%ff"]) {
        const { status } = await send(route, { headers: await asAlice() }, query);
        expect([nameOf(route), query, status < 500]).toEqual([nameOf(route), query, true]);
      }
    }
  });

  test("returns 404 for a name that no record can have", async () => {
    const { cookie } = await browser(alice);
    const headers = { ...(await asAlice()), cookie, accept: "application/json" };
    // A block of addresses is not a name.
    const named = routes.filter(
      ({ method, path }) => method === "GET" && /^(?!.*retrieve_ips).*:/.test(path),
    );
    const found: unknown[] = [];
    for (const route of named) {
      for (const name of [
        "%00",
        "a%07",
        "%ff",
        "2147483648",
        "9".repeat(40),
        "0",
        "-1",
        "__proto__",
      ]) {
        const path = route.path.replace(/:[^/]+/g, name);
        const { status } = await visit(path, { headers });
        if (status !== 404) found.push([path, status]);
      }
    }
    expect(found).toEqual([]);
  });

  test("refuses other methods", async () => {
    const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];
    const paths = new Set(routes.map(({ path }) => path).filter((path) => !path.includes("*")));
    for (const path of paths) {
      const known = routes.filter((route) => route.path === path).map(({ method }) => method);
      const taken = routes
        .filter((route) => samePlaces(route.path, path))
        .map(({ method }) => method);
      for (const method of methods.filter((one) => !taken.includes(one))) {
        const answer = await send({ method, path, takesBody: false }, { headers: await asAlice() });
        expect([method, path, answer.status]).toEqual([method, path, 405]);
        for (const one of known)
          expect(answer.headers.get("allow"), `${method} ${path}`).toContain(one);
      }
    }
  });
});

describe("every route of the API", () => {
  test("refuses an unknown parameter", async () => {
    for (const route of ofApi) {
      const headers = { ...(await asAlice()), ...typeOf(route) };
      const body = route.method === "GET" ? undefined : "{}";
      const { status, body: actual } = await send(route, { headers, body }, "?not_known=1");
      expect([nameOf(route), status]).toEqual([nameOf(route), 422]);
      expect(
        actual.errors.map(({ field }: { field: string }) => field),
        nameOf(route),
      ).toEqual(["not_known"]);
    }
  });

  test("accepts the parameters of the reference, and refuses invalid values by its description", async () => {
    const { paths } = await reference();
    for (const route of ofApi) {
      const path = route.path.replace(/:([^/]+)/g, "{$1}");
      const { parameters = [] } = paths[path]?.[route.method.toLowerCase()] ?? {};
      const named = parameters.filter((one) => one.in === "query" && one.name !== "lookups");
      const headers = { ...(await asAlice()), ...typeOf(route) };
      const body = route.method === "GET" ? undefined : "{}";
      for (let at = 0; at < named.length; at += 50) {
        const some = named.slice(at, at + 50);
        // No parameter accepts a NUL character, and none that is a text may be given twice.
        const query = some.map(({ name }) => `${name}=%00&${name}=%00`).join("&");
        const { status, body: actual } = await send(route, { headers, body }, `?${query}`);
        expect([nameOf(route), status]).toEqual([nameOf(route), 422]);
        const refused: Record<string, string> = Object.fromEntries(
          actual.errors.map(({ field, message }: Record<string, string>) => [field, message]),
        );
        const words = some.map(({ name, schema: { items, description } = {} }) => [
          name,
          items?.description ?? description ?? refused[name],
        ]);
        expect([nameOf(route), refused]).toEqual([nameOf(route), Object.fromEntries(words)]);
      }
    }
  });

  test("refuses an unknown field", async () => {
    for (const route of ofApi.filter(({ takesBody }) => takesBody)) {
      // Any bytes are a file: its form is tried in files_test.ts.
      if (route.method === "POST" && route.path.endsWith("/files")) continue;
      const headers = { ...(await asAlice()), ...typeOf(route) };
      const body = JSON.stringify({ not_known: 1 });
      const { status, body: actual } = await send(route, { headers, body });
      expect([nameOf(route), status]).toEqual([nameOf(route), 422]);
      const fields = actual.errors.map(({ field }: { field: string }) => field);
      expect([nameOf(route), fields.includes("not_known")]).toEqual([nameOf(route), true]);
    }
  });

  test("that writes takes a body of a declared shape, or none", async () => {
    const shapeless = ofApi.filter(
      ({ method, takesBody }) => ["POST", "PATCH", "PUT"].includes(method) && !takesBody,
    );
    expect(shapeless.map(nameOf)).toEqual([]);
  });

  test("is in the reference, with a summary, a tag and only existing fields", async () => {
    const { paths, openapi } = await reference();
    expect(openapi).toStartWith("3.1");
    const actual = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { summary, tags }]) => ({
        route: `${method.toUpperCase()} ${path}`,
        summary: (summary ?? "").length > 3,
        tags: tags?.length === 1,
      })),
    );
    const expected = ofApi.map((route) => ({
      route: nameOf(route).replace(/:([^/]+)/g, "{$1}"),
      summary: true,
      tags: true,
    }));
    const byRoute = (one: { route: string }, other: { route: string }) =>
      one.route.localeCompare(other.route);
    expect(actual.toSorted(byRoute)).toEqual(expected.toSorted(byRoute));
  });

  test("accepts no field that the reference does not name", async () => {
    const { paths } = await reference();
    const bodies = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { requestBody }]) => {
        const { schema } = requestBody?.content?.["application/json"] ?? {};
        return schema ? [{ route: `${method} ${path}`, closed: isClosed(schema) }] : [];
      }),
    );
    expect(bodies.length).toBeGreaterThan(10);
    expect(bodies.filter(({ closed }) => !closed)).toEqual([]);
  });

  test("accepts an Idempotency-Key where it creates a record, unless that is secret", async () => {
    const { paths } = await reference();
    const once = Object.entries(paths).filter(
      ([, { post }]) => post && !post.parameters.some(({ name }) => name === "Idempotency-Key"),
    );
    expect(once.map(([path]) => path).toSorted()).toEqual([
      `${API}/network/hosts/search`,
      `${API}/user/login`,
      `${API}/user/service_accounts/{id}/tokens`,
      `${API}/user/service_accounts/{id}/tokens/{token_id}/rotate`,
      `${API}/user/tokens`,
      `${API}/user/tokens/{id}/rotate`,
    ]);
  });

  test("refuses a reader before it reads an id or a body", async () => {
    const own = [
      "/user/profile",
      "/user/tokens",
      "/user/watches",
      "/user/login",
      "/network/hosts/search",
    ];
    const writes = ofApi.filter(
      ({ method, path }) => method !== "GET" && !own.some((one) => path.startsWith(API + one)),
    );
    for (const route of writes) {
      for (const person of cast.filter(({ groups }) => groups.length === 0)) {
        const body = route.takesBody ? "{" : undefined;
        const { status } = await api(person).send(route.method, pathOf(route).slice(API.length), {
          body,
        });
        expect([nameOf(route), status]).toEqual([nameOf(route), 403]);
      }
    }
  });

  test("does not accept a session cookie as a token", async () => {
    for (const route of ofApi.filter((one) => guarded.includes(one))) {
      const cookie = `session=${"a".repeat(43)}`;
      const path = pathOf(route).slice(API.length);
      const { status } = await api(stranger).send(route.method, path, { headers: { cookie } });
      expect([nameOf(route), status]).toEqual([nameOf(route), 401]);
    }
  });
});

function isClosed(schema: object): boolean {
  return "additionalProperties" in schema && schema.additionalProperties === false;
}

/** Whether a request for the one path could be one for the other. */
function samePlaces(one: string, other: string): boolean {
  const [ones, others] = [one.split("/"), other.split("/")];
  return (
    ones.length === others.length &&
    ones.every((part, at) => part === others[at] || part[0] === ":" || others[at]?.[0] === ":")
  );
}
