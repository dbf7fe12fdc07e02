// A copy of the project that was changed by the steps of CONTRIBUTING.md, or by others, and that serves.

import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAll, launch } from "../running/processes.ts";
import { administrator, PASSWORD, served } from "../running/program.ts";
import { withoutCodes } from "./api.ts";
import { aDatabase } from "./cluster.ts";
import { type ContributingStep, follow } from "./contributing.ts";

const ROOT = join(import.meta.dir, "../..");
const COPIED = [
  "db",
  "docs",
  "pages",
  "src",
  "static",
  "package.json",
  "tsconfig.json",
  "bunfig.toml",
];

export type ChangedProject = Awaited<ReturnType<typeof changedProject>>;

export async function changedProject(steps: readonly ContributingStep[]) {
  const copy = mkdtempSync(join(tmpdir(), "contributing-"));
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  for (const step of steps) follow(copy, step);
  const database = await aDatabase();
  const env = {
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: database.url,
    ADMIN_USERNAME: "alice",
    ADMIN_PASSWORD: PASSWORD,
    LOG_LEVEL: "info",
    LOG_FORMAT: "pretty",
  };
  const launched = launch([process.execPath, "src/main.ts", "serve"], { cwd: copy, env });
  const serving = await served(launched);
  const headers = { ...(await administrator(serving)), "content-type": "application/json" };
  const login = await serving.fetch("/user/login", {
    method: "POST",
    redirect: "manual",
    headers: { "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ username: "alice", password: PASSWORD }),
  });
  const cookie = login.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const own = { cookie, accept: "text/html" };
  return {
    headers,
    api: async (
      method: string,
      path: string,
      body?: unknown,
      by: Record<string, string> = headers,
    ) => {
      const sent = typeof body === "string" ? body : JSON.stringify(body);
      const answer = await serving.fetch(`/api/v1${path}`, {
        method,
        headers: by,
        ...(body !== undefined && { body: sent }),
      });
      const text = await answer.text();
      const isJson = answer.headers.get("content-type")?.includes("json") && !text.includes("}\n{");
      const { status, headers } = answer;
      return withoutCodes({ status, headers, body: isJson ? JSON.parse(text) : text });
    },
    see: async (path: string): Promise<string> => {
      const answer = await serving.fetch(path, { headers: own });
      if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`);
      return answer.text();
    },
    /** Sends the fields of a form to its page. */
    submit: async (path: string, fields: Record<string, string>) => {
      const answer = await serving.fetch(path, {
        method: "POST",
        redirect: "manual",
        headers: { ...own, "sec-fetch-site": "same-origin" },
        body: new URLSearchParams(fields),
      });
      return {
        status: answer.status,
        location: answer.headers.get("location"),
        text: await answer.text(),
      };
    },
    end: async () => {
      endAll();
      rmSync(copy, { recursive: true, force: true });
      await database.drop();
    },
  };
}
