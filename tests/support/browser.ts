// Uses the pages like a browser without scripting: cookies, forms, redirects.
import { sessionSecret, sha256 } from "../../src/auth/secret.ts";
import { type Answer, visit } from "./api.ts";
import { PASSWORD, type Person, stranger } from "./cast.ts";
import { waitUntil } from "./event_stream.ts";
import { texts } from "./html.ts";
import { idOf, service } from "./service.ts";

interface BrowserOptions {
  headers?: Record<string, string>;
}

export interface Browser {
  get(path: string, given?: BrowserOptions): Promise<Answer>;
  submit(path: string, fields: Record<string, string>, given?: BrowserOptions): Promise<Answer>;
  cookie: string;
}

/**
 * A browser with a session of one of the cast, or without. Only `logIn` uses the login form, because comparing a
 * password takes as long as many other requests.
 */
export async function browser(person: Person | typeof stranger): Promise<Browser> {
  const jar = new Map<string, string>();
  if (person !== stranger) jar.set("session", await aSession(person as Person));
  return browserWith(jar);
}

/** A browser that logs in through the form. */
export async function logIn({ username }: Person): Promise<Browser> {
  const own = browserWith(new Map());
  await own.submit("/user/login", { username, password: PASSWORD });
  return own;
}

/** The secret of a new session. */
export async function aSession(person: Person): Promise<string> {
  const secret = sessionSecret();
  const { sql } = await service();
  await sql`
    insert into sessions (user_id, secret_hash, address, expires_at)
    values (${await idOf(person)}, ${sha256(secret)}, '127.0.0.1', now() + interval '12 hours')`;
  return secret;
}

function browserWith(jar: Map<string, string>): Browser {
  const self: Browser = {
    get: (path, given) => open(jar, path, { headers: given?.headers }),
    submit: (path, fields, given) =>
      open(jar, path, {
        method: "POST",
        body: new URLSearchParams(fields),
        headers: { "sec-fetch-site": "same-origin", ...given?.headers },
      }),
    get cookie() {
      return cookieOf(jar);
    },
  };
  return self;
}

/** The change set that the toast after a redirect undoes. */
export function undoIn({ headers }: { headers: Headers }): string {
  return /^notice=.*&undo=(\w+)/m.exec(headers.getSetCookie().join("\n"))?.[1] ?? "";
}

/** The sentences of an empty list, once it corrects words: half a second for it is little on a busy machine. */
export function correctionsOn(own: Browser, path: string): Promise<string[]> {
  return waitUntil(
    async () => texts((await own.get(path)).text, ".empty p"),
    (all) => all.some((text) => text.startsWith("Did you mean")),
  );
}

export const HTMX = { "hx-request": "true", "hx-request-type": "partial" };

async function open(jar: Map<string, string>, path: string, options: RequestInit): Promise<Answer> {
  const { origin } = await service();
  const headers = { accept: "text/html", ...(options.headers as object), cookie: cookieOf(jar) };
  const answer = await visit(origin + path, { ...options, headers });
  for (const line of answer.headers.getSetCookie()) keep(jar, line);
  return answer;
}

function cookieOf(jar: Map<string, string>): string {
  return [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
}

function keep(jar: Map<string, string>, line: string): void {
  const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  if (/max-age=0/i.test(line)) jar.delete(name);
  else jar.set(name, value);
}
