// The man page cadastre(1), made from the help of the commands.
import type { CommandHelp, Help, Setting } from "./help.ts";
import { date, type Release } from "./release.ts";

/** What the packages add to the program. */
const FILES: Setting[] = [
  { names: "/etc/cadastre/cadastre.env", text: "the settings of the service cadastre.service" },
  { names: "/var/lib/cadastre", text: "the database of the service" },
];

export function manual(help: Help, version: Release): string {
  const day = date(version).toISOString().slice(0, 10);
  return [
    `.TH CADASTRE 1 ${day} "Cadastre ${version.version}" "User Commands"`,
    ".SH NAME",
    `cadastre \\- ${escaped(help.about)}`,
    ".SH SYNOPSIS",
    ...help.commands.flatMap(({ usage }) => usage.flatMap(synopsis)).slice(0, -1),
    ".SH DESCRIPTION",
    escaped(help.closing),
    ".SH COMMANDS",
    ...help.commands.flatMap(section),
    ".SH ENVIRONMENT",
    ...settingsOf(help).flatMap(entry),
    ".SH FILES",
    ...FILES.flatMap(entry),
    "",
  ].join("\n");
}

/** Each setting once: several commands have the same. */
function settingsOf({ commands }: Help): Setting[] {
  const all = commands.flatMap(({ settings }) => settings);
  return [...new Map(all.map((setting) => [setting.names, setting])).values()];
}

function synopsis(line: string): string[] {
  const [, command = "", rest = ""] = /^(cadastre(?: [a-z]+)+)(.*)$/.exec(line) ?? [];
  return [`.B ${escaped(command)}`, ...(rest ? [escaped(rest.trim())] : []), ".br"];
}

function section({ name, paragraphs }: CommandHelp): string[] {
  return [
    `.SS ${name}`,
    ...paragraphs.flatMap((block, at) => [...(at ? [".PP"] : []), ...text(block)]),
  ];
}

function text(block: string): string[] {
  const lines = block.split("\n").map(escaped);
  return block.startsWith("  ") || /\n {2}/.test(block) ? [".nf", ...lines, ".fi"] : lines;
}

function entry({ names, text: said }: Setting): string[] {
  return [".TP", `.B ${escaped(names)}`, escaped(said)];
}

/** A dot or an apostrophe at the start of a line would be a request. */
function escaped(line: string): string {
  return line
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("^", "\\(ha")
    .replaceAll("~", "\\(ti")
    .replaceAll("…", "...")
    .replace(/^(\s*)([.'])/gm, "$1\\&$2");
}
