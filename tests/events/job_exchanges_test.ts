// Triggers against the requests and answers of each product, word for word: see the files in exchanges/.
import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { conversationOf, exchangeFile } from "../support/exchanges.ts";
import { importsHosts, labAndBench } from "../support/imports.ts";
import { TOKEN } from "../support/job_servers.ts";
import { alice, service } from "../support/mod.ts";
import { allowThisMachine, aTrigger, untilRuns, working } from "../support/triggers.ts";

setDefaultTimeout(60_000);

beforeEach(allowThisMachine);

type Case = [conversation: string, state: string, run: object, fields?: object];

const FIELDS = {
  awx: { template: "awx", job_template: 7, variables: { cadastre_run: "{{ counts.changes }}" } },
  gitlab: {
    template: "gitlab",
    project: "network/dns",
    ref: "main",
    variables: { RUN: "{{ counts.changes }}", HOSTS: "{{ limit }}" },
  },
  jenkins: {
    template: "jenkins",
    job: "network/switches",
    username: "robot",
    variables: { RUN: "{{ counts.changes }}", HOSTS: "{{ limit }}" },
  },
};

const JOB = "/#/jobs/playbook/42/output";
const WORKFLOW = "/#/jobs/workflow/45/output";

const AWX: Case[] = [
  ["a job that succeeds", "succeeded", { message: null, detail: null, url: JOB }],
  ["a job that fails", "failed", { message: "the job failed", detail: null, url: JOB }],
  [
    "a job that fails with an explanation",
    "failed",
    { message: "the job failed", detail: expect.stringContaining("Previous Task Failed") },
  ],
  [
    "a job that cannot run",
    "failed",
    { message: "the job could not run", detail: "OSError: [Errno 28] No space left on device" },
  ],
  [
    "a job that is canceled",
    "failed",
    { message: "the job was cancelled", detail: "Job was canceled by admin" },
  ],
  [
    "a template that does not prompt",
    "succeeded",
    { detail: expect.stringContaining("AWX ignored the variables cadastre_run, limit") },
  ],
  ["a template that is cut into slices", "succeeded", { url: WORKFLOW }],
  [
    "a template named with its organization",
    "succeeded",
    { url: JOB },
    { job_template: "Update DHCP++Default" },
  ],
  [
    "a workflow",
    "failed",
    { message: "the job failed", url: WORKFLOW },
    { job_template: 9, is_workflow: true },
  ],
  [
    "a workflow that does not prompt",
    "gave_up",
    { message: "the server answered 400", detail: expect.stringContaining("prompt on launch") },
    { job_template: 9, is_workflow: true },
  ],
  ["the gateway of AAP", "succeeded", { url: "/execution/jobs/playbook/42/output" }],
  ["variables that are missing", "gave_up", { detail: expect.stringContaining("building") }],
  ["passwords that are missing", "gave_up", { detail: expect.stringContaining("ssh_password") }],
  ["an inventory that is missing", "gave_up", { detail: expect.stringContaining("inventory") }],
  ["a token that is wrong", "gave_up", { message: "the server answered 401" }],
  ["a token that only reads", "gave_up", { message: "the server answered 403" }],
  ["a template that does not exist", "gave_up", { message: "the server answered 404" }],
  [
    "a named template that the user may not launch",
    "gave_up",
    { message: "the server answered 404" },
    { job_template: "Update DHCP++Default" },
  ],
  ["a path that takes no launch", "gave_up", { message: "the server answered 405" }],
  [
    "a job that was deleted",
    "failed",
    { message: "the server answered 404 when asked about the job" },
  ],
];

const WITH_TRIGGER_TOKEN = { token_kind: "trigger" };
const WITH_BOTH = { token_kind: "trigger", read_token: "the-token-that-reads" };
const PIPELINE = "https://gitlab.example.org/network/dns/-/pipelines/61";

