import * as config from "../config.ts";
import { readArguments } from "./arguments.ts";
import { print } from "./console.ts";
import { CommandFailed } from "./failed.ts";

export const help = `Asks the service at HOST and PORT whether it can serve, as /health/ready does: for health checks of
containers, which often have no curl. Its exit code is 1 if the service cannot serve.

Usage: cadastre health

Settings:
  HOST, PORT       where it listens (127.0.0.1, 3000)`;

const TIMEOUT = 8_000;

export async function run(args: string[]): Promise<void> {
  readArguments({ args });
  const { host, port } = config.readConfig();
  const name = host.includes(":") ? `[${host}]` : host;
  const address = `http://${name}:${port}`;
  const response = await fetch(`${address}/health/ready`, {
    signal: AbortSignal.timeout(TIMEOUT),
  }).catch(() => undefined);
  if (!response) throw new CommandFailed(`Nothing answers at ${address}`);
  if (!response.ok) throw new CommandFailed(`Cadastre cannot serve: ${await reasonIn(response)}`);
  print("Cadastre serves");
}

async function reasonIn(response: Response): Promise<string> {
  const answer: { reason?: string } = await response.json().catch(() => ({}));
  return answer.reason ?? `it answers with status ${response.status}`;
}
