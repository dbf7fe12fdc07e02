// Three instances of Cadastre behind haproxy, with the file of docs/cluster.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { launch, type Started } from "../running/processes.ts";
import { configuration } from "./cluster.ts";
import { waitFor } from "./failed.ts";

const ROOT = join(import.meta.dir, "..", "..");
const PORTS = [43_101, 43_102, 43_103];
const PROXY = "127.0.0.1:43100";
const ADMIN = { username: "admin", password: "correct horse battery staple" };

export interface Service {
  origin: string;
  instances: Instance[];
  headers: Record<string, string>;
}

export interface Instance {
  origin: string;
  process: Started;
  settings: Record<string, string>;
}

export async function startService(directory: string, url: string): Promise<Service> {
  const instances = PORTS.map((port) => {
    const settings = {
      DATABASE_URL: url,
      HOST: "127.0.0.1",
      PORT: String(port),
      ADMIN_USERNAME: ADMIN.username,
      ADMIN_PASSWORD: ADMIN.password,
      LOG_LEVEL: "warn",
      LOG_FORMAT: "pretty",
    };
    return { origin: `http://127.0.0.1:${port}`, settings, process: launchInstance(settings) };
  });
  await Promise.all(instances.map((instance) => untilReady(instance)));
  const file = join(directory, "haproxy.cfg");
  const replaced = Object.fromEntries(
    PORTS.map((port, at) => [`10.0.0.1${at + 1}:3000`, `127.0.0.1:${port}`]),
  );
  writeFileSync(file, configuration("haproxy.cfg", { ...replaced, "10.0.0.10:80": PROXY }));
  launch(["/usr/sbin/haproxy", "-db", "-f", file]);
  const origin = `http://${PROXY}`;
  await waitFor("haproxy", () => isReady(origin));
  return { origin, instances, headers: await logIn(origin) };
}

function launchInstance(settings: Record<string, string>): Started {
  return launch([process.execPath, join(ROOT, "src", "main.ts"), "serve"], {
    cwd: ROOT,
    env: settings,
  });
}

export async function restartInstance(instance: Instance): Promise<void> {
  instance.process = launchInstance(instance.settings);
  await untilReady(instance);
}

export function untilReady({ origin }: Instance): Promise<true> {
  return waitFor(`the instance at ${origin}`, () => isReady(origin));
}

async function isReady(origin: string): Promise<true | undefined> {
  const signal = AbortSignal.timeout(2_000);
  const answer = await fetch(`${origin}/health/ready`, { signal }).catch(() => undefined);
  return answer?.ok ? true : undefined;
}

async function logIn(origin: string): Promise<Record<string, string>> {
  const answer = await fetch(`${origin}/api/v1/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(ADMIN),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  return { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
}
