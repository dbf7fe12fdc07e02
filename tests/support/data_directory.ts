// Data directories for tests of the embedded database: copying a cluster takes a tenth of the time of initdb.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as embedded from "../../db/embedded/mod.ts";
import { onTeardown } from "./teardown.ts";

let clusterPromise: Promise<string> | undefined;

/** A new data directory with an empty cluster that is not running. */
export async function aDataDirectory(): Promise<string> {
  clusterPromise ??= initCluster();
  const directory = mkdtempSync(join(tmpdir(), "cadastre-data-"));
  const { status, stderr } = spawnSync("cp", [
    "-a",
    join(await clusterPromise, "postgres"),
    directory,
  ]);
  if (status !== 0) throw new Error(`The cluster was not copied: ${stderr}`);
  return directory;
}

async function initCluster(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "cadastre-made-"));
  const database = await embedded.start(directory, () => {});
  await database.stop();
  while (existsSync(join(directory, "postgres", "postmaster.pid"))) await Bun.sleep(5);
  onTeardown(async () => rmSync(directory, { recursive: true }));
  return directory;
}
