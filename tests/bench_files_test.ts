// The page of the benchmark of files: what it judges, and how.
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OPERATIONS, writeFiles } from "../bench/files.ts";
import { byMinute, type FilesLoaded } from "../bench/files_load.ts";
import type { Sample } from "../bench/measure.ts";

const GOOD: FilesLoaded = {
  ...{ confirmed: 10_000, kills: 20, seconds: 100, unanswered: 160, twice: 1, unexplained: 0 },
  ...{ lost: 0, halfStored: 0, problems: [], memory: memoryOf(200, 1) },
};
const BAD: FilesLoaded = {
  ...{ confirmed: 9_999, kills: 20, seconds: 100, unanswered: 160, twice: 1, unexplained: 1 },
  ...{ lost: 1, halfStored: 1, problems: ["500 broken"], memory: memoryOf(200, 3) },
};

/** Of three minutes. */
function memoryOf(start: number, growth: number) {
  return [0, 0.5, 1, 1.5, 2, 2.5].map((minute) => ({
    at: minute * 60_000,
    megabytes: start + minute * growth,
  }));
}

function samples(microseconds: number, failed = 0): Map<string, Sample[]> {
  const cost = { app: microseconds, postgres: 0, p50: 1, p99: 1, peak: 1, rate: 1, requests: 1 };
  return new Map(OPERATIONS.map(({ name }) => [name, [{ ...cost, failed }]]));
}

test("judges what is lost, what grows and what costs more", async () => {
  const directory = mkdtempSync(join(tmpdir(), "cadastre-files-"));
  const met = async (loaded: FilesLoaded, costs: Map<string, Sample[]>) => {
    const result = { loaded, without: samples(100), with: costs };
    const judged = await writeFiles(directory, { result, rounds: 1, machine: [] });
    return [...new Set(judged.map(({ isMet }) => isMet))];
  };
  expect(await met(GOOD, samples(130))).toEqual([true]);
  expect(await met(BAD, samples(131))).toEqual([false]);
  expect(await met(BAD, samples(100, 1))).toEqual([false]);
  const page = readFileSync(join(directory, "files.md"), "utf8");
  rmSync(directory, { recursive: true });
  expect(page).toContain("- 500 broken");
  expect(byMinute(GOOD.memory)).toEqual([200.25, 201.25, 202.25]);
  expect(page).toContain("| 2 | 204 |");
});
