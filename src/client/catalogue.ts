// The commands of the client: those that are written here, and those that the document describes.
import { parseArgs } from "node:util";
import * as remote from "./document.ts";
import { wrongUse } from "./service.ts";

const GENERAL = "[--output FORMAT] [--quiet] [--help]";
const OF_LIST = "[--filter NAME=VALUE] [--fields A,B] [--sort A,-B] [--limit N] [--resume AT]";

/** How a command is used, with its options; what it does; and how it looks. */
const WRITTEN: Record<string, string> = {
  login: `login URL [--user NAME] [--token]
Asks for a user and a password, and stores a token of its own, which is good for 90 days, in a file that only you
can read. With --token it takes a token from standard input. CADASTRE_URL and CADASTRE_TOKEN have precedence.
    cadastre login https://cadastre.example.org`,
  logout: `logout
Revokes the token that login made, and deletes its file.
    cadastre logout`,
  import: `import RESOURCE FILE [apply=good] [--dry-run]
Makes and changes the records of a file, CSV or a JSON object on each line. Nothing is written if a row is refused,
unless apply=good writes the others.
    cadastre import hosts hosts.csv --dry-run`,
  export: `export RESOURCE|FEED [QUERY] [NAME=VALUE ...] ${OF_LIST}
Prints a list, usually as CSV, or one of the feeds.
    cadastre export items location='Hall A' > items.csv
    cadastre export ansible scope=Lab`,
  free: `free NETWORK
Prints the next free address of a network, as far as you see what is in use.
    cadastre free CSLab`,
  vars: `vars HOST
Prints the variables of a host as Ansible merges them, and where they come from.
    cadastre vars web-01`,
  changes: `changes [NAME=VALUE ...] ${OF_LIST} [--follow]
Prints what was changed, the newest first, or with --follow each change as it happens.
    cadastre changes --follow scope=Lab`,
  undo: `undo CHANGE [--dry-run]
Takes a change back, all or nothing. Each command that writes names its change.
    cadastre undo c4ulxzrkqf2wojm5dnty7sbhgv`,
  call: `call OPERATION [NAME=VALUE ...] ${OF_LIST} [--dry-run] [--if-match ETAG] [--etag]
Calls an operation of the API, with its values by their names.
    cadastre call addItemComment id=AAA001 body='The fan was replaced'`,
  completion: `completion bash|zsh|fish
Prints the completion for a shell, which asks the service for names.
    cadastre completion bash > ~/.local/share/bash-completion/completions/cadastre`,
};

const VERBS: Record<string, string> = {
  list: `[QUERY] [FIELD=VALUE ...] ${OF_LIST}`,
  get: "NAME [--fields A,B] [--etag]",
  create: "FIELD=VALUE ... [--dry-run]",
  set: "NAME FIELD=VALUE ... [--dry-run] [--if-match ETAG]",
  put: "NAME FIELD=VALUE ... [--dry-run] [--if-match ETAG]",
  delete: "NAME [--dry-run] [--if-match ETAG]",
  import: "FILE [apply=good] [--dry-run]",
};

export const NAMES = Object.keys(WRITTEN);

export function isWritten(name: string): boolean {
  return Object.hasOwn(WRITTEN, name);
}

export function isVerb(word: string): boolean {
  return Object.hasOwn(VERBS, word);
}

/** What is known of a command before the document is there. */
function textOf([name = "", verb = ""]: readonly string[]): string {
  if (name !== "call" && isVerb(verb)) return `${name} ${verb} ${VERBS[verb]}`;
  return (isWritten(name) && WRITTEN[name]) || `${name} VERB ...`;
}

export function usageOf(words: readonly string[]): string {
  return textOf(words).split("\n")[0] ?? "";
}

const OPTIONS = {
  help: { type: "boolean", short: "h" },
  quiet: { type: "boolean", short: "q" },
  output: { type: "string", short: "o" },
  filter: { type: "string", multiple: true },
  fields: { type: "string" },
  sort: { type: "string" },
  limit: { type: "string", short: "n" },
  resume: { type: "string" },
  "dry-run": { type: "boolean" },
  "if-match": { type: "string" },
  etag: { type: "boolean" },
  follow: { type: "boolean", short: "f" },
  user: { type: "string" },
  token: { type: "boolean" },
} as const;

export type ClientOptions = ReturnType<typeof parse>["values"];

/** Refuses options that the command does not have. */
export function readWords(args: string[]) {
  try {
    const { values, positionals } = parse(optionsOf(args), args);
    return { options: values, words: positionals };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw wrongUse(error.message.split(/\.\s/)[0] ?? "");
  }
}

function parse(names: string[], args: string[]) {
  const own = Object.entries(OPTIONS).filter(([name]) => names.includes(`--${name}`));
  const options = Object.fromEntries(own) as typeof OPTIONS;
  return parseArgs({ args, allowPositionals: true, options });
}

