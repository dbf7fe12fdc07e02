import { consoleCaller } from "../auth/auth.ts";
import { Refusal } from "../input/errors.ts";
import { readInput } from "../input/shape.ts";
import * as accounts from "../user/accounts.ts";
import * as tokens from "../user/tokens.ts";
import { positionalArguments, readArguments, runSubcommand } from "./arguments.ts";
import { DATABASE_SETTINGS, print, printMessage, table, withDatabase } from "./console.ts";

export const help = `Lists, adds and revokes personal tokens, without checking permissions.

Usage:
  cadastre token list [USER]
  cadastre token add USER [--description TEXT] [--expires 2030-12-31] [--read-only]
    [--limit network:read ...] [--scope NAME ...] [--from 10.0.0.0/8 ...]
  cadastre token revoke ID

A token is shown once, alone on standard output: TOKEN=$(cadastre token add backup --read-only)

Settings:
${DATABASE_SETTINGS}`;

const ACTIONS = { list, add, revoke };

export function run(args: string[]): Promise<void> {
  return runSubcommand(ACTIONS, args);
}

async function list(args: string[]): Promise<void> {
  const { positionals } = readArguments({ args, allowPositionals: true });
  const [name] = positionals.length > 0 ? positionalArguments(positionals, "USER") : [];
  const held = await withDatabase(async () => {
    const owner = name === undefined ? undefined : await accounts.find(name);
    return tokens.listOfUsers(consoleCaller, owner?.username);
  });
  const rows = held.map((token) => [
    String(token.id),
    token.username,
    token.description ?? "",
    mayOf(token),
    token.expires_at ?? "never",
    token.last_used_at ?? "never",
  ]);
  print(table(["id", "user", "description", "may", "expires", "last used"], rows));
}

function mayOf({ read_only, limits, scopes, networks }: tokens.OwnedToken): string {
  const what = limits.length > 0 ? limits.join(", ") : "read and write";
  const from = networks.length > 0 ? ` from ${networks.join(", ")}` : "";
  const where = scopes.length > 0 ? ` in ${scopes.join(", ")}` : "";
  return (read_only ? "read" : what) + where + from;
}

async function add(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: {
      description: { type: "string" },
      expires: { type: "string" },
      "read-only": { type: "boolean", default: false },
      limit: { type: "string", multiple: true, default: [] },
      scope: { type: "string", multiple: true, default: [] },
      from: { type: "string", multiple: true, default: [] },
    },
  });
  const [name] = positionalArguments(positionals, "USER");
  const { description = null, expires: expires_at = null, "read-only": read_only } = values;
  const { limit: limits, scope: scopes, from: networks } = values;
  const given = { description, expires_at, read_only, limits, scopes, networks };
  const input = readInput(tokens.newToken, given);
  const made = await withDatabase(async () => {
    const { id } = await accounts.findActive(name);
    return JSON.parse((await tokens.createFor(consoleCaller, id, input)).json);
  });
  printMessage(`Token ${made.id} of '${name}', shown this once:`);
  print(made.token);
}

async function revoke(args: string[]): Promise<void> {
  const { positionals } = readArguments({ args, allowPositionals: true });
  const [id] = positionalArguments(positionals, "ID");
  await withDatabase(async () => {
    const held = await tokens.listOfUsers(consoleCaller);
    const token = held.find((one) => String(one.id) === id);
    if (!token) throw new Refusal(404, `There is no token ${id}`);
    await tokens.revoke(consoleCaller, token);
  });
  print(`Token ${id} was revoked`);
}
