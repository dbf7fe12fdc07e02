import { spyOn } from "bun:test";
import * as log from "../../src/monitoring/log.ts";
import { service } from "./service.ts";

/** Returns what the service logs during the work. */
export async function captureLog(work: () => Promise<unknown>): Promise<string> {
  await service();
  const write = spyOn(process.stdout, "write").mockImplementation(() => true);
  log.configure({ logLevel: "debug", logFormat: "json" });
  try {
    await work();
    // Lines are written every fifty milliseconds.
    await Bun.sleep(60);
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
