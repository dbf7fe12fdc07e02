// Completion in shells, whose scripts call the program back: `cadastre __complete WORD ... CURRENT` prints a candidate on
// each line.
import { findOperation, NAMES, optionsOf, possibleWords } from "./catalogue.ts";
import type { RemoteClient } from "./commands.ts";
import * as remote from "./document.ts";
import { FORMATS, visible } from "./output.ts";
import { jsonOf, type RemoteRecord, send } from "./service.ts";

// Bash takes = and : for ends of words, so what the word has before its last part is cut off. %q quotes names.
export const SCRIPTS: Record<string, string> = {
  bash: `_cadastre() {
  local words word candidate part=\${COMP_WORDS[COMP_CWORD]}
  read -a words <<<"\${COMP_LINE:0:COMP_POINT}x"
  word=\${words[-1]%x}
  words[-1]=$word
  [[ $part == [=:] ]] && part=
  COMPREPLY=()
  while IFS= read -r candidate; do
    if [[ $candidate == *= ]]; then compopt -o nospace; else candidate=$(printf %q "$candidate"); fi
    COMPREPLY+=("\${candidate#"\${word%"$part"}"}")
  done < <(cadastre __complete "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _cadastre cadastre`,
  zsh: `#compdef cadastre
_cadastre() {
  local candidate
  for candidate in "\${(@f)$(cadastre __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $candidate in
      "") ;;
      *=) compadd -S '' -- "$candidate" ;;
      *) compadd -- "$candidate" ;;
    esac
  done
}
compdef _cadastre cadastre`,
  fish: `complete -c cadastre -f -a '(cadastre __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
};

/** What may stand in the place of the last word. */
export async function candidates(
  client: RemoteClient,
  ofServer: readonly string[],
  words: readonly string[],
): Promise<string[]> {
  const current = words.at(-1) ?? "";
  const found = await possible(client, words.slice(0, -1), current);
  const all = words.length < 2 ? [...ofServer, ...NAMES, ...found] : found;
  return all.filter((one) => one.startsWith(current) && one === visible(one));
}

async function possible(
  client: RemoteClient,
  before: string[],
  current: string,
): Promise<string[]> {
  const { resources, operations } = client;
  const [command] = before;
  const [previous = ""] = before.slice(-1);
  if (/^(-o|--output)$/.test(previous)) return [...FORMATS];
  if (current.startsWith("-")) return optionsOf(before);
  const plain = before.filter((one) => !one.startsWith("-"));
  const found = findOperation(client, plain);
  if (found) return ofOperation(client, found.operation, [...found.rest, current]);
  switch (command) {
    case undefined:
      return [...resources.keys()];
    case "completion":
      return Object.keys(SCRIPTS);
    case "free":
      return namesOf(client, "networks", current);
    case "call":
      return operations.map(({ operationId }) => operationId);
    case "export":
      return [...resources.keys(), ...remote.feedsOf(operations).keys()];
    case "import":
      return [...resources].flatMap(([name, { verbs }]) => (verbs.import ? name : []));
  }
  return Object.keys(resources.get(command)?.verbs ?? {});
}

/** The name of a record, name=, or what may follow it. */
async function ofOperation(
  client: RemoteClient,
  operation: remote.RemoteOperation,
  words: string[],
): Promise<string[]> {
  const { parameters, path } = operation;
  const { properties: fields = {} } = remote.bodyOf(client.document, operation) ?? {};
  const current = words.at(-1) ?? "";
  const all = [...client.resources];
  const isNamed = path.includes("{") && words.length === 1 && !current.includes("=");
  const own = all.find(([, { verbs }]) => path.startsWith(`${verbs.list?.path}/`));
  if (isNamed) return namesOf(client, own?.[0], current);
  const read = parameters.filter((one) => one.in !== "header");
  const [, name, text = ""] = /^(\w+)=(.*)$/s.exec(current) ?? [];
  if (name === undefined) {
    const names = [...Object.keys(fields), ...read.map((one) => one.name)];
    return names.filter((one) => one !== "lookups").map((one) => `${one}=`);
  }
  const schema = fields[name] ?? read.find((one) => one.name === name)?.schema;
  const options = schema ? possibleWords(client.document, schema) : [];
  const of = all.find(([plural, { singular }]) => [plural, singular].includes(name));
  const values = options.length > 0 ? options : await namesOf(client, of?.[0], text);
  return values.map((value) => `${name}=${value}`);
}

/** Milliseconds: somebody waits for it. */
export const PATIENCE = 2_000;

async function namesOf(
  { access, resources }: RemoteClient,
  name: string | undefined,
  prefix: string,
): Promise<string[]> {
  const { key, verbs } = resources.get(name ?? "") ?? {};
  if (!key || !verbs?.list) return [];
  const query = new URLSearchParams({ fields: key, per_page: "50" });
  // Addresses have no such lookup.
  if (prefix && key !== "address") query.set(`${key}__startswith`, prefix);
  const answer = await send(access, { path: verbs.list.path, query, patience: PATIENCE });
  return (await jsonOf<RemoteRecord[]>(answer)).map((record) => String(record[key]));
}
