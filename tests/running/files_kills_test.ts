// Files that were confirmed survive the end of the program at any moment. `npm run bench -- --files` does the same with 10,000.
import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { CLIENTS, loadFiles } from "../../bench/files_load.ts";
import { aDataDirectory } from "../support/data_directory.ts";
import { kill, processesOf } from "./find_processes.ts";
import { MAIN } from "./program.ts";

const COUNT = 60;
const KILLS = 3;
const directory = await aDataDirectory();

afterAll(() => {
  for (const { pid } of processesOf(directory)) kill(pid);
  rmSync(directory, { recursive: true, force: true });
});

test.skipIf(process.platform !== "linux")(
  `${COUNT} files that ${CLIENTS} clients add are there, whole and at most once for each request, after ${KILLS} kills`,
  async () => {
    const report = () => {};
    const loaded = await loadFiles({ directory, count: COUNT, kills: KILLS, report, main: MAIN });
    expect(loaded).toMatchObject({ confirmed: COUNT, lost: 0, halfStored: 0, unexplained: 0 });
    expect(loaded.problems).toEqual([]);
  },
  300_000,
);
