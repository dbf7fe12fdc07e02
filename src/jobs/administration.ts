// The jobs of all users, for admins.
import { sql } from "drizzle-orm";
import { jobs } from "../../db/tables/jobs.ts";
import * as audit from "../auth/audit.ts";
import { type Caller, requireAdmin } from "../auth/auth.ts";
import * as fields from "../store/fields.ts";
import * as records from "../store/records.ts";
import { type RowOf, recordQuery, resource } from "../store/resource.ts";
import { write } from "../store/write.ts";
import { announceStatus } from "./jobs.ts";

export const job = resource({
  noun: "job",
  path: "/admin/jobs",
  table: jobs,
  key: "name",
  editors: [],
  order: sql`jobs.id desc`,
  version: () => sql`1`,
  fields: {
    name: fields.text({ label: "Kind" }),
    owner: fields.byUser({ label: "Owner", key: "user_id", description: "Whose it is" }),
    status: fields.label({ label: "Status" }),
    progress: fields.integer({ label: "Progress" }),
    message: fields.text({ label: "Message", nullable: true }),
    created_at: fields.time({ label: "Created" }),
    finished_at: fields.time({ label: "Ended", nullable: true }),
  },
});

type StoredJob = RowOf<typeof job>;
export type JobRow = Omit<StoredJob, "status" | "finished_at" | "message"> & {
  status: "queued" | "started" | "finished" | "failed";
  finished_at: string | null;
  message: string | null;
};

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
