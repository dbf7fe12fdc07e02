// A file of settings, in the format of EnvironmentFile of systemd. The environment has precedence.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { reason } from "../db/embedded/cannot_start.ts";
import { WrongSetting } from "./config.ts";

/** NAME=value, where the value may be quoted. */
const ASSIGNMENT = /^\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s;
const COMMENT = /^\s*(?:[#;].*)?$/;
const PLAIN = /^[\w@%+=:,./?&~!*-]*$/;

let loaded: string | undefined;

/** The file whose settings are in force. */
export function configFile(): string | undefined {
  return loaded;
}

/** Adds the settings of the file to the environment of this process. */
export function loadConfigFile(path: string): void {
  loaded = resolve(path);
  for (const [name, value] of Object.entries(readConfigFile(loaded))) {
    // An empty variable counts as none, as in config.ts.
    if (!process.env[name]?.trim()) process.env[name] = value;
  }
  // Workers inherit the environment, and commands in messages name the file.
  process.env.CADASTRE_CONFIG = loaded;
}

export function readConfigFile(path: string): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const { name, value } of linesIn(textOf(path))) {
    if (name !== undefined) settings[name] = value;
  }
  return settings;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new WrongSetting(`The settings in ${path} cannot be read: ${reason(error)}`);
  }
}

/** Without a name it is a comment, or what systemd would ignore. */
interface Line {
  text: string;
  name: string | undefined;
  value: string;
}

/** The lines; a line that ends in a backslash goes on with the next one. */
function linesIn(text: string): Line[] {
  const lines = text.match(/(?:[^\n\\]|\\[\s\S])*(?:\n|$)/g) ?? [];
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const [, name, value = ""] = COMMENT.test(line) ? [] : (ASSIGNMENT.exec(line) ?? []);
      return { text: line, name, value: unquoted(value) };
    });
}

/** As systemd reads it: '…' as it is, "…" and the rest with backslashes. */
function unquoted(written: string): string {
  const value = written.trim();
  const [, quote = "", inside = ""] = /^(['"])([\s\S]*)\1$/.exec(value) ?? [];
  if (quote === "'") return inside;
  const text = quote === "" ? value : inside;
  return text.replace(/\\\n/g, "").replace(/\\([\s\S])/g, "$1");
}

/** The text of a file with these settings: other lines stay as they are. */
export function withSettings(text: string, settings: Record<string, string>): string {
  const missing = new Map(Object.entries(settings));
  const lines = linesIn(text).map((line) => {
    const value = line.name === undefined ? undefined : settings[line.name];
    if (line.name === undefined || value === undefined) return line.text;
    missing.delete(line.name);
    return `${assignment(line.name, value)}\n`;
  });
  const kept = lines.join("");
  const added = [...missing].map(([name, value]) => `${assignment(name, value)}\n`);
  return kept + (kept === "" || kept.endsWith("\n") ? "" : "\n") + added.join("");
}

function assignment(name: string, value: string): string {
  return `${name}=${PLAIN.test(value) ? value : `"${value.replace(/["\\`$]/g, "\\$&")}"`}`;
}

/** A command of this program as people type it here. */
export function commandLine(command: string): string {
  const file = configFile();
  return `cadastre ${command}${file ? ` --config ${file}` : ""}`;
}

/** The command that sets a setting. */
export function settingCommand(name: string, value: string): string {
  const file = configFile();
  return file ? `echo '${name}=${value}' >> ${file}` : `export ${name}=${value}`;
}
