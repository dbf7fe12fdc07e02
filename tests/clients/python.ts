// Runs Python programs with the client of clients/python.
import { join } from "node:path";
import { alice, type Person, service, tokenOf } from "../support/mod.ts";
import { run } from "../support/programs.ts";

export const FOLDER = join(import.meta.dir, "../../clients/python");

/** Whether there is no mypy that knows the types of Python's library well enough: Debian's does not. */
export const lacksMypy = await hasNoMypy();

async function hasNoMypy(): Promise<boolean> {
  if (Bun.which("mypy") === null) return true;
  const { out } = await run(["mypy", "--version"]);
  const [, major = "0"] = /(\d+)\./.exec(out) ?? [];
  return Number(major) < 2;
}

export interface PythonOptions {
  person?: Person;
  origin?: string;
  env?: Record<string, string>;
  args?: string[];
}

/** Runs a program as it is, with the address of the service and a token in its environment. */
export async function program(code: string, options: PythonOptions = {}) {
  const { person = alice, origin, env = {}, args = [] } = options;
  return run(["python3", "-c", code, ...args], {
    PYTHONPATH: FOLDER,
    PYTHONDONTWRITEBYTECODE: "1",
    CADASTRE_URL: origin ?? (await service()).origin,
    CADASTRE_TOKEN: await tokenOf(person),
    ...env,
  });
}

const HEAD = `
import json, sys
import cadastre
from cadastre import *

def show(*values):
    print(json.dumps(values))

def refused(act):
    try:
        act()
    except (CadastreError, ValueError) as error:
        return [type(error).__name__, str(error)]
`;

/** What a script shows: the values of each call of \`show\`. Its \`client\` gives up at once, unless \`patience\` is longer. */
export async function shown(
  script: string,
  { patience = 0, ...options }: PythonOptions & { patience?: number } = {},
): Promise<{ values: any[]; err: string }> {
  const code = `${HEAD}\nclient = Client(patience=${patience})\n${script}`;
  const { code: status, out, err } = await program(code, options);
  if (status !== 0) throw new Error(`The script failed: ${err}`);
  const values = out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  return { values, err };
}
