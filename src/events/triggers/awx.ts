// AWX and the Automation Controller of AAP: launches a job template, and looks at the job until it has ended.
import {
  baseOf,
  json,
  LARGEST_JOB,
  NOT_NAMED,
  numberIn,
  type Product,
  type Progress,
  type Target,
} from "./product.ts";
import { type Json, render, renderText } from "./template.ts";

/** The base of its API. AAP has it below /api/controller/v2, which is then a part of the URL. */
function apiOf(target: Target): string {
  const base = baseOf(target);
  return base.endsWith("/v2") ? base : `${base}/api/v2`;
}

function pageOf(target: Target, job: string): string {
  const base = baseOf(target).replace(/\/api(\/controller)?\/v2$/, "");
  return apiOf(target).endsWith("/api/controller/v2")
    ? `${base}/execution/jobs/playbook/${job}/output`
    : `${base}/#/jobs/playbook/${job}/output`;
}

function headersOf({ secret }: Target): Record<string, string> {
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
    const { job_template, limit = "", variables = {} } = target.settings;
    const hosts = renderText(limit, values as unknown as Json);
    // An empty limit means all hosts of the inventory.
    if (limit !== "" && hosts === "") return undefined;
    const extra_vars = render(variables as Json, values as unknown as Json);
    return {
      url: `${apiOf(target)}/job_templates/${job_template}/launch/`,
      method: "POST",
      headers: headersOf(target),
      body: JSON.stringify({ extra_vars, ...(hosts !== "" && { limit: hosts }) }),
      most: LARGEST_JOB,
    };
  },

  launched(target, answer) {
    const { job, ignored_fields } = json(answer);
    const number = numberIn(job);
    if (number === undefined) return NOT_NAMED;
    const ignored = Object.keys(ignored_fields ?? {}).join(", ");
    return {
      status: "started",
      job: number,
      url: pageOf(target, number),
      detail: ignored
        ? `AWX ignored ${ignored}: tick Prompt on launch there in the job template`
        : undefined,
    };
  },

  look: (target, job) => ({
    url: `${apiOf(target)}/jobs/${job}/`,
    method: "GET",
    headers: headersOf(target),
    most: LARGEST_JOB,
  }),

  seen(target, job, answer) {
    const { status, job_explanation } = json(answer);
    const url = pageOf(target, job);
    const end = ENDS[String(status)];
    if (!end) return { status: "started", job, url };
    return { ...end, url, ...(job_explanation ? { detail: String(job_explanation) } : {}) };
  },
};
