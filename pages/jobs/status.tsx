// GET /status/(job_id): the progress of a job, as JSON for programs, as a fragment for htmx and as a page. GET
// /status/(job_id)/(file): the file that it made.
import { Elysia } from "elysia";
import { streamOf } from "../../src/http/stream.ts";
import { notFound } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import type { JobFile } from "../../src/jobs/files.ts";
import * as files from "../../src/jobs/files.ts";
import * as jobs from "../../src/jobs/jobs.ts";
import { WORKBOOK_TYPE } from "../../src/spreadsheet/workbook.ts";
import { CRUMB, SYSTEM } from "../admin/paths.ts";
import { fragment, isHtmx, page } from "../layout/page.tsx";
import { guard } from "../request/guard.ts";
import { FollowedJob, isOpen, JobProgress, jobPath, resultOf } from "./progress.tsx";

export const statusPages = new Elysia({ prefix: "/status", normalize: false })
  .use(guard)
  .get(
    "/:job_id",
    async ({ request, caller, params, search }) => {
      const job = await jobs.find(caller, keyNamed(params.job_id));
      if (isHtmx(request)) return fragment(request, <JobProgress job={job} downloads />);
      if (!wantsPage(request)) return Response.json(recordOf(job));
      const result = search.has(WAITED) ? resultOf(job) : null;
      return statusPage(request, job, result ? { headers: { refresh: `0; url=${result}` } } : {});
    },
    { fetch: { allowed: "everyone", reach: { kinds: ["inventory"] } } },
  )
  .get(
    "/:job_id/:file",
    async ({ caller, params }) => {
      const file = await files.find(caller, keyNamed(params.job_id));
      if (file.name !== params.file) throw notFound();
      return download(file);
    },
    { fetch: { allowed: "everyone", reach: { kinds: ["inventory"] } } },
  );

/** The answer to a request that started a job. */
export function accepted(request: Request, job: jobs.Job): Response {
  const location = jobPath(job);
  const answer = { status: 202, headers: { location } };
  if (isHtmx(request)) return fragment(request, <JobProgress job={job} />, answer);
  if (wantsPage(request)) return statusPage(request, job, answer);
  return Response.json(recordOf(job), answer);
}

/** Marks the reload of a browser without scripting, which is then redirected to the file. */
const WAITED = "waited";

function crumbsOf({ name }: jobs.Job) {
  if (name === jobs.BACKUP) return [CRUMB, { label: "System", href: SYSTEM }, { label: name }];
  const items = { label: "Items", href: "/inventory/items" };
  return [{ label: "Inventory", href: "/inventory" }, items, { label: name }];
}

function statusPage(
  request: Request,
  job: jobs.Job,
  answer: { status?: number; headers?: Record<string, string> },
): Response {
  return page(request, {
    ...answer,
    title: job.name,
    crumbs: crumbsOf(job),
    body: (
      <>
        <header class="head">
          <h1>{job.name}</h1>
        </header>
        {isOpen(job) && (
          <noscript>
            <meta http-equiv="refresh" content={`2; url=${jobPath(job)}?${WAITED}=yes`} />
          </noscript>
        )}
        {isOpen(job) ? <FollowedJob job={job} /> : <JobProgress job={job} />}
      </>
    ),
  });
}

function recordOf(job: jobs.Job): jobs.Job {
  return { ...job, result: resultOf(job) };
}

// Twice: in ASCII for old programs, and encoded.
function download({ name, parts }: JobFile): Response {
  const ascii = name.replace(/[^\w.-]/g, "_");
  const encoded = encodeURIComponent(name).replace(/['()*]/g, hexadecimal);
  return new Response(streamOf(parts), {
    headers: {
      "content-type": WORKBOOK_TYPE,
      "content-disposition": `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`,
    },
  });
}

function hexadecimal(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Browsers accept HTML; all others get JSON. */
function wantsPage(request: Request): boolean {
  return request.headers.get("accept")?.includes("text/html") ?? false;
}
