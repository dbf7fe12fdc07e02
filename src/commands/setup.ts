import { existsSync, lstatSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { formatDatabaseAddress, readDatabaseAddress } from "../../db/address.ts";
import { messageIn } from "../../db/errors.ts";
import { readablePassword } from "../auth/secret.ts";
import { type Config, readConfig } from "../config.ts";
import { readConfigFile, withSettings } from "../config_file.ts";
import { openDatabase } from "../start.ts";
import { writeAtomically } from "../system/backup/atomic_file.ts";
import { requireStrong } from "../user/passwords.ts";
import { positionalArguments, readArguments } from "./arguments.ts";
import { print, printMessage, readLine } from "./console.ts";
import { CommandFailed } from "./failed.ts";
import {
  databaseSettings,
  hasUsers,
  type SetupSettings,
  whyInvalid,
  whyNoAddress,
  whyNoDatabase,
} from "./setup_checks.ts";

const SYSTEM_FILE = "/etc/cadastre/cadastre.env";
const UNITS = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"];

export const help = `Asks where the data is, where to listen, which address people use, and for the first admin; checks the
answers, writes them to a file of settings, makes the database and the admin, and says how to start.

Usage: cadastre setup [--config FILE] [--data-dir DIR | --database-url URL] [--host ADDRESS] [--port NUMBER]
                      [--public-url URL] [--admin NAME] [--password-stdin]

FILE is ${SYSTEM_FILE} if that directory can be written to, else ./cadastre.env. It has one
NAME=value a line, as EnvironmentFile of systemd; cadastre serve --config FILE reads it, and so does every other
command. Settings that were in it stay, and are the defaults. An option answers a question; without a terminal,
nothing is asked. A password is made and shown once, unless --password-stdin reads one from standard input.`;

const OPTIONS = {
  "data-dir": { type: "string" },
  "database-url": { type: "string" },
  host: { type: "string" },
  port: { type: "string" },
  "public-url": { type: "string" },
  admin: { type: "string" },
  "password-stdin": { type: "boolean", default: false },
} as const;

type Options = ReturnType<typeof optionsIn>;

interface Admin {
  name: string;
  password: string;
  isGenerated: boolean;
}

export async function run(args: string[]): Promise<void> {
  const options = optionsIn(args);
  const file = resolve(process.env.CADASTRE_CONFIG?.trim() || defaultFile());
  const existing = existsSync(file) ? readConfigFile(file) : {};
  const standard = { ...settingsIn(process.env), ...settingsIn(existing) };
  const asked = process.stdin.isTTY && !options["password-stdin"] ? prompt() : null;
  try {
    const settings = await answers(options, standard, asked);
    const admin = (await hasUsers(settings)) ? null : await adminOf(options, settings, asked);
    asked?.close();
    const isChanged = await write(file, changesIn(settings, existing));
    await prepare(settings, admin);
    summarize({ file, isChanged, settings, admin });
  } finally {
    asked?.close();
  }
}

function optionsIn(args: string[]) {
  const { values, positionals } = readArguments({ args, allowPositionals: true, options: OPTIONS });
  positionalArguments(positionals);
  return values;
}

function defaultFile(): string {
  return existsSync(dirname(SYSTEM_FILE)) && process.getuid?.() === 0
    ? SYSTEM_FILE
    : "cadastre.env";
}

/** The settings that are asked for. */
function settingsIn(from: Record<string, string | undefined>): SetupSettings {
  const names = ["DATA_DIR", "DATABASE_URL", "HOST", "PORT", "PUBLIC_URL", "ADMIN_USERNAME"];
  const found = names.map((name) => [name, from[name]?.trim() ?? ""] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== ""));
}

