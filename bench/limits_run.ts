// Measures everything that has a limit in the same run, or that must not grow with the data.
import { type BenchServer, copyOf, type Size, type TemplateOptions } from "./data.ts";
import { type InventoryCost, inventoryCost, measureInventory } from "./limits_feeds.ts";
import { type FileRow, fileRows, measureFiles } from "./limits_files.ts";
import { measureReads, type ReadLimits } from "./limits_scale.ts";
import { measureWriteLimits, type WriteLimits } from "./limits_writes.ts";
import { type MemoryResult, measureMemory } from "./memory.ts";
import { build } from "./test_bed.ts";

export interface Limits {
  reads: ReadLimits;
  writes: WriteLimits;
  files: FileRow[];
  inventory: InventoryCost;
  /** Undefined if PostgreSQL runs on another machine. */
  memory: MemoryResult | undefined;
}

export interface LimitOptions extends TemplateOptions {
  rounds: number;
  /** The data for files, feeds, memory and writes. */
  size: Size;
  /** The numbers of hosts for reads, from the fewest to the most. */
  hosts: number[];
}

export async function measureLimits(server: BenchServer, options: LimitOptions): Promise<Limits> {
  const { size, hosts, ...making } = options;
  return {
    ...(await measureWholeData(server, options)),
    // The data of this size exists already, even if `--fresh` was given.
    writes: await measureWriteLimits(server, size, { ...making, fresh: false }),
    reads: await measureReads(server, hosts, making),
  };
}

/** Memory first, when nothing else uses PostgreSQL. */
async function measureWholeData(
  server: BenchServer,
  { size, rounds, report }: LimitOptions,
): Promise<Pick<Limits, "files" | "inventory" | "memory">> {
  const testBed = await build(server, {
    sizes: [{ ...size, label: "whole" }],
    copy: (one) => copyOf(server, one, { fresh: false, report }),
  });
  const { largest } = testBed;
  const [files, inventory] = [fileRows(), inventoryCost()];
  try {
    report("Memory at rest, after a minute of load, and after logins");
    const memory = server.pid && (await measureMemory(largest, { postmaster: server.pid }));
    for (let round = 1; round <= rounds; round += 1) {
      report(`Files and feeds: round ${round} of ${rounds}`);
      await measureFiles(files, largest, server);
      await measureInventory(inventory, largest, server.pid);
    }
    return { files, inventory, memory: memory || undefined };
  } finally {
    await testBed.close();
  }
}
