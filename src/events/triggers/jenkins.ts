// Jenkins: starts a build with parameters, which first is an item of the queue, and looks at it until it has ended. Only
// numbers are taken from its answers: an address in one could lead the token elsewhere.
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

function pageOf(target: TriggerTarget): string {
  const names = (target.settings.job ?? "").split("/").filter(Boolean);
  return `${baseOf(target)}${names.map((name) => `/job/${encodeURIComponent(name)}`).join("")}`;
}

function headersOf({ settings, secret = "" }: TriggerTarget): Record<string, string> {
  const pair = Buffer.from(`${settings.username ?? ""}:${secret}`).toString("base64");
  return { accept: "application/json", authorization: `Basic ${pair}` };
}

const ENDS: Record<string, Progress> = {
  SUCCESS: { status: "succeeded" },
  UNSTABLE: { status: "failed", message: "the build is unstable" },
  FAILURE: { status: "failed", message: "the build failed" },
  ABORTED: { status: "failed", message: "the build was aborted" },
  NOT_BUILT: { status: "failed", message: "the build was not built" },
};

const IN_QUEUE = "queue/";

export const jenkins: Product = {
  launch(target, values) {
    const { variables = {} } = target.settings;
    const parameters = renderTexts(variables, values as unknown as Json);
    return {
      url: `${pageOf(target)}/buildWithParameters`,
      method: "POST",
      headers: { ...headersOf(target), "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(parameters).toString(),
    };
  },

  launched(target, { headers }) {
    const [, item] = /\/queue\/item\/([0-9]{1,12})\/?$/.exec(headers.location ?? "") ?? [];
    if (item === undefined) return NOT_NAMED;
    return { status: "started", job: `${IN_QUEUE}${item}`, url: `${pageOf(target)}/` };
  },

  look(target, job) {
    const path = job.startsWith(IN_QUEUE)
      ? `${baseOf(target)}/queue/item/${job.slice(IN_QUEUE.length)}/api/json`
      : `${pageOf(target)}/${job}/api/json?tree=building,result,description`;
    return { url: path, method: "GET", headers: headersOf(target), most: LARGEST_JOB };
  },

  seen(target, job, answer) {
    if (job.startsWith(IN_QUEUE)) return seenInQueue(target, job, answer);
    const { building, result } = jsonBody(answer);
    const url = `${pageOf(target)}/${job}/`;
    const end = building === false ? endIn(ENDS, result) : undefined;
    return end ? { ...end, url } : { status: "started", job, url };
  },
};

function seenInQueue(
  target: TriggerTarget,
  job: string,
  answer: Parameters<Product["seen"]>[2],
): Progress {
  const { cancelled, executable } = jsonBody(answer);
  const url = `${pageOf(target)}/`;
  if (cancelled === true) {
    return { status: "failed", message: "the build was cancelled in the queue", url };
  }
  const build = numberIn((executable as { number?: unknown } | null | undefined)?.number);
  return build === undefined
    ? { status: "started", job, url }
    : { status: "started", job: build, url: `${pageOf(target)}/${build}/` };
}