async function answers(
  options: Options,
  standard: SetupSettings,
  asked: Prompt | null,
): Promise<SetupSettings> {
  const database = await answer(asked, {
    given: options["database-url"] ?? options["data-dir"],
    question:
      "Data: a directory for the embedded PostgreSQL, or postgres://user:password@host/name",
    standard: standard.DATABASE_URL ?? resolve(standard.DATA_DIR ?? "data"),
    check: (text) => whyNoDatabase(databaseSettings(text)),
  });
  const { HOST = "127.0.0.1", PORT = "3000" } = standard;
  const { host = HOST, port = PORT } = options;
  const address = await answer(asked, {
    given: (options.host ?? options.port) ? `${host}:${port}` : undefined,
    question: "Address and port to listen on",
    standard: `${HOST}:${PORT}`,
    check: (text) => whyNoAddress(addressSettings(text)),
  });
  const origin = await answer(asked, {
    given: options["public-url"],
    question: "Address that people use, such as https://cadastre.example.org; empty for any",
    standard: standard.PUBLIC_URL ?? "",
    check: (text) => whyInvalid({ PUBLIC_URL: text }),
  });
  return {
    ...databaseSettings(database),
    ...addressSettings(address),
    PUBLIC_URL: origin,
    ADMIN_USERNAME: standard.ADMIN_USERNAME ?? "",
  };
}

interface SetupQuestion {
  /** By an option. */
  given: string | undefined;
  question: string;
  standard: string;
  check: (answer: string) => Promise<string | null> | string | null;
}

async function answer(
  asked: Prompt | null,
  { given, question, standard, check }: SetupQuestion,
): Promise<string> {
  if (given === undefined && asked) return asked.ask(question, standard, check);
  const text = given ?? standard;
  const refusal = await check(text);
  if (refusal !== null) throw new CommandFailed(refusal);
  return text;
}

function addressSettings(text: string): SetupSettings {
  const [, host = "", port = ""] = /^(?:\[?(.*?)\]?:)?(\d+)$/.exec(text) ?? [];
  return { HOST: host || "127.0.0.1", PORT: port || text };
}

async function adminOf(
  options: Options,
  { ADMIN_USERNAME }: SetupSettings,
  asked: Prompt | null,
): Promise<Admin> {
  const name = await answer(asked, {
    given: options.admin,
    question: "Name of the first admin",
    standard: ADMIN_USERNAME || "admin",
    check: (text) => whyInvalid({ ADMIN_USERNAME: text }),
  });
  const check = (text: string) => (text === "" ? null : whyWeak(text, name));
  const typed = asked
    ? await asked.askHidden("Password, empty to have one made", check)
    : options["password-stdin"]
      ? await readLine()
      : (process.env.ADMIN_PASSWORD ?? "");
  const refusal = check(typed);
  if (refusal !== null) throw new CommandFailed(refusal);
  if (asked && typed !== "")
    await asked.askHidden("The same again", (text) => (text === typed ? null : "They differ"));
  return { name, password: typed || readablePassword(), isGenerated: typed === "" };
}

function whyWeak(password: string, name: string): string | null {
  try {
    requireStrong(password, name);
    return null;
  } catch (error) {
    return messageIn(error).replace(/^password: /, "");
  }
}

/** Defaults are written as well, so that the file shows them; settings that were never set stay away. */
function changesIn(settings: SetupSettings, existing: SetupSettings): SetupSettings {
  const changed = Object.entries(settings).filter(
    ([name, value]) => value !== (existing[name] ?? ""),
  );
  return Object.fromEntries(changed.filter(([name]) => name !== "ADMIN_USERNAME"));
}

async function write(file: string, changes: SetupSettings): Promise<boolean> {
  if (Object.keys(changes).length === 0 && existsSync(file)) return false;
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  try {
    mkdirSync(dirname(file), { recursive: true });
    await writeAtomically(file, async (to) => {
      to.write(withSettings(text, changes));
    });
  } catch (error) {
    throw new CommandFailed(`${file} cannot be written: ${messageIn(error)}`);
  }
  return true;
}

