// Requests to servers that admins name: where they may go, and that they go there.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import * as config from "../../src/config.ts";
import { NoAnswer, requireReachable, requireTarget, sendTo } from "../../src/events/http_target.ts";
import { service } from "../support/mod.ts";

setDefaultTimeout(30_000);

const NAME = "hooks.example.org";
const directory = mkdtempSync(join(tmpdir(), "cadastre-target-"));
const certificate = { cert: "", key: "" };
const arrived: string[] = [];
let plain: Bun.Server<undefined>;
let secure: Bun.Server<undefined>;
let silent: Server;
const sockets = new Set<Socket>();

/** The settings of this process, as if it had started with them. */
async function withSettings(settings: Record<string, string>): Promise<void> {
  const { url } = await service();
  config.setConfig(config.readConfig({ DATABASE_URL: url, ...settings }));
}

beforeAll(async () => {
  const made = Bun.spawnSync(
    `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 2
      -subj /CN=${NAME} -addext subjectAltName=DNS:${NAME}`.split(/\s+/),
    { cwd: directory, stderr: "ignore" },
  );
  expect(made.exitCode).toBe(0);
  certificate.cert = readFileSync(join(directory, "cert.pem"), "utf8");
  certificate.key = readFileSync(join(directory, "key.pem"), "utf8");
  plain = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
  secure = Bun.serve({ port: 0, hostname: "127.0.0.1", tls: certificate, fetch: answer });
  silent = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", () => resolve()));
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  await Promise.all([plain.stop(true), secure.stop(true)]);
  rmSync(directory, { recursive: true });
});

async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  arrived.push(`${request.headers.get("host")} ${pathname} ${await request.text()}`);
  if (pathname === "/elsewhere") return Response.redirect("/here", 302);
  if (pathname === "/long") return new Response("x".repeat(100_000));
  if (pathname === "/endless") return new Response(endless());
  return new Response(`here ${request.headers.get("x-extra")}`);
}

/** A byte each 20 ms, for ever. */
function endless(): ReadableStream {
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(20);
      controller.enqueue(new Uint8Array([120]));
    },
  });
}

function post(url: string, more: object = {}) {
  return sendTo({ url, method: "POST", headers: { "x-extra": "1" }, body: "hello", ...more });
}

async function failure(url: string, more: object = {}): Promise<string> {
  const outcome = await post(url, { timeout: 3_000, ...more }).catch((error) => error);
  if (outcome instanceof NoAnswer) return outcome.message;
  throw outcome instanceof Error ? outcome : new Error(`${url} answered ${outcome.status}`);
}

const portOf = (server: Bun.Server<undefined>) => server.port ?? 0;

