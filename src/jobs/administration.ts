// The jobs of all users, for admins.
import { sql } from "drizzle-orm";
import * as audit from "../auth/audit.ts";
import { type Caller, requireAdmin } from "../auth/auth.ts";
import * as records from "../store/records.ts";
import { recordQuery } from "../store/resource.ts";
import { write } from "../store/write.ts";
import { type JobRow, job } from "./job.ts";
import { announceStatus } from "./jobs.ts";

export function list(caller: Caller, params: URLSearchParams): Promise<records.ListJson<JobRow>> {
  requireAdmin(caller);
  return records.list(recordQuery(job, caller) as records.RecordQuery<JobRow>, params);
}

/** Ends a waiting or running job; its worker stops within seconds. Returns whether a job was ended. */
export async function cancel(caller: Caller, id: number): Promise<boolean> {
  requireAdmin(caller);
  const isEnded = await write(caller, async (tx) => {
    const [ended] = await tx.execute<{ name: string; owner: string }>(sql`
      update jobs set status = 'failed', lease_until = null, finished_at = now(),
        message = ${`Cancelled by ${caller.username}`}
      from users where jobs.id = ${id} and users.id = jobs.user_id and status in ('queued', 'started')
      returning jobs.name, users.username as owner`);
    if (!ended) return false;
    await audit.addWithin(tx, {
      event: "job.cancelled",
      ...audit.auditCaller(caller),
      target: ended.owner,
      details: { job: id, kind: ended.name },
    });
    return true;
  });
  announceStatus();
  return isEnded;
}
