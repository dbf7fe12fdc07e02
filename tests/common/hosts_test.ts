import { afterEach, describe, expect, test } from "bun:test";
import type { Server } from "bun";
import { linksOf } from "../support/links.ts";
import { aLocation, api, bob, serve, service, stranger, tokenOf, visit } from "../support/mod.ts";

const PATH = "/inventory/locations";

const MONITORING = ["/health", "/health/live", "/health/ready", "/metrics"];

let server: Server<undefined> | undefined;

afterEach(async () => {
  await server?.stop(true);
  server = undefined;
});

/** Sends a request with a Host header to a service with these settings. */
async function ask(settings: Record<string, string>, headers: Record<string, string>, path = PATH) {
  server ??= await serve(settings);
  return api(bob, server.url.origin).get(path, { headers });
}

describe("a host name", () => {
  test.each([["x"], ["inv"], ["abc"], ["a.b"], ["localhost"], ["cadastre.example.org"], ["[::1]"]])(
    "%s reaches the same routes as any other",
    async (host) => {
      const { id } = await aLocation({ name: "Hall" });
      const found = await ask({}, { host }, `${PATH}/${id}`);
      expect(found.status).toBe(200);
      expect(found.body.name).toBe("Hall");
      expect((await ask({}, { host: `${host}:8080` }, "/inventory/nothing")).status).toBe(404);
      const listed = await ask({}, { host });
      expect(listed.status).toBe(200);
      expect(linksOf(listed.headers).first).toBe(`http://${host}/api/v1${PATH}?per_page=20&page=1`);
    },
  );

  test.each([["x"], ["inv"], ["cadastre.example.org"]])(
    "%s requires a login, and limits bodies like any other",
    async (host) => {
      server = await serve({});
      const headers = { host };
      const { origin } = server.url;
      expect((await api(stranger, origin).get(PATH, { headers })).status).toBe(401);
      expect((await api(stranger, origin).get(`${PATH}/1`, { headers })).status).toBe(401);
      const { status, body } = await api(bob, origin).post(PATH, { name: "Hall" }, { headers });
      expect(status).toBe(201);
      expect(body.name).toBe("Hall");
      expect((await api(bob, origin).send("PUT", PATH, { headers })).status).toBe(405);
    },
  );

  test.each([["a b"], ["a/b"], ["a<script>"], ['a"b'], ["a,b"], ["a@b"]])(
    "that is invalid is not served: %j",
    async (host) => {
      const { status, text } = await ask({}, { host });
      expect([400, 421]).toContain(status);
      expect(text).not.toContain("<script>");
    },
  );
});

describe("PUBLIC_URL", () => {
  const settings = { PUBLIC_URL: "https://cadastre.example.org" };
  const host = "cadastre.example.org";

  test("is used in every link, whatever the port and scheme behind a proxy", async () => {
    const { status, headers } = await ask(settings, { host });
    expect(status).toBe(200);
    const links = Object.values(linksOf(headers));
    expect(links).toHaveLength(2);
    for (const link of links) expect(link).toStartWith(`https://${host}/api/v1${PATH}?`);
  });

  test("other names get 421; its own name is accepted in any case", async () => {
    expect((await ask(settings, { host: "CADASTRE.example.org" })).status).toBe(200);
    for (const other of ["evil.example.org", `${host}.evil.org`, "x", `${host}:81`, "127.0.0.1"]) {
      const { status, headers, body } = await ask(settings, { host: other });
      expect([other, status]).toEqual([other, 421]);
      expect(headers.get("content-type"), other).toBe("application/problem+json");
      expect(body.title, other).toBe("Misdirected Request");
    }
  });

  test("421 is checked before everything else", async () => {
    server = await serve(settings);
    const headers = { host: "evil.example.org" };
    const { origin } = server.url;
    expect((await api(stranger, origin).get(PATH, { headers })).status).toBe(421);
    expect((await api(bob, origin).post(PATH, "{", { headers })).status).toBe(421);
  });

  test("health and metrics are available under any name", async () => {
    server = await serve(settings);
    for (const path of MONITORING) {
      const { status, text } = await visit(server.url.origin + path);
      expect([path, status]).toEqual([path, 200]);
      expect(text, path).not.toBe("");
    }
    for (const path of ["/metricsx", "/healthx", "/metrics/../api/docs", "/api/docs", "/"]) {
      expect((await visit(server.url.origin + path)).status, path).toBe(421);
    }
  });
});