describe("an address that is never used", () => {
  const EVERYTHING = "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7";

  test.each([
    ["127.0.0.1", "this machine"],
    ["127.1", "this machine"],
    ["2130706433", "this machine"],
    ["0x7f000001", "this machine"],
    ["0177.0.0.1", "this machine"],
    ["127.0.0.1.", "this machine"],
    ["[::1]", "this machine"],
    ["[::ffff:127.0.0.1]", "this machine"],
    ["[::ffff:7f00:1]", "this machine"],
    ["[::127.0.0.1]", "this machine"],
    ["[64:ff9b::7f00:1]", "this machine"],
    ["[2002:7f00:1::]", "this machine"],
    ["[::ffff:0:127.0.0.1]", "this machine"],
    ["[2001:0:c000:201::80ff:fffe]", "this machine"],
    ["[2a00::5efe:127.0.0.1]", "this machine"],
    ["[2a00::200:5efe:7f00:1]", "this machine"],
    ["localhost", "this machine"],
    ["0.0.0.0", "unspecified"],
    ["0", "unspecified"],
    ["[::]", "unspecified"],
    ["169.254.169.254", "link-local"],
    ["[fe80::1]", "link-local"],
    ["[::ffff:169.254.169.254]", "link-local"],
    ["[64:ff9b::a9fe:a9fe]", "link-local"],
    ["[::ffff:0:169.254.169.254]", "link-local"],
    ["[2001:0:c000:201::5601:5601]", "link-local"],
    ["[64:ff9b:1::7f00:1]", "translator"],
    ["224.0.0.1", "multicast"],
    ["[ff02::1]", "multicast"],
    ["255.255.255.255", "reserved"],
  ])("%s is %s", async (host, why) => {
    await withSettings({ WEBHOOK_ALLOW: EVERYTHING });
    for (const scheme of ["http", "https"]) {
      expect(await failure(`${scheme}://${host}:9/`), scheme).toContain(why);
    }
  });

  test("is each address of this machine, at the time of sending, too", async () => {
    const own = Object.values(networkInterfaces())
      .flatMap((of) => of ?? [])
      .filter(({ address }) => !address.startsWith("fe80:"))
      .map(({ address }) => (address.includes(":") ? `[${address}]` : address));
    expect(own).not.toEqual([]);
    await withSettings({ WEBHOOK_ALLOW: EVERYTHING });
    for (const host of own) {
      const url = `https://${host}:${portOf(plain)}/`;
      expect(await failure(url), url).toContain("this machine");
      await expect(requireReachable(url), url).rejects.toThrow("this machine");
    }
    await withSettings({ WEBHOOK_ALLOW: `${EVERYTHING},127.0.0.0/8,::1/128` });
    for (const host of own) await requireReachable(`https://${host}:${portOf(plain)}/`);
  });

  test("is not one that only contains an address which may be used", async () => {
    await withSettings({});
    for (const host of ["[2001:0:c000:201::f7f7:f7f7]", "[::ffff:0:8.8.8.8]", "[2002:808:808::]"]) {
      await requireReachable(`https://${host}/`);
    }
  });

  test("stays so though a name has another address, too", async () => {
    await withSettings({ WEBHOOK_ALLOW: EVERYTHING });
    const resolve = async () => ["10.0.0.1", "169.254.0.1"];
    expect(await failure("https://hooks.example.org/", { resolve })).toContain("link-local");
  });

  test("is that of our database or of this service, though this machine is allowed", async () => {
    const { url } = await service();
    const port = Number(/:(\d+)\//.exec(url)?.[1]);
    await withSettings({ WEBHOOK_ALLOW: "127.0.0.0/8,::1/128", PORT: String(portOf(plain)) });
    const own = Object.values(networkInterfaces())
      .flatMap((of) => of ?? [])
      .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
    const hosts = ["127.0.0.1", "127.0.0.2", "[::ffff:127.0.0.1]", "localhost", own ?? "127.0.0.3"];
    for (const host of hosts) {
      expect(await failure(`https://${host}:${port}/`), host).toContain("the service itself");
      const here = `https://${host}:${portOf(plain)}/`;
      expect(await failure(here), host).toContain("the service itself");
    }
    await withSettings({ DATABASE_URL: "postgres://me@db.example.org/x" });
    const resolve = async () => ["10.0.0.5"];
    expect(await failure("https://db.example.org:5432/", { resolve })).toContain("its database");
    expect(await failure("https://10.0.0.5:5432/", { resolve })).toContain("its database");
  });

  test("is the public one of this service; others at the same proxy are used", async () => {
    await withSettings({ PUBLIC_URL: "https://cadastre.example.org" });
    const resolve = async () => ["203.0.113.5"];
    const check = (url: string) => requireReachable(url, "url", resolve);
    for (const host of ["cadastre.example.org", "CADASTRE.example.org", "cadastre.example.org."]) {
      await expect(check(`https://${host}/api/v1/items`), host).rejects.toThrow("service itself");
    }
    await check("https://awx.example.org/");
    await check("https://cadastre.example.org:8443/");
  });

  test("is one without TLS that WEBHOOK_ALLOW does not list", async () => {
    await withSettings({ WEBHOOK_ALLOW: "10.1.0.0/16" });
    for (const host of ["10.2.0.1", "192.168.0.1", "[fc00::1]"]) {
      expect(await failure(`http://${host}/`), host).toContain("WEBHOOK_ALLOW");
    }
    expect(await failure("http://192.0.2.1/")).toContain("https only");
  });
});

test("WEBHOOK_ALLOW is a list of private networks", () => {
  const read = (WEBHOOK_ALLOW: string) => config.readConfig({ WEBHOOK_ALLOW }).webhookAllow.length;
  expect([read(""), read("10.0.0.0/8, ::1/128 172.20.0.0/14")]).toEqual([0, 3]);
  for (const wrong of ["0.0.0.0/0", "8.8.8.0/24", "169.254.0.0/16", "10.0.0.1/8", "lab", "::/0"]) {
    expect(() => read(wrong), wrong).toThrow("WEBHOOK_ALLOW");
  }
});

test("a URL has a scheme of the web, a port that exists, and no password", () => {
  for (const url of ["ftp://x.example/", "x.example", "file:///etc/passwd", ""]) {
    expect(() => requireTarget(url), url).toThrow("Use a URL");
  }
  expect(() => requireTarget("https://x.example:0/")).toThrow("Use a port from 1 to 65535");
  expect(() => requireTarget("https://me:secret@x.example/")).toThrow("without a user");
  expect(() => requireTarget(`https://x.example/${"x".repeat(2_000)}`)).toThrow("characters");
});

describe("a form", () => {
  test("refuses a name whose address is never used", async () => {
    await withSettings({});
    const resolve = async () => ["169.254.0.1"];
    const refusal = requireReachable("https://hooks.example.org/", "url", resolve);
    await expect(refusal).rejects.toThrow("link-local");
  });

  test("does not wait for a name server that is down", async () => {
    await withSettings({});
    const resolve = () => new Promise<string[]>(() => {});
    await requireReachable("https://hooks.example.org/", "url", resolve);
  }, 10_000);
});

describe("a request", () => {
  const HERE = { WEBHOOK_ALLOW: "127.0.0.0/8" };

  test("goes to the address that was checked, whatever the name says later", async () => {
    await withSettings(HERE);
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      // The second answer would lead to the database.
      return [asked.filter((one) => one === NAME).length === 1 ? "127.0.0.1" : "192.0.2.1"];
    };
    arrived.length = 0;
    const { status, body } = await post(`http://${NAME}:${portOf(plain)}/in?a=1`, { resolve });
    expect([status, body]).toEqual([200, "here 1"]);
    expect(asked.filter((one) => one === NAME)).toHaveLength(1);
    expect(arrived).toEqual([`${NAME}:${portOf(plain)} /in hello`]);
  });

  test("verifies the certificate for the name of the URL, not for the address", async () => {
    await withSettings(HERE);
    const resolve = async () => ["127.0.0.1"];
    const { cert: ca } = certificate;
    const { status } = await post(`https://${NAME}:${portOf(secure)}/`, { resolve, ca });
    expect(status).toBe(200);
    const other = `https://other.example.org:${portOf(secure)}/`;
    expect(await failure(other, { resolve, ca })).toContain("another name");
    expect(await failure(`https://127.0.0.1:${portOf(secure)}/`, { ca })).toContain("another name");
    expect(await failure(`https://${NAME}:${portOf(secure)}/`, { resolve })).toContain("trusted");
  });

  test("does not follow redirects, and uses no proxy of the environment", async () => {
    await withSettings(HERE);
    arrived.length = 0;
    const before = { ...process.env };
    for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
      process.env[name] = "http://127.0.0.1:9";
    try {
      const { status, headers } = await post(`http://127.0.0.1:${portOf(plain)}/elsewhere`);
      expect([status, headers.location]).toEqual([302, "/here"]);
    } finally {
      for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY"]) {
        if (before[name] === undefined) delete process.env[name];
      }
    }
    expect(arrived).toHaveLength(1);
  });

  test("ends when the server only says that it goes on; said a few times, it is fine", async () => {
    await withSettings({ WEBHOOK_ALLOW: "127.0.0.0/8" });
    const flood = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("data", (text) => {
        const count = text.includes("GET /few") ? 3 : 1_000;
        socket.write("HTTP/1.1 100 Continue\r\n\r\n".repeat(count));
        if (count === 3) socket.write("HTTP/1.1 204 No Content\r\n\r\n");
      });
    });
    await new Promise<void>((resolve) => flood.listen(0, "127.0.0.1", () => resolve()));
    const { port } = flood.address() as AddressInfo;
    const from = (path: string) =>
      sendTo({ url: `http://127.0.0.1:${port}${path}`, method: "GET", headers: {} });
    expect((await from("/few")).status).toBe(204);
    await expect(from("/many")).rejects.toThrow("does not come to its answer");
    flood.close();
  });

  test("ends in time, and keeps the beginning of a long answer", async () => {
    await withSettings(HERE);
    const { port } = silent.address() as { port: number };
    for (const scheme of ["http", "https"]) {
      const never = await failure(`${scheme}://127.0.0.1:${port}/`, { timeout: 300 });
      expect(never, scheme).toBe("No answer within 0.3 seconds");
    }
    const resolve = () => new Promise<string[]>(() => {});
    expect(await failure("https://x.example/", { timeout: 200, resolve })).toContain("No answer");
    const long = await post(`http://127.0.0.1:${portOf(plain)}/long`);
    expect([long.status, long.body.length, long.isCut]).toEqual([200, 16_384, true]);
    const endless = await post(`http://127.0.0.1:${portOf(plain)}/endless`, { timeout: 500 });
    expect([endless.status, endless.isCut]).toEqual([200, true]);
    expect(await failure("http://127.0.0.1:1/")).toBe("The server refuses connections");
  });
});
