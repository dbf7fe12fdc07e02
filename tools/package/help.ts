// Reads the help of the commands, so that the man page and the completion say the same without repeating it.
import { join } from "node:path";
import { ROOT } from "./commands.ts";

export interface Help {
  /** "Cadastre 1.2.0: a register of …" without the version. */
  about: string;
  /** What the help says below the list of commands. */
  closing: string;
  commands: CommandHelp[];
}

export interface CommandHelp {
  name: string;
  about: string;
  /** Each as it is typed: cadastre user add NAME [--groups a,b] */
  usage: string[];
  /** Indented blocks are lists that keep their lines. */
  paragraphs: string[];
  settings: Setting[];
}

export interface Setting {
  /** One or several, as in "HOST, PORT". */
  names: string;
  text: string;
}

/** The help of the program in this tree. */
export async function readHelp(): Promise<Help> {
  const general = await helpOf("--help");
  const rows = [...general.matchAll(/^ {2}([a-z]+) +(.+)$/gm)];
  const commands = await Promise.all(
    rows.map(async ([, name = "", about = ""]) => ({
      name,
      about,
      ...parseCommandHelp(await helpOf(name, "--help")),
    })),
  );
  const [first = "", ...rest] = blocksOf(general);
  const about = /^Cadastre \S+: (.+?)\.?$/.exec(first)?.[1] ?? first;
  return { about, closing: rest.at(-1) ?? "", commands };
}

export function parseCommandHelp(text: string): Omit<CommandHelp, "name" | "about"> {
  const blocks = blocksOf(text);
  const find = (start: string) => blocks.find((block) => block.startsWith(start)) ?? "";
  const [usage, settings] = [find("Usage:"), find("Settings:")];
  return {
    usage: [...usage.matchAll(/^(?:Usage:)? +(cadastre .+)$/gm)].map(([, line = ""]) => line),
    paragraphs: blocks.filter((block) => block !== usage && block !== settings),
    settings: parseSettings(settings),
  };
}

/** Two columns; a long name has its text on the next line. */
function parseSettings(block: string): Setting[] {
  const settings: Setting[] = [];
  for (const line of block.split("\n").slice(1)) {
    const [, names, text = ""] = /^ {2}([A-Z][A-Z_, ]*[A-Z])(?: {2,}(.+))?$/.exec(line) ?? [];
    const last = settings.at(-1);
    if (names) settings.push({ names, text });
    else if (last) last.text = `${last.text} ${line.trim()}`.trim();
  }
  return settings;
}

function blocksOf(text: string): string[] {
  return text.trimEnd().split(/\n{2,}/);
}

async function helpOf(...args: string[]): Promise<string> {
  const command = [process.execPath, join(ROOT, "src", "main.ts"), ...args];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
  return await new Response(child.stdout).text();
}
