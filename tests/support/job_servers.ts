// Servers that start jobs, for tests of what triggers do. They answer what matters there; how each product answers in full is
// in tests/events/exchanges.
import awx from "../events/exchanges/awx.json";
import { onTeardown } from "./teardown.ts";

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: Headers;
  text: string;
  body: any;
}

export interface JobServer {
  url: string;
  received: ReceivedRequest[];
  /** The requests that start a job. */
  launches(): ReceivedRequest[];
  /** Answers like a job server, unless a test does it. */
  answer: ((request: ReceivedRequest) => Response | Promise<Response> | undefined) | undefined;
  /** The state of jobs: each look takes the next one, and the last one stays. */
  states: string[];
  forget(): void;
}

type Respond = (request: ReceivedRequest, server: JobServer) => Response;

export const TOKEN = "s3cret-token-of-the-server";

export function awxServer(): JobServer {
  let jobs = 41;
  return serverOf(/\/launch\/$/, (request, server) => {
    if (request.headers.get("authorization") !== `Bearer ${TOKEN}`) {
      return json(401, refusal("a token that is wrong"));
    }
    const { method, path } = request;
    if (method === "POST" && path === "/api/v2/job_templates/7/launch/") {
      jobs += 1;
      return json(201, {
        job: jobs,
        ignored_fields: {},
        ...awx.bodies["a job"],
        id: jobs,
        url: `/api/v2/jobs/${jobs}/`,
        limit: request.body.limit ?? "",
        extra_vars: JSON.stringify(request.body.extra_vars ?? {}),
      });
    }
    const [, id] = /^\/api\/v2\/jobs\/(\d+)\/$/.exec(path) ?? [];
    if (method !== "GET" || !id) return json(404, refusal("a template that does not exist"));
    const status = next(server);
    const isEnded = ["successful", "failed", "error", "canceled"].includes(status);
    return json(200, {
      ...awx.bodies["a job"],
      ...awx.bodies.details,
      id: Number(id),
      status,
      failed: isEnded && status !== "successful",
      finished: isEnded ? "2026-01-31T14:05:03.000000Z" : null,
      job_explanation: status === "failed" ? "Host vault-canary could not be reached" : "",
    });
  });
}

type Refusal = "a token that is wrong" | "a template that does not exist";

function refusal(name: Refusal): object {
  return awx.conversations[name][0]?.answer.body ?? {};
}

export function gitlabServer(): JobServer {
  return serverOf(/\/pipeline$/, (request, server) => {
    const token = request.body?.token ?? request.headers.get("private-token");
    if (token !== TOKEN) {
      return json(401, { message: "401 Unauthorized" });
    }
    const pipeline = (status: string) => ({
      id: 61,
      iid: 11,
      project_id: 3,
      ref: "main",
      status,
      web_url: `${server.url}/network/dhcp/-/pipelines/61`,
    });
    if (/^\/api\/v4\/projects\/network%2Fdhcp\/(trigger\/)?pipeline$/.test(request.path)) {
      return json(201, pipeline("created"));
    }
    if (request.path === "/api/v4/projects/network%2Fdhcp/pipelines/61") {
      return json(200, pipeline(next(server)));
    }
    return json(404, { message: "404 Project Not Found" });
  });
}

export function jenkinsServer(): JobServer {
  return serverOf(/buildWithParameters$/, (request, server) => {
    const pair = Buffer.from(`robot:${TOKEN}`).toString("base64");
    if (request.headers.get("authorization") !== `Basic ${pair}`) return json(401, {});
    const { method, path } = request;
    if (method === "POST" && path === "/job/network/job/dhcp%20update/buildWithParameters") {
      // Behind a proxy Jenkins often names itself differently.
      const location = "http://jenkins.internal:8080/queue/item/123/";
      return new Response(null, { status: 201, headers: { location } });
    }
    if (path === "/queue/item/123/api/json") {
      const state = next(server);
      if (state === "queued") return json(200, { id: 123, why: "In the quiet period" });
      if (state === "cancelled") return json(200, { id: 123, cancelled: true });
      const executable = { number: 5, url: "http://jenkins.internal:8080/job/network/5/" };
      return json(200, { id: 123, cancelled: false, executable });
    }
    if (path === "/job/network/job/dhcp%20update/5/api/json") {
      const state = next(server);
      const result = state === "building" ? null : state;
      return json(200, { building: state === "building", result });
    }
    return json(404, {});
  });
}

/** Any server that takes a POST. */
export function postServer(): JobServer {
  return serverOf(/./, () => json(200, { ok: true }));
}

function next({ states }: JobServer): string {
  return (states.length > 1 ? states.shift() : states[0]) ?? "running";
}

function serverOf(launch: RegExp, respond: Respond): JobServer {
  const listening = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (given) => {
      const url = new URL(given.url);
      const text = await given.text();
      const { method, headers } = given;
      const request = { method, path: url.pathname, headers, text, body: parsed(text) };
      server.received.push(request);
      return (await server.answer?.(request)) ?? respond(request, server);
    },
  });
  onTeardown(() => listening.stop(true));
  const server: JobServer = {
    url: `http://127.0.0.1:${listening.port}`,
    received: [],
    answer: undefined,
    states: [],
    launches: () =>
      server.received.filter(({ method, path }) => method === "POST" && launch.test(path)),
    forget: () => {
      server.received.length = 0;
      server.answer = undefined;
      server.states = [];
    },
  };
  return server;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function json(status: number, body: object): Response {
  return Response.json(body, { status });
}