export function optionsOf(words: readonly string[]): string[] {
  return `${usageOf(words)} ${GENERAL}`.match(/--[a-z-]+/g) ?? [];
}

/** Short forms as the commands that they stand for. */
function expanded(
  { operations }: remote.RemoteCommands,
  [name = "", ...args]: readonly string[],
  follows: boolean,
): string[] {
  const [first = "", ...rest] = args;
  const feed = name === "export" ? remote.feedsOf(operations).get(first) : undefined;
  if (feed) return ["call", feed.operationId, ...rest];
  if (name === "export") return [first, "list", ...rest];
  if (name === "import") return [first, "import", ...rest];
  if (name === "vars") return ["call", "getHostVariables", ...args];
  if (name === "undo") return ["call", "undoChange", ...args];
  if (name !== "changes" || isVerb(first)) return [name, ...args];
  return follows ? ["call", "followEvents", ...args] : [name, "list", ...args];
}

/** The operation that the words name, and the words after its name; undefined while they name none. */
export function findOperation(
  commands: remote.RemoteCommands,
  words: readonly string[],
  follows = false,
): { operation: remote.RemoteOperation; rest: string[] } | undefined {
  const [name = "", second = "", ...rest] = expanded(commands, words, follows);
  const operation =
    name === "call"
      ? commands.operations.find(({ operationId }) => operationId === second)
      : commands.resources.get(name)?.verbs[second];
  return operation && { operation, rest };
}

/** Why the words name no operation. */
export function unknownCommand({ resources }: remote.RemoteCommands, [name = "", verb]: string[]) {
  if (isWritten(name))
    return wrongUse(`There is nothing to ${name} that is called '${verb ?? ""}'`);
  const names = Object.keys(resources.get(name)?.verbs ?? {});
  if (names.length > 0) return wrongUse(`${name}: Say one of ${names.join(", ")}`);
  return wrongUse(`There is no command '${name}'; records are ${[...resources.keys()].join(", ")}`);
}

export function writtenHelp(words: string[]): string {
  const [usage, ...about] = textOf(words).split("\n");
  return [`Usage: cadastre ${usage} ${GENERAL}`, "", ...about].join("\n");
}

/** Of an operation, or the list of those that may follow. */
export function remoteHelp(commands: remote.RemoteCommands, words: string[]): string {
  const { operation } = findOperation(commands, words) ?? {};
  if (operation) return operationHelp(commands.document, operation, words);
  const { verbs } = commands.resources.get(words[0] ?? "") ?? {};
  const all = verbs ?? Object.fromEntries(commands.operations.map((one) => [one.operationId, one]));
  const rows = Object.entries(all).map(([name, { summary }]) => row(name, summary));
  const example = verbs && `\n    cadastre ${words[0]} ${Object.keys(verbs)[0]} --help\n`;
  return [writtenHelp(words), example, rows.join("\n")].filter(Boolean).join("\n");
}

function row(name: string, about: string): string {
  return `  ${name.padEnd(24)} ${about}`;
}

function operationHelp(
  document: remote.ServiceDocument,
  operation: remote.RemoteOperation,
  words: string[],
): string {
  const { summary, description, parameters, operationId } = operation;
  const { properties: fields = {}, required = [] } = remote.bodyOf(document, operation) ?? {};
  const written = Object.entries(fields).map(([name, schema]) => {
    const [first] = remote.alternatives(document, schema);
    const about =
      schema.description ?? first?.description ?? possibleWords(document, schema).join(", ");
    return row(required.includes(name) ? `${name} *` : name, about);
  });
  const read = parameters
    .filter(({ in: place, name }) => place !== "header" && !/^(dry_run|fields|sort)$/.test(name))
    .map(({ name, description: about }) => row(name, about || "a filter"));
  const [field = ""] = [...required, ...Object.keys(fields)];
  const usage = usageOf(words).replace("OPERATION", operationId);
  const named = usage
    .replace(/ \[.*/, "")
    .replace("NAME", "one")
    .replace(/FIELD=.*/, `${field}=…`);
  return [
    `Usage: cadastre ${usage} ${GENERAL}`,
    `${summary}. ${description}`,
    `    cadastre ${named}`,
    ...(written.length > 0 ? [`Fields (* is required):\n${written.join("\n")}`] : []),
    ...(read.length > 0 ? [`Values:\n${read.join("\n")}`] : []),
  ].join("\n\n");
}

/** The words that a value may be, if it is one of some. */
export function possibleWords(
  document: remote.ServiceDocument,
  schema: remote.ValueSchema,
): string[] {
  return remote.alternatives(document, schema).flatMap(({ type, enum: words = [], items }) => {
    if (type === "boolean") return ["true", "false"];
    return items ? possibleWords(document, items) : words.flatMap((one) => one ?? []).map(String);
  });
}
