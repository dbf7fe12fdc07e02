// The client of a running service: the commands that the server does not have itself.
import { findAccess, logIn, logOut, requireAccess } from "./account.ts";
import * as catalogue from "./catalogue.ts";
import { call, printFree, type RemoteClient } from "./commands.ts";
import { candidates, PATIENCE, SCRIPTS } from "./completion.ts";
import { readCommands } from "./document.ts";
import * as output from "./output.ts";
import { ClientFailure, EXIT, wrongUse } from "./service.ts";

/** Returns the exit code, or undefined if the command is none of the client, as far as it knows without a service. */
export async function run(
  words: string[],
  ofServer: readonly string[],
): Promise<number | undefined> {
  process.stdout.on("error", endQuietly);
  const [name = "", verb = ""] = words;
  try {
    if (name === "__complete") return await complete(words.slice(1), ofServer);
    const isOurs = catalogue.isWritten(name) || catalogue.isVerb(verb);
    if (!isOurs && !findAccess()) return undefined;
    return await runCommand(name, words);
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error;
    const { code, message } = error;
    const command = catalogue.isWritten(name)
      ? ` ${name}`
      : catalogue.isVerb(verb)
        ? ` ${name} ${verb}`
        : "";
    output.say(code === EXIT.usage ? `${message}; see cadastre${command} --help` : message);
    return code;
  }
}

/** The reader has gone, as `head` does. */
function endQuietly(error: Error & { code?: string }): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
}

async function runCommand(name: string, args: string[]): Promise<number> {
  const { options, words } = catalogue.readWords(args);
  const [, ...rest] = words;
  const isAlone = catalogue.isWritten(name) && rest.length === 0;
  // With a service, it lists all operations.
  if (options.help && isAlone && (name !== "call" || !findAccess()))
    return help(catalogue.writtenHelp(words));
  switch (name) {
    case "login":
    case "logout": {
      const isLogin = name === "login";
      if (rest.length !== Number(isLogin))
        throw wrongUse(`Use it as cadastre ${catalogue.usageOf(words)}`);
      const { user, token, quiet } = options;
      const done = isLogin ? await logIn(rest[0] ?? "", user, token) : await logOut();
      if (!quiet) output.say(done);
      return 0;
    }
    case "completion": {
      const script = SCRIPTS[rest[0] ?? ""];
      if (!script) throw wrongUse(`Say one of ${Object.keys(SCRIPTS).join(", ")}`);
      return help(script);
    }
  }
  const client = await connect(options);
  if (name === "free") return printFree(client, rest);
  const found = catalogue.findOperation(client, words, options.follow);
  const isOverview = rest.length === 0 && (name === "call" || client.resources.has(name));
  if (options.help || (!found && isOverview)) return help(catalogue.remoteHelp(client, words));
  if (!found) throw catalogue.unknownCommand(client, words);
  const { operation } = found;
  if (name === "vars") client.usualFormat = "yaml";
  if (name === "export") client.usualFormat = operation.path.includes("/export/") ? "json" : "csv";
  return call(client, operation, found.rest);
}

async function connect(options: catalogue.ClientOptions, patience?: number): Promise<RemoteClient> {
  const access = requireAccess();
  const commands = await readCommands(access, patience);
  return { ...commands, access, options, usualFormat: "table" };
}

async function help(text: string): Promise<number> {
  await output.print(`${text}\n`);
  return 0;
}

/** Nothing is said of what fails: somebody is typing. */
async function complete(words: string[], ofServer: readonly string[]): Promise<number> {
  const all = [...ofServer, ...catalogue.NAMES];
  const found = await connect(catalogue.readWords([]).options, PATIENCE)
    .then((client) => candidates(client, ofServer, words))
    .catch(() => all.filter((one) => words.length < 2 && one.startsWith(words[0] ?? "")));
  await output.print(found.map((one) => `${one}\n`).join(""));
  return 0;
}
