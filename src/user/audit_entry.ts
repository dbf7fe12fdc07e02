// Describes an entry of the audit log.
import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { audit_log } from "../../db/tables/audit.ts";
import * as fields from "../store/fields.ts";
import { resource } from "../store/resource.ts";

export const auditEntry = resource({
  noun: "entry",
  plural: "entries",
  path: "/audit",
  table: audit_log,
  key: "event",
  editors: [],
  order: sql`audit_log.id desc`,
  version: () => sql`1`,
  fields: {
    at: fields.time({ label: "Time", description: fields.MOMENT }),
    timestamp: fields.derived<string>({
      label: "Exact time",
      kind: "value",
      value: sql`to_char(audit_log.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    }),
    event: fields.label({ label: "Event" }),
    username: fields.name({
      label: "User",
      nullable: true,
      description: "Who did it; of a failed login, the name as typed",
    }),
    target: fields.name({
      label: "Target",
      nullable: true,
      description: "The user, token or file that it is about",
    }),
    address: fields.text({ label: "Address", nullable: true, search: "keyword" }),
    count: fields.integer({
      label: "Count",
      description: "More than 1 if the entry counts several events of one caller",
    }),
    last_at: fields.time({
      label: "Last time",
      nullable: true,
      description: "Of the last of these events",
    }),
    request_id: fields.text({ label: "Request", nullable: true, search: "keyword" }),
    details: {
      ...fields.derived<Record<string, unknown>>({
        label: "Details",
        kind: "value",
        value: sql`audit_log.details`,
      }),
      schema: Type.Object({}, { additionalProperties: true }),
    },
  },
  search: {
    aliases: { user: ["username"] },
    sources: () => [
      {
        id: sql`audit_log.id`,
        from: sql`audit_log where true`,
        path: "details",
        kind: "text",
        value: sql`audit_log.details::text`,
      },
    ],
  },
});

export interface AuditRow {
  id: number;
  at: string;
  /** ISO 8601, with milliseconds. */
  timestamp: string;
  event: string;
  username: string | null;
  target: string | null;
  address: string | null;
  count: number;
  last_at: string | null;
  request_id: string | null;
  details: Record<string, unknown>;
}
