import { spyOn } from "bun:test";
import * as log from "../../src/monitoring/log.ts";
import { service } from "./service.ts";

/** What the service writes to its log meanwhile. */
export async function captureLog(work: () => Promise<unknown>): Promise<string> {
  await service();
  const write = spyOn(process.stdout, "write").mockImplementation(() => true);
  log.configure({ logLevel: "debug", logFormat: "json" });
  try {
    await work();
    // What comes in one turn is written as one, after it.
    await Bun.sleep(1);
    return write.mock.calls.map(([text]) => String(text)).join("");
  } finally {
    log.configure({ logLevel: "silent", logFormat: "json" });
    write.mockRestore();
  }
}

export function linesOf(log: string): Array<Record<string, unknown>> {
  return log
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
