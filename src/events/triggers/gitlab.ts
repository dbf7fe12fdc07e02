// GitLab: creates a pipeline, and looks at it until it has ended. A trigger token of a project can only start pipelines, so
// another token is needed to look at them.
import { LONGEST_TARGET_URL } from "../../input/limits.ts";
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
import { type Json, renderTexts } from "./template.ts";

function projectOf(target: TriggerTarget): string {
  const project = encodeURIComponent(target.settings.project ?? "");
  return `${baseOf(target)}/api/v4/projects/${project}`;
}

function hasTriggerToken({ settings }: TriggerTarget): boolean {
  return settings.token_kind === "trigger";
}

function headersOf(token?: string): Record<string, string> {
  return {
    accept: "application/json",
    "content-type": "application/json",
    ...(token !== undefined && { "private-token": token }),
  };
}

const ENDS: Record<string, Progress> = {
  success: { status: "succeeded" },
  failed: { status: "failed", message: "the pipeline failed" },
  canceled: { status: "failed", message: "the pipeline was cancelled" },
  skipped: { status: "failed", message: "the pipeline was skipped" },
  // It would hold up the next run for as long as nobody comes.
  manual: { status: "failed", message: "the pipeline waits for somebody to start a job" },
};

const NOT_FOLLOWED: Progress = {
  status: "succeeded",
  message: "the pipeline was started; how it ends is not known",
};

/** GitLab names the page itself; a link that is no web address is not shown. */
function pageIn(web_url: unknown): string | undefined {
  if (typeof web_url !== "string" || !/^https?:\/\//.test(web_url)) return undefined;
  // Written anew: without characters that cannot be stored.
  const url = URL.canParse(web_url) ? new URL(web_url).href : "";
  return url !== "" && url.length <= LONGEST_TARGET_URL ? url : undefined;
}

export const gitlab: Product = {
  launch(target, values) {
    const { ref, variables: templates = {} } = target.settings;
    const pairs = renderTexts(templates, values as unknown as Json);
    const request = { method: "POST", most: LARGEST_JOB } as const;
    if (!hasTriggerToken(target)) {
      return {
        ...request,
        url: `${projectOf(target)}/pipeline`,
        headers: headersOf(target.secret),
        body: JSON.stringify({ ref, variables: pairs.map(([key, value]) => ({ key, value })) }),
      };
    }
    const variables = Object.fromEntries(pairs);
    return {
      ...request,
      url: `${projectOf(target)}/trigger/pipeline`,
      headers: headersOf(),
      body: JSON.stringify({ token: target.secret, ref, variables }),
    };
  },

  launched(target, answer) {
    const { id, web_url } = jsonBody(answer);
    const job = numberIn(id);
    const url = pageIn(web_url);
    if (job === undefined) return NOT_NAMED;
    const isFollowed = !hasTriggerToken(target) || target.read_token !== undefined;
    return isFollowed ? { status: "started", job, url } : { ...NOT_FOLLOWED, url };
  },

  look: (target, job) => ({
    url: `${projectOf(target)}/pipelines/${job}`,
    method: "GET",
    headers: headersOf(hasTriggerToken(target) ? target.read_token : target.secret),
    most: LARGEST_JOB,
  }),

  seen(_, job, answer) {
    const { status, web_url, yaml_errors } = jsonBody(answer);
    const url = pageIn(web_url);
    const end = endIn(ENDS, status);
    if (!end) return { status: "started", job, url };
    return { ...end, url, ...(typeof yaml_errors === "string" && { detail: yaml_errors }) };
  },
};
