// A proxy that loses connections as networks do: each connection goes its way of a plan, later ones pass.
import { connect, createServer, type Socket } from "node:net";
import { onTeardown } from "../support/teardown.ts";

/**
 * What happens to a connection: it passes; it is closed at once; it is closed when the answer begins, so the request was
 * served; it is closed after the first event of a stream; or it is answered by the proxy itself, which is busy.
 */
type Way = "pass" | "refuse" | "cut" | "one event" | "busy";

export interface Proxy {
  origin: string;
  plan: Way[];
  /** The heads of all requests. */
  requests: string[];
}

const BUSY = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";

export async function aProxy(origin: string): Promise<Proxy> {
  const { hostname, port } = new URL(origin);
  const plan: Way[] = [];
  const requests: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const way = plan.shift() ?? "pass";
    if (way === "refuse") return client.destroy();
    const upstream = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
    client.once("data", (data) => {
      requests.push(String(data).split("\r\n\r\n")[0] ?? "");
      if (way === "busy") client.end(BUSY);
    });
    client.on("data", (data) => way !== "busy" && upstream.write(data));
    upstream.on("data", (data) => {
      if (way === "cut") return client.destroy();
      client.write(data, () => {
        if (way === "one event" && String(data).includes("event: change")) client.destroy();
      });
    });
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTeardown(async () => {
    server.close();
    for (const one of open) one.destroy();
  });
  const address = server.address() as { port: number };
  return { origin: `http://127.0.0.1:${address.port}`, plan, requests };
}
