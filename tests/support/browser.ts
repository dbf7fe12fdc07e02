// The front door of the pages, as a browser without scripting uses it: cookies, forms, redirects.
import { type Answer, visit } from "./api.ts";
import { PASSWORD, type Person, stranger } from "./cast.ts";
import { service } from "./service.ts";

interface Given {
  headers?: Record<string, string>;
}

export interface Browser {
  get(path: string, given?: Given): Promise<Answer>;
  submit(path: string, fields: Record<string, string>, given?: Given): Promise<Answer>;
  cookie: string;
}

/** Somebody who has logged in through the form, or nobody. */
export async function browser(person: Person | typeof stranger): Promise<Browser> {
  const jar = new Map<string, string>();
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
  if (person !== stranger) {
    const { username } = person as Person;
    await self.submit("/user/login", { username, password: PASSWORD });
  }
  return self;
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
