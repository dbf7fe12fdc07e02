// Forms and logouts are accepted from programs, which name no site, and refused from other sites, which browsers name.
import { describe, expect, test } from "bun:test";
import { app } from "../../src/app.ts";
import { browser } from "../support/browser.ts";
import { alice, carol, PASSWORD, serve, service, visit } from "../support/mod.ts";

const EVIL = "https://evil.example";
const HERE = "the origin of the service";
const SITES = ["same-origin", "same-site", "cross-site", "none", undefined];
const ORIGINS = [HERE, EVIL, "null", undefined];
const REFERRERS = [`${HERE}/inventory/items`, `${EVIL}/page`, undefined];
const MATRIX = SITES.flatMap((site) =>
  ORIGINS.flatMap((origin) => REFERRERS.map((referer) => ({ site, origin, referer }))),
);

/** Mail programs send it, without a session: the link is signed. */
const UNSUBSCRIBE = "/notices/unsubscribe/:link";

const forms = app.routes
  .filter(({ method, path }) => method === "POST" && !path.startsWith("/api/"))
  .filter(({ path }) => path !== UNSUBSCRIBE)
  .map(({ path }) => path);

interface Named {
  site?: string;
  origin?: string;
  referer?: string;
}

async function headersOf({ site, origin, referer }: Named): Promise<Record<string, string>> {
  const here = (await service()).origin;
  const named = { "sec-fetch-site": site, origin, referer };
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value.replace(HERE, here)]],
    ),
  );
}

function isElsewhere({ site, origin, referer }: Named): boolean {
  return (
    site === "same-site" ||
    site === "cross-site" ||
    origin === EVIL ||
    origin === "null" ||
    (referer?.startsWith(EVIL) ?? false)
  );
}

describe("a form", () => {
  test("is refused where any of the three headers names another site, and only there", async () => {
    const { cookie } = await browser(alice);
    for (const named of MATRIX) {
      const headers = { ...(await headersOf(named)), cookie };
      const { status } = await visit("/inventory/_retrieve_items", { method: "POST", headers });
      expect([named, status]).toEqual([named, isElsewhere(named) ? 403 : 200]);
    }
  });

  test("of any route is refused from another site, and accepted from programs", async () => {
    expect(forms.length).toBeGreaterThan(40);
    const elsewhere = [
      { site: "cross-site" },
      { origin: EVIL },
      { origin: "null" },
      { referer: `${EVIL}/page` },
    ];
    const { cookie } = await browser(alice);
    for (const form of forms) {
      const path = form.replace(/:[^/]+/g, "2147483647");
      const send = async (named: Named) =>
        visit(path, { method: "POST", headers: { ...(await headersOf(named)), cookie } });
      for (const named of elsewhere) {
        expect([form, named, (await send(named)).status]).toEqual([form, named, 403]);
      }
      if (form === "/user/logout") continue;
      expect([form, (await send({})).text]).not.toEqual([
        form,
        expect.stringContaining("from another site"),
      ]);
    }
  });

  test("is accepted through a proxy that ends TLS, without TRUST_PROXY", async () => {
    const door = await serve({});
    const send = async (named: Record<string, string>) => {
      const headers = { host: "cadastre.example.org", ...named };
      const body = new URLSearchParams({ username: "alice", password: PASSWORD });
      const { status } = await visit(`${door.url.origin}/user/login`, {
        method: "POST",
        headers,
        body,
      });
      return status;
    };
    const origin = "https://cadastre.example.org";
    expect(await send({ origin, "sec-fetch-site": "same-origin" })).toBe(303);
    expect(await send({ origin })).toBe(403);
    expect(await send({ origin: EVIL, "sec-fetch-site": "same-origin" })).toBe(403);
    await door.stop(true);
  });
});

describe("a program without a browser", () => {
  test("logs in, posts a form and logs out by its cookie alone", async () => {
    const fields = { username: "alice", password: PASSWORD };
    const entered = await visit("/user/login", {
      method: "POST",
      body: new URLSearchParams(fields),
    });
    expect(entered.status).toBe(303);
    const line = entered.headers.getSetCookie().find((one) => one.startsWith("session="));
    const cookie = line?.split(";")[0] ?? "";
    const made = await visit("/inventory/attributes/location", {
      method: "POST",
      body: new URLSearchParams({ name: "Hall" }),
      headers: { cookie },
    });
    expect(made.status).toBe(303);
    const left = await visit("/user/logout", { headers: { cookie } });
    expect([left.status, left.headers.get("location")]).toEqual([303, "/user/login"]);
    expect((await visit("/user/profile", { headers: { cookie } })).status).not.toBe(200);
  });
});

describe("GET /user/logout", () => {
  test("ends the session unless another site linked there", async () => {
    const own = await browser(carol);
    for (const named of MATRIX.filter(isElsewhere)) {
      const { status } = await own.get("/user/logout", { headers: await headersOf(named) });
      expect([named, status]).toEqual([named, 403]);
    }
    for (const early of ["prefetch", "prefetch;prerender"]) {
      const headers = { "sec-purpose": early };
      expect((await own.get("/user/logout", { headers })).status, early).toBe(403);
    }
    expect((await own.get("/user/profile")).status).toBe(200);
  });
});
