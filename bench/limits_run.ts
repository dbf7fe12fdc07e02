// Measures everything that has a limit in the same run, or that must not grow with the data.
import { type BenchServer, copyOf, type Size, type TemplateOptions } from "./data.ts";
import { type InventoryCost, inventoryCost, measureInventory } from "./limits_feeds.ts";
import { type FileRow, fileRows, measureFile } from "./limits_files.ts";
import { measureReads, noReads, type ReadLimits } from "./limits_scale.ts";
import { measureWriteLimits, noWrites, type WriteLimits } from "./limits_writes.ts";
import { type MemoryResult, measureMemory } from "./memory.ts";
import type { Attempts } from "./missing.ts";
import { build } from "./test_bed.ts";

export interface Limits {
  reads: ReadLimits;
  writes: WriteLimits;
  files: FileRow[];
  inventory: InventoryCost;
  /** Undefined if PostgreSQL runs on another machine, or if it could not be measured. */
  memory: MemoryResult | undefined;
}

export interface LimitOptions extends TemplateOptions {
  rounds: number;
  attempt: Attempts["attempt"];
  /** The data for files, feeds, memory and writes. */
  size: Size;
  /** The numbers of hosts for reads, from the fewest to the most. */
  hosts: number[];
}

type WholeData = Pick<Limits, "files" | "inventory" | "memory">;

export async function measureLimits(server: BenchServer, options: LimitOptions): Promise<Limits> {
  const { size, hosts, attempt, ...making } = options;
  const whole: WholeData = { files: fileRows(), inventory: inventoryCost(), memory: undefined };
  await attempt("Files, feeds and memory", () => measureWholeData(server, whole, options));
  // The data of this size exists already, even if `--fresh` was given.
  const used = { ...making, fresh: false };
  const writes = await attempt("The limits of writing", () =>
    measureWriteLimits(server, size, used),
  );
  const reads = await attempt("Reads of many hosts", () => measureReads(server, hosts, making));
  return { ...whole, writes: writes ?? noWrites(), reads: reads ?? noReads() };
}

/** Memory first, when nothing else uses PostgreSQL. */
async function measureWholeData(
  server: BenchServer,
  found: WholeData,
  { size, rounds, attempt, report }: LimitOptions,
): Promise<void> {
  const testBed = await build(server, {
    sizes: [{ ...size, label: "whole" }],
    copy: (one) => copyOf(server, one, { fresh: false, report }),
  });
  const { largest } = testBed;
  const postmaster = server.pid;
  try {
    if (postmaster !== undefined) {
      report("Memory at rest, after a minute of load, and after logins");
      found.memory = await attempt("Memory", () => measureMemory(largest, { postmaster }));
    }
    for (let round = 1; round <= rounds; round += 1) {
      report(`Files and feeds: round ${round} of ${rounds}`);
      for (const file of found.files) {
        await attempt(file.operation.name, () => measureFile(file, largest, postmaster));
      }
      await attempt("Ansible inventory", () =>
        measureInventory(found.inventory, largest, postmaster),
      );
    }
  } finally {
    await testBed.close();
  }
}
