import * as config from "../config.ts";
import { readArguments } from "./arguments.ts";
import { DATABASE_SETTINGS, print } from "./console.ts";
import { diagnose } from "./diagnosis.ts";
import { CommandFailed } from "./failed.ts";

export const help = `Looks at the settings, the data directory, the port and the database, and says what to do about what
is wrong. It changes nothing and shows no secrets. Its exit code is 1 when there is a problem.

Usage: cadastre doctor

Settings: those of serve, and
${DATABASE_SETTINGS}`;

export async function run(args: string[]): Promise<void> {
  readArguments({ args });
  let problems = 0;
  for await (const { ok, text } of diagnose(config.readConfig())) {
    print(`${ok ? "ok     " : "problem"}  ${text}`);
    if (!ok) problems += 1;
  }
  if (problems > 0) throw new CommandFailed(problems === 1 ? "1 problem" : `${problems} problems`);
}
