// The commands.
import { CannotStart } from "../db/embedded/cannot_start.ts";
import { CannotMigrate } from "../db/migrate.ts";
import { WrongSetting } from "./config.ts";

interface Command {
  run(args: string[]): Promise<void>;
}

const COMMANDS: Record<string, { about: string; load: () => Promise<Command> }> = {
  serve: {
    about: "migrate the database and serve the register",
    load: () => import("./commands/serve.ts"),
  },
};

const [name = "serve", ...args] = process.argv.slice(2);
process.exitCode = await main(name, args);

async function main(name: string, args: string[]): Promise<number> {
  const command = COMMANDS[name];
  if (!command) {
    process.stderr.write(`There is no command '${name}'; see cadastre --help\n`);
    return 1;
  }
  try {
    await (await command.load()).run(args);
    return 0;
  } catch (fault) {
    if (
      !(
        fault instanceof CannotStart ||
        fault instanceof CannotMigrate ||
        fault instanceof WrongSetting
      )
    )
      throw fault;
    process.stderr.write(`${fault.message}\n`);
    return 1;
  }
}
