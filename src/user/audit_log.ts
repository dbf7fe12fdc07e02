// Reads the audit log: as pages, and as lines for other programs.

import { Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { onReplica } from "../../db/replica.ts";
import { type Caller, consoleCaller, permit } from "../auth/auth.ts";
import { invalid } from "../input/errors.ts";
import { MOST_AUDIT_LINES } from "../input/limits.ts";
import { query, readQuery } from "../input/query.ts";
import { batches } from "../store/export/batches.ts";
import { listQuery, UNKNOWN_PARAMETER } from "../store/list_query.ts";
import { committedUpToId } from "../store/paging.ts";
import type { Read } from "../store/read.ts";
import * as records from "../store/records.ts";
import { recordQuery } from "../store/resource.ts";
import { type AuditRow, auditEntry } from "./audit_entry.ts";

/** The groups that may read the audit log. */
export const READERS = ["admin", "auditor"] as const;

/** The parameters of the list, and the entry after which it starts. */
export const auditQuery = query(
  {
    ...listQuery(recordQuery(auditEntry, consoleCaller).fields).properties,
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        title: "Only entries with a higher id, oldest first: the id of the last one that you have",
        description: "Use the id of an entry, or 0, once",
      }),
    ),
  },
  UNKNOWN_PARAMETER,
);

/** One page, the newest first; with `after` the oldest first, and only entries that no later commit can precede. */
export async function list(
  caller: Caller,
  params: URLSearchParams,
): Promise<records.ListJson<AuditRow>> {
  requireReader(caller);
  const { after } = readQuery(auditQuery, params);
  if (after === undefined) return read(caller, params);
  return { ...(await read(caller, oldestFirst(params), await committedAfter(after))), params };
}

/** Entries as lines of JSON, the oldest first, from the one after `after`: at most MOST_AUDIT_LINES. */
export async function* lines(caller: Caller, params: URLSearchParams): AsyncGenerator<string> {
  requireReader(caller);
  const { after = 0 } = readQuery(auditQuery, params);
  const query = recordQuery(auditEntry, caller);
  const options = { extraCondition: await committedAfter(after), most: MOST_AUDIT_LINES };
  const ids = await onReplica(() => records.keys(query, oldestFirst(params), options));
  for await (const rows of batches(query, ids, { read: readOnReplica, isAscending: true })) {
    yield rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  }
}

const readOnReplica: Read = (query) => onReplica(() => database.rows(query));

function read(
  caller: Caller,
  params: URLSearchParams,
  extraCondition?: SQL,
): Promise<records.ListJson<AuditRow>> {
  return records.list(
    recordQuery(auditEntry, caller) as records.RecordQuery<AuditRow>,
    params,
    extraCondition,
  );
}

function oldestFirst(params: URLSearchParams): URLSearchParams {
  const sort = params.get("sort");
  if (sort !== null && sort !== "id")
    throw invalid("sort", "The order is by id here; leave this out");
  const listParams = new URLSearchParams(params);
  listParams.delete("after");
  listParams.set("sort", "id");
  return listParams;
}

async function committedAfter(after: number): Promise<SQL> {
  return sql`audit_log.id > ${after} and audit_log.id <= ${await committedUpToId("audit_log")}`;
}

function requireReader(caller: Caller): void {
  permit(caller, READERS, false);
}
