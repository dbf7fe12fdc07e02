// Ports for servers that have to be told theirs, and for those that start again at the same one.
import { createServer } from "node:net";

/** Below the range (from 32768) of which the system gives one to each connection: there, another may have it by the start. */
export async function freePort(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  return (await isFree(port)) ? port : freePort();
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
