// The commands: those of the server, and those of the client of a running service. Each loads what it needs.
import { version } from "../package.json";
import { UsageError } from "./commands/arguments.ts";

interface Command {
  help: string;
  run(args: string[]): Promise<void>;
}

const COMMANDS: Record<string, { about: string; load: () => Promise<Command> }> = {
  serve: {
    about: "migrate the database and serve the register",
    load: () => import("./commands/serve.ts"),
  },
  setup: {
    about: "ask for the settings, write them, and make the database and the first admin",
    load: () => import("./commands/setup.ts"),
  },
  migrate: {
    about: "bring the database up to date",
    load: () => import("./commands/migrate.ts"),
  },
  seed: {
    about: "fill an empty database with the demo data",
    load: () => import("./commands/seed.ts"),
  },
  user: {
    about: "list, add and change users",
    load: () => import("./commands/user.ts"),
  },
  token: {
    about: "list, add and revoke personal tokens",
    load: () => import("./commands/token.ts"),
  },
  backup: {
    about: "write a backup to a file, also while serving",
    load: () => import("./commands/backup.ts"),
  },
  restore: {
    about: "restore a database from a backup",
    load: () => import("./commands/restore.ts"),
  },
  doctor: {
    about: "check the installation and suggest what to do",
    load: () => import("./commands/doctor.ts"),
  },
  health: {
    about: "ask the running service whether it can serve",
    load: () => import("./commands/health.ts"),
  },
};

/** Of a running service, beside `cadastre hosts list` and the like, which are made from its document. */
const OF_CLIENT: Record<string, string> = {
  login: "log in to a running service, for the commands below",
  logout: "end that login",
  import: "make and change many records of it at once",
  export: "print a list or a feed",
  free: "print the next free addresses of a network",
  vars: "print the variables of a host",
  changes: "print what was changed, or follow it",
  undo: "take a change back",
  call: "call any operation of the API",
  completion: "print the completion for a shell",
};

const HELP = `Cadastre ${version}: a register of equipment and networks.

Usage: cadastre <command> [options]

${Object.entries(COMMANDS)
  .map(([name, { about }]) => `  ${name.padEnd(11)} ${about}`)
  .join("\n")}

${Object.entries(OF_CLIENT)
  .map(([name, about]) => `  ${name.padEnd(11)} ${about}`)
  .join("\n")}

    cadastre hosts list 'scope:Lab'
    cadastre hosts --help

See cadastre <command> --help. Without a command, Cadastre serves. With --config FILE, every command takes
settings from a file, too; see cadastre setup.`;

process.exitCode = await main(process.argv.slice(2));

async function main(words: string[]): Promise<number> {
  let [name = ""] = words;
  try {
    if (name && !name.startsWith("-") && !Object.hasOwn(COMMANDS, name)) {
      const client = await import("./client/mod.ts");
      const code = await client.run(words, Object.keys(COMMANDS));
      if (code !== undefined) return code;
    }
    const [first = "serve", ...args] = takeConfig(words);
    name = first;
    await runCommand(name, args);
    return 0;
  } catch (error) {
    const { expectedError } = await import("./commands/expected.ts");
    const known = expectedError(error);
    const hint = known instanceof UsageError ? `; see ${helpFor(name)}` : "";
    process.stderr.write(`${known.message}${hint}\n`);
    return 1;
  }
}

/** Every command takes --config FILE, before its name or after it. */
function takeConfig(words: string[]): string[] {
  const at = words.findIndex((word) => word === "--config" || word.startsWith("--config="));
  if (at < 0) return words;
  const [, inside] = /^--config=(.*)$/s.exec(words[at] ?? "") ?? [];
  const file = inside ?? words[at + 1];
  if (!file) throw new UsageError("--config needs a file");
  process.env.CADASTRE_CONFIG = file;
  return words.toSpliced(at, inside === undefined ? 2 : 1);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function runCommand(name: string, args: string[]): Promise<void> {
  if (name === "--help" || name === "-h") return print(HELP);
  if (name === "--version") return print(`cadastre ${version}`);
  const command = Object.hasOwn(COMMANDS, name) ? await COMMANDS[name]?.load() : undefined;
  if (!command) throw new UsageError(`There is no command '${name}'`);
  if (args.includes("--help") || args.includes("-h")) return print(command.help);
  const file = process.env.CADASTRE_CONFIG?.trim();
  if (file && name !== "setup") (await import("./config_file.ts")).loadConfigFile(file);
  await command.run(args);
}

function helpFor(name: string): string {
  return Object.hasOwn(COMMANDS, name) ? `cadastre ${name} --help` : "cadastre --help";
}
