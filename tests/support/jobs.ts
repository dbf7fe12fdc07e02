// A worker for the jobs of a test: the service of the tests has none, so that jobs wait.
import { itemExport } from "../../src/inventory/items/export.ts";
import { type JobKind, start } from "../../src/jobs/worker.ts";
import type { Answer } from "./api.ts";
import type { Browser } from "./browser.ts";
import { service } from "./service.ts";

export const JSON_ONLY = { headers: { accept: "application/json" } };

/** Runs a job worker during the work. */
export async function working<T>(
  work: () => Promise<T>,
  kinds: JobKind[] = [itemExport],
): Promise<T> {
  const worker = start(kinds);
  try {
    return await work();
  } finally {
    await worker.stop();
  }
}

/** The state of a job once it has ended. */
export function ended(browser: Browser, id: number): Promise<Answer["body"]> {
  return reached(browser, id, ["finished", "failed"]);
}

export async function reached(
  browser: Browser,
  id: number,
  statuses: string[],
): Promise<Answer["body"]> {
  for (let tries = 0; tries < 4_000; tries += 1) {
    const { body } = await browser.get(`/status/${id}`, JSON_ONLY);
    if (statuses.includes(body?.status)) return body;
    await Bun.sleep(25);
  }
  throw new Error(`Job ${id} did not get to be ${statuses.join(" or ")}`);
}

/** The file at an address. */
export async function fileAt(browser: Browser, path: string): Promise<Uint8Array> {
  const { origin } = await service();
  const answer = await fetch(origin + path, { headers: { cookie: browser.cookie } });
  if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`);
  return answer.bytes();
}
