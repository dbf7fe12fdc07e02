// A job as admins see it, with its owner and its result.
import { sql } from "drizzle-orm";
import { jobs } from "../../db/tables/jobs.ts";
import * as fields from "../store/fields.ts";
import { type RowOf, resource } from "../store/resource.ts";

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
