// The names of the headers that we send.

import { expect, test } from "bun:test";
import { connect } from "node:net";
import { aLocation, alice, bob, service, tokenOf } from "../support/mod.ts";

/** Bun writes these itself, in lower case. */
const OF_BUN = ["set-cookie", "content-type"];

function headersOf(port: number, request: string[]): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  const socket = connect(port, "127.0.0.1", () => {
    socket.write(`${[...request, "Host: localhost", "Connection: close"].join("\r\n")}\r\n\r\n`);
  });
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  socket.on("error", reject);
  socket.on("end", () => {
    const [head = ""] = text.split("\r\n\r\n");
    const [, ...lines] = head.split("\r\n");
    resolve(lines.map((line) => line.split(":")[0] ?? ""));
  });
  return promise;
}

test("headers are written in one case", async () => {
  await aLocation();
  const port = Number(new URL((await service()).origin).port);
  const by = async (person: typeof alice) => `Authorization: Bearer ${await tokenOf(person)}`;
  const requests = [
    ["GET /api/v1/inventory/locations HTTP/1.1", await by(bob)],
    ["GET /api/v1/audit HTTP/1.1", await by(alice), "Accept: application/x-ndjson"],
    ["GET /api/v1/inventory/locations HTTP/1.1"],
    ["DELETE /api/v1/inventory/locations/1 HTTP/1.1", await by(alice)],
    ["GET /user/login HTTP/1.1"],
    ["GET /inventory/items HTTP/1.1"],
    ["GET /user/logout HTTP/1.1"],
    ["GET /static/app.css HTTP/1.1"],
    ["GET /nowhere HTTP/1.1"],
  ];
  const names = (await Promise.all(requests.map((one) => headersOf(port, one)))).flat();
  expect(names.length).toBeGreaterThan(40);
  const wrong = new Set(names.filter((name) => !OF_BUN.includes(name) && !/^[A-Z]/.test(name)));
  expect([...wrong]).toEqual([]);
});