const GITLAB: Case[] = [
  ["a pipeline that succeeds", "succeeded", { message: null, url: PIPELINE }],
  ["a pipeline that fails", "failed", { message: "the pipeline failed" }],
  ["a pipeline that is canceled", "failed", { message: "the pipeline was cancelled" }],
  [
    "a pipeline that waits for a person",
    "failed",
    { message: "the pipeline waits for somebody to start a job" },
  ],
  [
    "a trigger token",
    "succeeded",
    { message: "the pipeline was started; how it ends is not known", url: PIPELINE },
    WITH_TRIGGER_TOKEN,
  ],
  ["a trigger token and one that reads", "succeeded", { message: null }, WITH_BOTH],
  [
    "a trigger token that is wrong",
    "gave_up",
    { message: "the server answered 404" },
    WITH_TRIGGER_TOKEN,
  ],
  ["a token that is wrong", "gave_up", { message: "the server answered 401" }],
  ["a branch that does not exist", "gave_up", { detail: expect.stringContaining("Reference") }],
  ["variables that are not allowed", "gave_up", { detail: expect.stringContaining("variables") }],
  [
    "a token that may not read",
    "failed",
    { message: "the server answered 403 when asked about the job", url: PIPELINE },
    WITH_BOTH,
  ],
];

const BUILD = "/job/network/job/switches/5/";

const JENKINS: Case[] = [
  ["a build that succeeds", "succeeded", { message: null, url: BUILD }],
  ["a build that is unstable", "failed", { message: "the build is unstable", url: BUILD }],
  ["a build that fails", "failed", { message: "the build failed" }],
  ["a build that is aborted", "failed", { message: "the build was aborted" }],
  [
    "an item that is cancelled in the queue",
    "failed",
    { message: "the build was cancelled in the queue", url: "/job/network/job/switches/" },
  ],
  ["a token that is wrong", "gave_up", { message: "the server answered 401" }],
  ["a user who may not build", "gave_up", { message: "the server answered 403" }],
  ["a job without parameters", "gave_up", { detail: expect.stringContaining("parameterized") }],
];

const CASES = { awx: AWX, gitlab: GITLAB, jenkins: JENKINS };
const PRODUCTS = ["awx", "gitlab", "jenkins"] as const;

test.each(PRODUCTS)("every conversation with %s is a case", async (product) => {
  const { about, conversations } = await exchangeFile(product);
  expect(about).toContain("not recorded from a running");
  expect(CASES[product].map(([name]) => name).toSorted()).toEqual(
    Object.keys(conversations).toSorted(),
  );
});

describe.each(PRODUCTS)("a trigger for %s", (product) => {
  test.each(CASES[product])("%s", async (name, state, expected, fields = {}) => {
    await labAndBench();
    const server = await conversationOf(product, name);
    const gateway = name === "the gateway of AAP" ? "/api/controller/v2" : "";
    const trigger = await aTrigger(
      { url: server.url + gateway },
      { ...FIELDS[product], ...fields },
    );
    const { url, ...rest } = expected as { url?: string };
    const [run] = await working(1, async () => {
      // One change set, so that the request is the one of the file.
      const rows = ["dhcp-1", "dhcp-2"].map((host) => ({
        name: host,
        network: "Lab",
        device_type: "Network",
      }));
      expect((await importsHosts(alice, rows)).status).toBe(200);
      return untilRuns(trigger.id, state);
    });
    expect(server.end()).toEqual({ left: [], unexpected: [] });
    expect(run).toMatchObject(rest);
    if (url) expect(run.url).toBe(url.startsWith("/") ? server.url + url : url);
    const stored = await storedTexts();
    expect(stored).not.toContain(TOKEN);
    expect(stored).not.toContain("the-token-that-reads");
  });
});

/** All that is kept of runs and in the audit log. */
async function storedTexts(): Promise<string> {
  const { sql } = await service();
  const [runs, audit] = await Promise.all([
    sql`select * from trigger_runs`,
    sql`select * from audit_log`,
  ]);
  return JSON.stringify([runs, audit], (_, value) =>
    typeof value === "bigint" ? Number(value) : value,
  );
}
