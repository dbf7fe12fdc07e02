// The soak of the benchmark: what it reports, and that it ends.
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SoakResult, STEADY_RATE, slopeOf, soak, writeSoak } from "../bench/soak.ts";
import type { TargetResult } from "../bench/targets.ts";

const SHORT = { minutes: 0.008, server: { pid: undefined } };

function siteOf({ port }: { port?: number }) {
  return {
    served: { origin: `http://127.0.0.1:${port}`, pid: process.pid },
    credentials: { admin: {}, reader: {}, browser: {} },
    operations: [{ name: "One", path: "/", as: "admin", clients: 1, plot: "items" } as const],
  };
}

test("a soak is written by minutes, with its errors, the growth of memory and what slows down", async () => {
  const directory = mkdtempSync(join(tmpdir(), "cadastre-soak-"));
  const minute = { p50: 1, p99: 5, errors: 0, service: 100, postgres: 50 };
  const full = { ...minute, requests: STEADY_RATE };
  const bad = {
    minutes: [
      { ...minute, requests: 10, service: 262 },
      { ...minute, requests: 8, errors: 1 },
    ],
    errors: ["500 /hosts"],
    slope: 3,
  };
  const good = { minutes: [full, full], errors: [], slope: 2 };
  const write = (steady: SoakResult, fullSpeed: SoakResult) =>
    writeSoak(directory, { steady, fullSpeed, machine: [["Bun", Bun.version]] });
  const met = (judged: TargetResult[]) => judged.map(({ isMet }) => isMet);
  expect(met(await write(good, bad))).toEqual([true, true, true, true, false, false, false]);
  expect(met(await write(bad, good))).toEqual([false, false, false, false, true, true, true]);
  const page = readFileSync(join(directory, "soak.md"), "utf8");
  expect(page).toContain("| 2 | 8 | 1.0 | 5 | 1 | 150 | 100 | 50 |");
  expect(page).toContain("- 500 /hosts");
  rmSync(directory, { recursive: true });
  const growing = [0, 1, 2].map((at) => ({ at: at * 60_000, megabytes: 100 + 3 * at }));
  expect(slopeOf(growing)).toBeCloseTo(3);
});

test("a soak at a steady rate waits with each request until it is its turn", async () => {
  let answered = 0;
  const server = Bun.serve({
    port: 0,
    fetch: () => {
      answered += 1;
      return new Response("{}");
    },
  });
  const { errors } = await soak(siteOf(server), { ...SHORT, rate: 3_000 });
  expect(errors).toEqual([]);
  // Half a second, in which the clients would send thousands.
  expect(answered).toBeWithin(1, 60);
  await server.stop(true);
});

test("a soak ends where a request is never answered, which counts as an error", async () => {
  const silent = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => {}) });
  const { errors } = await soak(siteOf(silent), { ...SHORT, patience: 20 });
  expect(errors[0]).toContain("timed out");
  await silent.stop(true);
}, 30_000);
