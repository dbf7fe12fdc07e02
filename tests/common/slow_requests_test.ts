// Requests that arrive slowly, over sockets of their own.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { MOST_ARRIVING } from "../../src/input/limits.ts";
import { allChecks } from "../support/checks.ts";
import { alice, bob, PASSWORD, serve, tokenOf } from "../support/mod.ts";

setDefaultTimeout(120_000);

const LOGIN = "/api/v1/user/login";

function head(path: string, ...lines: string[]): string {
  const length = lines.some((line) => line.startsWith("Transfer")) ? [] : ["Content-Length: 900"];
  const type = path.startsWith("/api") ? "application/json" : "application/x-www-form-urlencoded";
  const all = ["Host: localhost", `Content-Type: ${type}`, ...length, ...lines];
  return `POST ${path} HTTP/1.1\r\n${all.join("\r\n")}\r\n\r\n`;
}

/** Sends the start of a request, and then something each second. */
function sending(port: number, start: string, each = "") {
  const socket: Socket = connect(port, "127.0.0.1");
  const timer = each && setInterval(() => socket.write(each), 1_000);
  const stop = () => clearInterval(timer || undefined);
  let text = "";
  const closed = Promise.withResolvers<void>();
  socket.on("connect", () => socket.write(start));
  socket.on("data", (data) => {
    text += data;
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    stop();
    closed.resolve();
  });
  return { socket, closed: closed.promise, stop, text: () => text };
}

describe("a stranger who sends a byte a second", () => {
  const STRANGERS: Array<[what: string, start: string, each: string]> = [
    ["a header", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", "a"],
    [
      "a header after an answer",
      "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
      "a",
    ],
    ["nothing", "", ""],
    ["a login", head(LOGIN), " "],
    ["a login in chunks", head(LOGIN, "Transfer-Encoding: chunked"), "1\r\n \r\n"],
    ["the form of a login", head("/user/login"), "a"],
    ["a body without a token", head("/api/v1/inventory/items"), " "],
    ["a body with a wrong token", head("/api/v1/inventory/items", "Authorization: Bearer no"), " "],
  ];

  test.skipIf(!allChecks)("is disconnected before a user who does the same", async () => {
    const server = await serve({});
    const port = Number(server.port);
    const authorization = `Authorization: Bearer ${await tokenOf(bob)}`;
    const user = sending(port, head("/api/v1/inventory/items", authorization), " ");
    let isUserGone = false;
    user.closed.then(() => {
      isUserGone = true;
    });
    await Bun.sleep(5_000);
    const steady = sending(
      port,
      head("/api/v1/inventory/items", authorization, "Transfer-Encoding: chunked"),
      `5000\r\n${" ".repeat(0x5000)}\r\n`,
    );
    const late = await Promise.all(
      STRANGERS.map(async ([what, start, each]) => {
        await sending(port, start, each).closed;
        return isUserGone ? [what] : [];
      }),
    );
    expect(late.flat()).toEqual([]);
    await user.closed;
    // One that is fast enough is answered however long it takes.
    steady.stop();
    const rest = JSON.stringify({ serial_number: "Slow" });
    steady.socket.write(`${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n`);
    while (!steady.text().includes("\r\n")) await Bun.sleep(10);
    expect(steady.text()).toStartWith("HTTP/1.1 201");
    await server.stop(true);
  });
});

test("requests from one address that have not arrived are limited, until others have ended", async () => {
  const server = await serve({ TRUST_PROXY: "on" });
  const { origin } = server.url;
  const login = (address: string) =>
    fetch(origin + LOGIN, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": address },
      body: JSON.stringify({ username: "bob", password: PASSWORD }),
    });
  const from = "X-Forwarded-For: 192.0.2.1";
  const open = Array.from({ length: MOST_ARRIVING }, () =>
    sending(Number(server.port), head(LOGIN, from)),
  );
  let refused = await login("192.0.2.1");
  for (; refused.status === 200; refused = await login("192.0.2.1")) await Bun.sleep(50);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "15"]);
  expect((await login("192.0.2.2")).status).toBe(200);
  const known = await fetch(`${origin}/api/v1/inventory/locations`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await tokenOf(alice)}`,
      "content-type": "application/json",
      "x-forwarded-for": "192.0.2.1",
    },
    body: JSON.stringify({ name: "Hall" }),
  });
  expect(known.status).toBe(201);
  for (const { socket } of open) socket.destroy();
  let later = await login("192.0.2.1");
  for (; later.status === 429; later = await login("192.0.2.1")) await Bun.sleep(50);
  expect(later.status).toBe(200);
  await server.stop(true);
});
