// People with passkeys, who use the pages like a browser.
import { type Lies, make, type SoftPasskey, use } from "./authenticator.ts";
import { type Browser, browser } from "./browser.ts";
import { texts } from "./html.ts";
import { api, audrey, idOf, PASSWORD, type Person, service, stranger } from "./mod.ts";

/** Where passkeys work without PUBLIC_URL. */
export async function localhost(): Promise<string> {
  return (await service()).origin.replace("127.0.0.1", "localhost");
}

const JSON_ONLY = { accept: "application/json" };

/** A browser that opens the service as http://localhost. */
export async function localBrowser(person: Person | typeof stranger = stranger): Promise<Browser> {
  const own = await browser(person);
  const { host } = new URL(await localhost());
  return {
    get: (path, given) => own.get(path, { headers: { host, ...given?.headers } }),
    submit: (path, fields, given) =>
      own.submit(path, fields, { headers: { host, ...given?.headers } }),
    get cookie() {
      return own.cookie;
    },
  };
}

/** What the script of a page gets: the options for a passkey, or why not. */
export function optionsFrom(own: Browser, path: string, fields: Record<string, string> = {}) {
  return own.submit(`${path}/options`, fields, { headers: JSON_ONLY });
}

interface Owner {
  own: Browser;
  passkey: SoftPasskey;
  codes: string[];
}

/** A logged in person with a new passkey. */
export async function aPasskey(person: Person, name = "Laptop", lies: Lies = {}): Promise<Owner> {
  const own = await localBrowser(person);
  const { body } = await optionsFrom(own, "/user/passkeys");
  const { passkey, credential } = make(body.create, await localhost(), lies);
  const { text } = await own.submit("/user/passkeys/add", { name, credential });
  return { own, passkey, codes: codesIn(text) };
}

/** The recovery codes that a page shows. */
export function codesIn(html: string): string[] {
  const [shown = ""] = texts(html, "#recovery-codes code");
  return shown.split(" ").filter((code) => code !== "");
}

/** A browser in which the password of the person was entered, with the answer. */
export async function withPassword({ username }: Person, next = "/") {
  const own = await localBrowser();
  const fields = { username, password: PASSWORD, next };
  return { own, answer: await own.submit("/user/login", fields) };
}

const STEP = "/user/login/second-step";

/** Answers the second step with a passkey. */
export async function takeStep(own: Browser, passkey: SoftPasskey, lies: Lies = {}) {
  const { body } = await optionsFrom(own, STEP);
  const credential = use(passkey, body.get, await localhost(), lies);
  return own.submit(STEP, { credential });
}

/** Logs in with a passkey alone. */
export async function logInAlone(own: Browser, passkey: SoftPasskey, lies: Lies = {}) {
  const { body } = await optionsFrom(own, "/user/login/passkey");
  const credential = use(passkey, body.get, await localhost(), lies);
  return own.submit("/user/login/passkey", { credential, next: "/network" });
}

/** Whether the browser has a session. */
export async function isLoggedIn(own: Browser): Promise<boolean> {
  return (await own.get("/user/profile")).status === 200;
}

/** What the audit log has of these events. */
export async function audited(...events: string[]) {
  const { body } = await api(audrey).get("/audit?sort=id&per_page=100");
  return body
    .filter(({ event }: { event: string }) => events.includes(event))
    .map(({ event, username, target, details }: Record<string, unknown>) => ({
      event,
      username,
      target,
      details,
    }));
}

/** The sessions of a person need the password again. */
export async function makeOld(person: Person): Promise<void> {
  const { sql } = await service();
  await sql`
    update sessions set created_at = now() - interval '16 minutes' where user_id = ${await idOf(person)}`;
}

export async function idOfPasskey(name: string): Promise<number> {
  const [found] = await (await service()).sql`select id from passkeys where name = ${name}`;
  return found.id;
}
