// A small reverse proxy that works as operating.md requires: it distributes requests among
// the instances that report that they are ready.
import type { Serving } from "./program.ts";

const GLANCE = 100;

export interface Proxy extends Pick<Serving, "fetch"> {
  add(origin: string): void;
  remove(origin: string): void;
  stop(): void;
}

export function aProxy(origins: readonly string[]): Proxy {
  const ready = new Set(origins);
  const known = new Set(origins);
  let turn = 0;

  async function look(origin: string): Promise<void> {
    const isReady = await fetch(`${origin}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady && known.has(origin)) ready.add(origin);
    else ready.delete(origin);
  }
  const watching = setInterval(() => {
    for (const origin of known) void look(origin);
  }, GLANCE);

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      turn += 1;
      const origin = [...ready][turn % ready.size];
      const { pathname, search } = new URL(request.url);
      return fetch(`${origin}${pathname}${search}`, request);
    },
    error: (error) => new Response(String(error), { status: 502 }),
  });
  return {
    fetch: (path, options) => fetch(server.url.origin + path, options),
    add: (origin) => known.add(origin),
    remove: (origin) => known.delete(origin),
    stop: () => {
      clearInterval(watching);
      server.stop(true);
    },
  };
}
