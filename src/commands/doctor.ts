import { readArguments } from "./arguments.ts";
import { DATABASE_SETTINGS, print } from "./console.ts";
import { diagnose } from "./diagnosis.ts";
import { CommandFailed } from "./failed.ts";

export const help = `Checks the settings, the data directory, the port, the database and the backups. For each problem it says
what is wrong and, in the next line, which command mends it, if one does. It changes nothing and shows no secrets. Its
exit code is 1 if there is a problem.

Usage: cadastre doctor

Settings: those of serve, and
${DATABASE_SETTINGS}`;

export async function run(args: string[]): Promise<void> {
  readArguments({ args });
  let problems = 0;
  for await (const { ok, isWarning, text, command } of diagnose()) {
    print(`${isWarning ? "warning" : ok ? "ok     " : "problem"}  ${text}`);
    if (command) print(`         $ ${command}`);
    if (!ok) problems += 1;
  }
  if (problems > 0) throw new CommandFailed(problems === 1 ? "1 problem" : `${problems} problems`);
}