async function prepare(settings: SetupSettings, admin: Admin | null): Promise<void> {
  const config = readConfig({
    ...settings,
    ...(admin && { ADMIN_USERNAME: admin.name, ADMIN_PASSWORD: admin.password }),
  });
  if (config.databaseUrl === undefined) becomeOwner(config.dataDir);
  const opened = await openDatabase(config, reportWait);
  await opened.stop();
}

/** Only what takes long. */
function reportWait(line: string): void {
  if (line.startsWith("Making")) printMessage(line);
}

/** The service runs as the owner of its data directory; files of root there would keep it out. */
function becomeOwner(dataDir: string): void {
  if (process.getuid?.() !== 0 || !existsSync(dataDir)) return;
  const { uid, gid } = lstatSync(dataDir);
  if (uid === 0) return;
  process.setgroups?.([]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

interface Summary {
  file: string;
  isChanged: boolean;
  settings: SetupSettings;
  admin: Admin | null;
}

function summarize({ file, isChanged, settings, admin }: Summary): void {
  const config = readConfig(settings);
  print(`
Settings  ${file}${isChanged ? "" : ", unchanged"}
Database  ${databaseText(config)}
Admin     ${adminText(admin)}
Start     ${startCommand(file)}
Open      ${originOf(config)}`);
}

function databaseText({ databaseUrl, dataDir }: Config): string {
  const address = databaseUrl === undefined ? null : readDatabaseAddress(databaseUrl);
  return `${address ? formatDatabaseAddress(address) : `embedded in ${dataDir}`}, up to date`;
}

function adminText(admin: Admin | null): string {
  if (!admin) return "not made, because there are users; see cadastre user list";
  const { name, password, isGenerated } = admin;
  return isGenerated ? `${name}, with the password ${password}` : name;
}

function startCommand(file: string): string {
  const isUnit = UNITS.some((path) => existsSync(join(path, "cadastre.service")));
  return file === SYSTEM_FILE && isUnit
    ? "systemctl restart cadastre"
    : `cadastre serve --config ${file}`;
}

function originOf({ publicUrl, host, port }: Config): string {
  if (publicUrl) return publicUrl.origin;
  const name = /^(0\.0\.0\.0|::)$/.test(host) ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Questions on a terminal. */
interface Prompt {
  /** Asks until `check` accepts the answer; an empty answer is the default. */
  ask(question: string, standard: string, check: AnswerCheck): Promise<string>;
  /** What is typed is not shown. */
  askHidden(question: string, check: AnswerCheck): Promise<string>;
  close(): void;
}

/** Null if the answer can be used, else one sentence. */
type AnswerCheck = (answer: string) => Promise<string | null> | string | null;

function prompt(): Prompt {
  let isHidden = false;
  const output = new Writable({
    write: (text, _encoding, done) => {
      if (!isHidden) process.stdout.write(text);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  // Ctrl-C ends the command as everywhere.
  lines.once("SIGINT", () => process.exit(130));

  async function answer(question: string, standard: string): Promise<string> {
    const shown = standard.replace(/(:\/\/[^:@/]*):[^@]*@/, "$1:***@");
    const typed = await lines.question(`${question}${shown === "" ? "" : ` [${shown}]`}: `);
    return typed.trim() || standard;
  }

  async function answerHidden(question: string): Promise<string> {
    process.stdout.write(`${question}: `);
    isHidden = true;
    try {
      return await lines.question("");
    } finally {
      isHidden = false;
      process.stdout.write("\n");
    }
  }

  async function until(read: () => Promise<string>, check: AnswerCheck): Promise<string> {
    for (;;) {
      const text = await read();
      const refusal = await check(text);
      if (refusal === null) return text;
      process.stdout.write(`  ${refusal}\n`);
    }
  }

  return {
    ask: (question, standard, check) => until(() => answer(question, standard), check),
    askHidden: (question, check) => until(() => answerHidden(question), check),
    close: () => lines.close(),
  };
}
