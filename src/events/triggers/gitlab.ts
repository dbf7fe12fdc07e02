// GitLab: creates a pipeline, and looks at it until it has ended.
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
import { type Json, renderText } from "./template.ts";

function projectOf(target: Target): string {
  const project = encodeURIComponent(target.settings.project ?? "");
  return `${baseOf(target)}/api/v4/projects/${project}`;
}

function headersOf({ secret }: Target): Record<string, string> {
  return {
    accept: "application/json",
    "content-type": "application/json",
    ...(secret !== undefined && { "private-token": secret }),
  };
}

const ENDS: Record<string, Progress> = {
  success: { status: "succeeded" },
  failed: { status: "failed", message: "the pipeline failed" },
  canceled: { status: "failed", message: "the pipeline was cancelled" },
  skipped: { status: "failed", message: "the pipeline was skipped" },
};

/** GitLab names the page itself; a link that is no web address is not shown. */
function pageIn(web_url: unknown): string | undefined {
  return typeof web_url === "string" && /^https?:\/\//.test(web_url) ? web_url : undefined;
}

export const gitlab: Product = {
  launch(target, values) {
    const { ref, variables = {} } = target.settings;
    return {
      url: `${projectOf(target)}/pipeline`,
      method: "POST",
      headers: headersOf(target),
      body: JSON.stringify({
        ref,
        variables: Object.entries(variables).map(([key, template]) => ({
          key,
          value: renderText(String(template), values as unknown as Json),
        })),
      }),
      most: LARGEST_JOB,
    };
  },

  launched(_, answer) {
    const { id, web_url } = json(answer);
    const job = numberIn(id);
    return job === undefined ? NOT_NAMED : { status: "started", job, url: pageIn(web_url) };
  },

  look: (target, job) => ({
    url: `${projectOf(target)}/pipelines/${job}`,
    method: "GET",
    headers: headersOf(target),
    most: LARGEST_JOB,
  }),

  seen(_, job, answer) {
    const { status, web_url, yaml_errors } = json(answer);
    const url = pageIn(web_url);
    const end = ENDS[String(status)];
    if (!end) return { status: "started", job, url };
    return { ...end, url, ...(yaml_errors ? { detail: String(yaml_errors) } : {}) };
  },
};
