import { consoleCaller } from "../auth/auth.ts";
import { readablePassword } from "../auth/secret.ts";
import { readInput } from "../input/shape.ts";
import * as accounts from "../user/accounts.ts";
import { removeAll } from "../user/passkeys/passkeys.ts";
import { mark } from "../user/sign_in/break_glass.ts";
import * as users from "../user/users.ts";
import { positionalArguments, readArguments, runSubcommand } from "./arguments.ts";
import { DATABASE_SETTINGS, print, readLine, table, withDatabase } from "./console.ts";

export const help = `Lists, adds and changes users, without checking permissions.

Usage:
  cadastre user list
  cadastre user add NAME [--groups a,b] [--display-name TEXT] [--email ADDRESS] [--password-stdin]
  cadastre user password NAME [--password-stdin] [--end-tokens]
  cadastre user groups NAME a,b
  cadastre user deactivate NAME
  cadastre user activate NAME
  cadastre user break-glass NAME [--off]
  cadastre user remove-passkeys NAME

Groups are admin, auditor, inventory and network; '' for none. A password is made and shown once, unless
--password-stdin reads one from the first line of standard input. A new password ends every session and login token;
--end-tokens ends the personal tokens, too. A break-glass account is an admin who can always log in by password, whatever
the providers of the login are; each use is in the audit log. Who has lost all passkeys and recovery codes logs in by the
password again when the passkeys are removed.

Settings:
${DATABASE_SETTINGS}`;

const ACTIONS = {
  list,
  add,
  password,
  groups,
  deactivate,
  activate,
  "break-glass": breakGlass,
  "remove-passkeys": removePasskeys,
};
const PASSWORD = { "password-stdin": { type: "boolean" } } as const;

export function run(args: string[]): Promise<void> {
  return runSubcommand(ACTIONS, args);
}

async function list(args: string[]): Promise<void> {
  readArguments({ args });
  const found = await withDatabase(accounts.list);
  const rows = found.map((user) => [
    user.username,
    user.display_name ?? "",
    user.email ?? "",
    user.groups.join(","),
    user.deactivated_at ?? "",
  ]);
  print(table(["username", "display name", "email", "groups", "deactivated"], rows));
}

async function add(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: {
      groups: { type: "string", default: "" },
      "display-name": { type: "string" },
      email: { type: "string" },
      ...PASSWORD,
    },
  });
  const [username] = positionalArguments(positionals, "NAME");
  const { password, note } = await choosePassword(values);
  const { groups, email = null, "display-name": display_name = null } = values;
  const given = { username, password, email, display_name, groups: groupList(groups) };
  const input = readInput(users.newUser, given);
  await withDatabase(() => users.create(consoleCaller, input));
  print(`The user '${input.username.toLowerCase()}' was added${note}`);
}

async function password(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: { ...PASSWORD, "end-tokens": { type: "boolean", default: false } },
  });
  const [name] = positionalArguments(positionals, "NAME");
  const { "end-tokens": end_tokens } = values;
  const { password, note } = await choosePassword(values);
  await update(name, { password, end_tokens });
  const ended = end_tokens ? ", and the personal tokens have ended" : "";
  print(`The password of '${name}' was changed${ended}${note}`);
}

async function groups(args: string[]): Promise<void> {
  const { positionals } = readArguments({ args, allowPositionals: true });
  const [name, given] = positionalArguments(positionals, "NAME", "The list of groups");
  const groups = groupList(given);
  await update(name, { groups });
  print(`The groups of '${name}' are now: ${groups.join(", ") || "none"}`);
}

async function deactivate(args: string[]): Promise<void> {
  const { positionals } = readArguments({ args, allowPositionals: true });
  const [name] = positionalArguments(positionals, "NAME");
  await withDatabase(async () => {
    const { id } = await accounts.findActive(name);
    await users.remove(consoleCaller, id);
  });
  print(`The user '${name}' was deactivated, and every token and session has ended`);
}

async function activate(args: string[]): Promise<void> {
  const { positionals } = readArguments({ args, allowPositionals: true });
  const [name] = positionalArguments(positionals, "NAME");
  await withDatabase(async () => {
    const { id } = await accounts.find(name);
    await users.activate(consoleCaller, id);
  });
  print(`The user '${name}' may log in again`);
}

async function breakGlass(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: { off: { type: "boolean", default: false } },
  });
  const [name] = positionalArguments(positionals, "NAME");
  await withDatabase(async () => {
    const { id } = await accounts.findActive(name);
    await mark(consoleCaller, id, !values.off);
  });
  print(
    `The user '${name}' is ${values.off ? "no" : "a"} break-glass account${values.off ? " any more" : ""}`,
  );
}

async function removePasskeys(args: string[]): Promise<void> {
  const { positionals } = readArguments({ args, allowPositionals: true });
  const [name] = positionalArguments(positionals, "NAME");
  const number = await withDatabase(async () => {
    const { id } = await accounts.find(name);
    return removeAll(consoleCaller, id);
  });
  print(`Removed the passkeys of '${name}': ${number}`);
}

async function update(name: string, given: object): Promise<void> {
  const input = readInput(users.changedUser, given);
  await withDatabase(async () => {
    const { id } = await accounts.findActive(name);
    await users.update(consoleCaller, id, input);
  });
}

function groupList(groups: string): string[] {
  return groups.split(/[\s,]+/).filter((group) => group !== "");
}

/** A password from standard input, or a generated one with a note that shows it once. */
async function choosePassword(options: { "password-stdin"?: boolean }) {
  if (options["password-stdin"]) return { password: await readLine(), note: "" };
  const password = readablePassword();
  return { password, note: `; the password is ${password}` };
}
