// The soak of the benchmark: what it reports, and that it ends.
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { slopeOf, soak, writeSoak } from "../bench/soak.ts";

test("a soak is written by minutes, with its errors, the growth of memory and what slows down", async () => {
  const directory = mkdtempSync(join(tmpdir(), "cadastre-soak-"));
  const minute = { requests: 10, p50: 1, p99: 5, errors: 0, memory: 150, postgres: 50 };
  const result = {
    minutes: [minute, { ...minute, requests: 8, errors: 1 }],
    errors: ["500 /hosts"],
    slope: 3,
  };
  const judged = await writeSoak(directory, { result, machine: [["Bun", Bun.version]] });
  expect(judged.map(({ isMet }) => isMet)).toEqual([false, false, false]);
  const page = readFileSync(join(directory, "soak.md"), "utf8");
  expect(page).toContain("| 2 | 8 | 1.0 | 5 | 1 | 150 | 100 | 50 |");
  expect(page).toContain("- 500 /hosts");
  rmSync(directory, { recursive: true });
  const growing = [0, 1, 2].map((at) => ({ at: at * 60_000, megabytes: 100 + 3 * at }));
  expect(slopeOf(growing)).toBeCloseTo(3);
});

test("a soak ends where a request is never answered, which counts as an error", async () => {
  const silent = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => {}) });
  const site = {
    served: { origin: `http://127.0.0.1:${silent.port}`, pid: process.pid },
    credentials: { admin: {}, reader: {}, browser: {} },
    operations: [{ name: "One", path: "/", as: "admin", clients: 1, plot: "items" } as const],
  };
  const options = { minutes: 0.002, server: { pid: undefined }, patience: 20 };
  const { errors } = await soak(site, options);
  expect(errors[0]).toContain("timed out");
  await silent.stop(true);
}, 30_000);