describe("a request without a host name", () => {
  test("is answered for health and metrics, as load balancers need", async () => {
    server = await serve({ PUBLIC_URL: "https://cadastre.example.org" });
    const ask = (path: string, host: string) =>
      statusOf(server?.port ?? 0, `GET ${path} HTTP/1.${host === "" ? 0 : 1}\r\n${host}\r\n`);
    for (const host of [
      "",
      "Host:\r\nConnection: close\r\n",
      "Host: a b\r\nConnection: close\r\n",
    ]) {
      for (const path of MONITORING)
        expect([host, path, await ask(path, host)]).toEqual([host, path, 200]);
      expect([host, await ask("/api/docs", host)]).toEqual([host, 421]);
    }
  });
});

describe("X-Forwarded", () => {
  const forwarded = {
    "x-forwarded-host": "cadastre.example.org",
    "x-forwarded-proto": "https",
    "x-forwarded-for": "192.0.2.1",
  };

  test("headers are ignored unless a proxy is trusted", async () => {
    const { headers } = await ask({}, { ...forwarded, host: "inventory.local" });
    expect(linksOf(headers).first).toStartWith("http://inventory.local/");
    expect(headers.get("strict-transport-security")).toBe(null);
  });

  test("headers of a trusted proxy name the host and the scheme", async () => {
    const { headers } = await ask({ TRUST_PROXY: "on" }, forwarded);
    expect(linksOf(headers).first).toStartWith("https://cadastre.example.org/api/v1/");
    expect(headers.get("strict-transport-security")).toBe("max-age=31536000");
  });

  test("of several hops the last counts: the one that the trusted proxy added", async () => {
    const hops = { ...forwarded, "x-forwarded-host": "evil.example.org, cadastre.example.org" };
    const { headers } = await ask({ TRUST_PROXY: "on" }, hops);
    expect(linksOf(headers).first).toStartWith("https://cadastre.example.org/");
  });

  test("an invalid host is not served behind a proxy either", async () => {
    const hops = { ...forwarded, "x-forwarded-host": 'a"><script>' };
    const { status, text, headers } = await ask({ TRUST_PROXY: "on" }, hops);
    expect(status).toBe(421);
    expect(text + (headers.get("link") ?? "")).not.toContain("<script>");
  });

  test("with PUBLIC_URL the forwarded name has to match", async () => {
    const settings = { TRUST_PROXY: "on", PUBLIC_URL: "https://cadastre.example.org" };
    expect((await ask(settings, forwarded)).status).toBe(200);
    const other = { ...forwarded, "x-forwarded-host": "evil.example.org" };
    expect((await ask(settings, other)).status).toBe(421);
  });
});

describe("a request line with an absolute URL", () => {
  test("reaches the same route and the same authorization", async () => {
    const { origin } = await service();
    const { host, port } = new URL(origin);
    const ask = async (target: string, bearer = "") =>
      statusOf(
        Number(port),
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${bearer}Connection: close\r\n\r\n`,
      );
    const bearer = `Authorization: Bearer ${await tokenOf(bob)}\r\n`;
    expect(await ask(`http://${host}/api/v1${PATH}`)).toBe(401);
    expect(await ask(`http://${host}/api/v1${PATH}`, bearer)).toBe(200);
    expect(await ask(`http://x/api/v1${PATH}`)).toBe(401);
  });
});

/** The status that a raw request is answered with. */
async function statusOf(port: number, request: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let said = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (_, chunk) => {
        said += chunk.toString();
      },
      close: () => resolve(said),
    },
  });
  socket.write(request);
  return Number((await promise).split(" ")[1]);
}
