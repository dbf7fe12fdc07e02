// Who the client is: the address of the service and a token, from the environment or from the file of `cadastre login`.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import {
  ClientFailure,
  EXIT,
  jsonOf,
  type ServiceAccess,
  send,
  textOf,
  wrongUse,
} from "./service.ts";

interface StoredLogin {
  origin: string;
  token: string;
  /** Whether the token was made for this file, and ends with it. */
  isOwn: boolean;
}

/** Days for which a login is good. */
const DAYS = 90;

function loginFile(): string {
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "cadastre", "login.json");
}

/** Undefined if there was no login, and the environment names no service. */
export function findAccess(): ServiceAccess | undefined {
  const { CADASTRE_URL: url, CADASTRE_TOKEN: token } = process.env;
  if (url && token) return { origin: originOf(url), token };
  const stored = readLogin();
  const origin = url ? originOf(url) : stored?.origin;
  // A token is never sent to another service than its own.
  return origin === undefined
    ? undefined
    : { origin, token: token || (stored?.origin === origin ? stored.token : undefined) };
}

export function requireAccess(): ServiceAccess {
  const access = findAccess();
  if (access) return access;
  throw new ClientFailure(EXIT.denied, "There is no login; see cadastre login --help");
}

function originOf(url: string): string {
  const address = URL.parse(url.includes("://") ? url : `https://${url}`);
  if (address && /^https?:$/.test(address.protocol)) return address.origin;
  throw wrongUse(`'${url}' is not an address such as https://cadastre.example.org`);
}

function readLogin(): StoredLogin | undefined {
  const file = loginFile();
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return undefined;
  if ((found.mode & 0o077) === 0) return JSON.parse(readFileSync(file, "utf8"));
  const message = `Others can read ${file}, so its token is not used: log in again, or chmod 600`;
  throw new ClientFailure(EXIT.denied, message);
}

/** Others see the former file or the new one, and only its owner can read it. */
export async function writePrivately(file: string, text: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  renameSync(draft, file);
}

/** Returns what to say. The token comes from standard input, or is made with a password. */
export async function logIn(url: string, user?: string, isGiven = false): Promise<string> {
  const origin = originOf(url);
  const token = isGiven ? (await Bun.stdin.text()).trim() : await makeToken(origin, user);
  if (!/^[\x21-\x7e]+$/.test(token)) throw wrongUse("This is no token");
  const stored: StoredLogin = { origin, token, isOwn: !isGiven };
  const { username } = await jsonOf<{ username: string }>(
    await send(stored, { path: "/api/v1/user/profile" }),
  );
  await writePrivately(loginFile(), `${JSON.stringify(stored)}\n`);
  return `You are ${username} at ${origin}; the token is in ${loginFile()}`;
}

/** A personal token: it can be revoked by itself, and shows on the profile page. */
async function makeToken(origin: string, user: string | undefined): Promise<string> {
  if (!process.stdin.isTTY)
    throw wrongUse("There is no terminal to ask for a password; give a token with --token");
  const post = async <T>(path: string, body: object, token?: string) =>
    jsonOf<T>(await send({ origin, token }, { method: "POST", path: `/api/v1/user${path}`, body }));
  const asked = await ask(user);
  const { access_token } = await post<{ access_token: string }>("/login", asked);
  const expires_at = new Date(Date.now() + DAYS * 86_400_000).toISOString().slice(0, 10);
  const wanted = { description: `cadastre on ${hostname()}`.slice(0, 200), expires_at };
  return (await post<{ token: string }>("/tokens", wanted, access_token)).token;
}

/** The password is not shown. */
async function ask(user: string | undefined): Promise<{ username: string; password: string }> {
  let isHidden = false;
  const output = new Writable({
    write: (text, _encoding, done) => {
      if (!isHidden) process.stderr.write(text);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  lines.once("SIGINT", () => process.exit(130));
  const username = user ?? (await lines.question("User: "));
  process.stderr.write("Password: ");
  isHidden = true;
  const password = await lines.question("");
  process.stderr.write("\n");
  lines.close();
  return { username, password };
}

export async function logOut(): Promise<string> {
  const stored = readLogin();
  if (!stored) return "There was no login";
  rmSync(loginFile());
  if (!stored.isOwn) return `${loginFile()} is deleted; its token is still valid`;
  await textOf(await send(stored, { method: "DELETE", path: "/api/v1/user/tokens/self" }));
  return `The token of ${stored.origin} is revoked`;
}
