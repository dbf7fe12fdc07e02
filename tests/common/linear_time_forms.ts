// Forms, in each of their notations.

import { refused } from "../../pages/parts/forms.tsx";
import { keysIn, textsOf } from "../../pages/request/form_values.ts";
import { parseForm } from "../../src/http/form_body.ts";
import { Refusal } from "../../src/input/errors.ts";
import { MOST_FIELDS, MOST_LOGIN_FIELDS } from "../../src/input/limits.ts";
import { readFormInput } from "../../src/input/shape.ts";
import { newHost } from "../../src/network/hosts/hosts.ts";
import { credentials } from "../../src/user/login.ts";
import { type ParserExample, several } from "../support/example.ts";

const URLENCODED = "application/x-www-form-urlencoded";
const BOUNDARY = "multipart/form-data; boundary=x";
const MARKS = "\u0301\u0316";

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

async function form(text: string, type = URLENCODED, most = MOST_FIELDS): Promise<FormData> {
  return parseForm(bytes(text), type, most);
}

/** As each page reads it, and shows it again. */
async function readPage(text: string, type?: string) {
  const sent = await form(text, type);
  refused(newHost, sent, new Refusal(422, "No"));
  textsOf(sent);
  attempt(() => keysIn(sent, "items"));
  return readFormInput(newHost, sent);
}

function attempt(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

function part(name: string, text = "b"): string {
  return `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
}

export const FORMS: ParserExample[] = [
  {
    name: "login form: one field many times",
    make: (n) => "a&".repeat(12_000 * n),
    parse: (text) => form(text, URLENCODED, MOST_LOGIN_FIELDS),
  },
  {
    name: "login form: a name full of marks",
    make: (n) => `username=a${MARKS.repeat(1_000 * n)}&password=x`,
    parse: async (text) => readFormInput(credentials, await form(text)),
  },
  { name: "page form: one field many times", make: (n) => "a&".repeat(1_200 * n), parse: readPage },
  {
    name: "page form: one known field many times",
    make: (n) => "items=AAA001&".repeat(1_200 * n),
    parse: readPage,
  },
  {
    name: "page form: many fields",
    make: (n) => several(1_200 * n, (at) => `k${at}=v`, "&"),
    parse: readPage,
  },
  {
    name: "page form: a long field",
    make: (n) => `description=${"%C3%A4 ".repeat(15_000 * n)}`,
    parse: readPage,
  },
  {
    name: "page form: in JSON",
    make: (n) => JSON.stringify({ items: Array.from({ length: 1_200 * n }, () => "AAA001") }),
    parse: (text) => readPage(text, "application/json"),
  },
  {
    name: "multipart: many parts",
    make: (n) => `${several(1_200 * n, (at) => part(`k${at}`))}--x--`,
    parse: (text) => readPage(text, BOUNDARY),
  },
  {
    name: "multipart: too many parts",
    make: (n) => part("a").repeat(20_000 * n),
    parse: (text) => readPage(text, BOUNDARY),
  },
  {
    name: "multipart: a part with many headers",
    make: (n) => `--x\r\n${"A: b\r\n".repeat(20_000 * n)}\r\nb\r\n--x--`,
    parse: (text) => readPage(text, BOUNDARY),
  },
  {
    name: "multipart: nearly the boundary",
    make: (n) => `${part("a", "\r\n-".repeat(100_000 * n))}--x--`,
    parse: (text) => readPage(text, BOUNDARY),
  },
];
