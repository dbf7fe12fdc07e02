// AWX and the Automation Controller of AAP: launches a job template, and looks at the job until it has ended.
import {
  baseOf,
  endIn,
  jsonBody,
  LARGEST_JOB,
  NOT_NAMED,
  numberIn,
  type Product,
  type Progress,
  type TriggerTarget,
} from "./product.ts";
import { type Json, jsonAsText, render } from "./template.ts";

/** The gateway of AAP has the API below this path, which is then a part of the URL. */
const GATEWAY = "/api/controller";

/** The base of its API. */
function apiOf(target: TriggerTarget): string {
  const base = baseOf(target);
  if (base.endsWith(GATEWAY)) return `${base}/v2`;
  return base.endsWith("/v2") ? base : `${base}/api/v2`;
}

/** A job template that is cut into slices starts a workflow job, as a workflow job template does. */
const WORKFLOW = "workflow_jobs/";

function isWorkflow(job: string): boolean {
  return job.startsWith(WORKFLOW);
}

function pageOf(target: TriggerTarget, job: string): string {
  const api = apiOf(target);
  const base = api.replace(/\/api(\/controller)?\/v2$/, "");
  const pages = api.endsWith(`${GATEWAY}/v2`) ? `${base}/execution` : `${base}/#`;
  const [kind, id] = isWorkflow(job) ? ["workflow", job.slice(WORKFLOW.length)] : ["playbook", job];
  return `${pages}/jobs/${kind}/${id}/output`;
}

/** A template is named by its number, or by its name and that of its organization. */
function launchUrl(target: TriggerTarget): string {
  const { job_template, is_workflow } = target.settings;
  const kind = is_workflow ? "workflow_job_templates" : "job_templates";
  return `${apiOf(target)}/${kind}/${encodeURIComponent(String(job_template))}/launch/`;
}

function headersOf({ secret }: TriggerTarget): Record<string, string> {
  return {
    accept: "application/json",
    "content-type": "application/json",
    ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
  };
}

const ENDS: Record<string, Progress> = {
  successful: { status: "succeeded" },
  failed: { status: "failed", message: "the job failed" },
  error: { status: "failed", message: "the job could not run" },
  canceled: { status: "failed", message: "the job was cancelled" },
};

export const awx: Product = {
  launch(target, values) {
    const { limit = "", variables = {} } = target.settings;
    const rendered = render({ extra_vars: variables as Json, limit }, values as unknown as Json);
    const { extra_vars, limit: chosen } = rendered as { extra_vars: Json; limit: Json };
    const hosts = jsonAsText(chosen);
    // An empty limit means all hosts of the inventory.
    if (limit !== "" && hosts === "") return undefined;
    return {
      url: launchUrl(target),
      method: "POST",
      headers: headersOf(target),
      body: JSON.stringify({ extra_vars, ...(hosts !== "" && { limit: hosts }) }),
      most: LARGEST_JOB,
    };
  },

  launched(target, answer) {
    const { job, workflow_job, ignored_fields } = jsonBody(answer);
    const workflow = numberIn(workflow_job);
    const started = workflow === undefined ? numberIn(job) : `${WORKFLOW}${workflow}`;
    if (started === undefined) return NOT_NAMED;
    const ignored = ignoredIn(ignored_fields);
    return {
      status: "started",
      job: started,
      url: pageOf(target, started),
      detail: ignored
        ? `AWX ignored ${ignored}: tick Prompt on launch there in the job template`
        : undefined,
    };
  },

  look: (target, job) => ({
    url: `${apiOf(target)}/${isWorkflow(job) ? job : `jobs/${job}`}/`,
    method: "GET",
    headers: headersOf(target),
    most: LARGEST_JOB,
  }),

  seen(target, job, answer) {
    const { status, job_explanation, result_traceback } = jsonBody(answer);
    const url = pageOf(target, job);
    const end = endIn(ENDS, status);
    if (!end) return { status: "started", job, url };
    const reason = textIn(job_explanation) || lastLineOf(textIn(result_traceback));
    return { ...end, url, ...(reason && { detail: reason }) };
  },
};

/** The names of the fields, and of the variables where only some of them are ignored. */
function ignoredIn(fields: unknown): string {
  return Object.entries(fields ?? {})
    .map(([name, value]) =>
      name === "extra_vars" ? `the variables ${Object.keys(value ?? {}).join(", ")}` : name,
    )
    .join(", ");
}

/** Where a traceback of Python says what was wrong. */
function lastLineOf(traceback: string): string {
  return traceback.trimEnd().split("\n").at(-1) ?? "";
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
