// What the Ansible inventory of all hosts costs: made anew after a change, and requested again without a change, with
// the ETag of the last answer and without one.
import { withCpuTime } from "./measure.ts";
import { UserError } from "./report.ts";
import type { Site } from "./test_bed.ts";

/** Milliseconds of CPU time, round by round. */
export interface FeedRow {
  service: number[];
  postgres: number[];
}

export interface InventoryCost {
  anew: FeedRow;
  again: FeedRow;
  /** With an ETag: 304. */
  unchanged: FeedRow;
}

const INVENTORY = "/api/v1/network/export/ansible";
const HOSTS = "/api/v1/network/hosts";
/** Inventories made anew before those that are measured, until their code is compiled. */
const WARM_UPS = 3;
/** Inventories made anew that are measured. */
const MEASURED = 2;
/** Requests in a round, because Linux counts CPU time in hundredths of a second. */
const TIMES = 10;
const UNCHANGED_TIMES = 200;

export function inventoryCost(): InventoryCost {
  const row = (): FeedRow => ({ service: [], postgres: [] });
  return { anew: row(), again: row(), unchanged: row() };
}

/** One round. */
export async function measureInventory(
  { anew, again, unchanged }: InventoryCost,
  { served, credentials }: Site,
  postmaster: number | undefined,
): Promise<void> {
  // The inventory script accepts no compressed text, which costs the service more.
  const headers = { ...credentials.admin, "accept-encoding": "identity" };
  const ask = async (etag = "") => {
    const answer = await fetch(served.origin + INVENTORY, {
      headers: etag === "" ? headers : { ...headers, "if-none-match": etag },
    });
    await answer.arrayBuffer();
    if (answer.status === (etag === "" ? 200 : 304)) return answer.headers.get("etag") ?? "";
    throw new UserError(`The inventory answers ${answer.status}`);
  };
  const [host] = (await (
    await fetch(`${served.origin}${HOSTS}?per_page=1`, { headers })
  ).json()) as Array<{ id: number; is_ioc: boolean }>;
  if (!host) throw new UserError("There is no host to change");
  let { is_ioc } = host;
  const made = { app: 0, postgres: 0 };
  for (let time = 1; time <= WARM_UPS + MEASURED; time += 1) {
    is_ioc = !is_ioc;
    const changed = await fetch(`${served.origin}${HOSTS}/${host.id}`, {
      method: "PATCH",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ is_ioc }),
    });
    if (!changed.ok) throw new UserError(`A host cannot be changed: ${await changed.text()}`);
    const { app, postgres } = await withCpuTime({ served, postmaster }, () => ask());
    if (time <= WARM_UPS) continue;
    made.app += app;
    made.postgres += postgres;
  }
  add(anew, made, MEASURED);
  const repeat = (times: number, etag?: string) =>
    withCpuTime({ served, postmaster }, async () => {
      for (let time = 0; time < times; time += 1) await ask(etag);
    });
  add(again, await repeat(TIMES), TIMES);
  add(unchanged, await repeat(UNCHANGED_TIMES, await ask()), UNCHANGED_TIMES);
}

function add(row: FeedRow, cost: { app: number; postgres: number }, times: number): void {
  row.service.push((cost.app * 1_000) / times);
  row.postgres.push((cost.postgres * 1_000) / times);
}
