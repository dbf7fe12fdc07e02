import { Elysia } from "elysia";
import * as answer from "../http/answers.ts";
import { linesResponse } from "../http/stream.ts";
import { recordOf } from "../store/resource.ts";
import { auditEntry } from "../user/audit_entry.ts";
import * as auditLog from "../user/audit_log.ts";
import { listResponse, parametersOf } from "./answers.ts";
import { guardOf } from "./guard.ts";

const NDJSON = "application/x-ndjson";
const record = recordOf(auditEntry);

export const auditRoutes = new Elysia({ prefix: "/audit", normalize: false })
  .use(guardOf({ kinds: ["audit"] }))
  .get(
    "",
    async ({ request, caller, search }) =>
      request.headers.get("accept")?.includes(NDJSON)
        ? linesResponse(auditLog.lines(caller, search))
        : answer.list(request, await auditLog.list(caller, search)),
    {
      allow: auditLog.READERS,
      detail: {
        operationId: "listAuditLog",
        summary: "The audit log: as pages, or by Accept: application/x-ndjson as lines",
        tags: ["Audit log"],
        ...parametersOf(auditLog.auditQuery),
        responses: {
          200: {
            description: listResponse(record)[200].description ?? "",
            content: {
              "application/json": { schema: listResponse(record)[200] },
              [NDJSON]: { schema: listResponse(record)[200] },
            },
          },
        },
      },
    },
  );
