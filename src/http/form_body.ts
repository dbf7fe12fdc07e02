// Reads the form in a request, in any of the three encodings of forms. The fields are counted before they are
// parsed.

import { invalid, Refusal, refuse } from "../input/errors.ts";
import { readJson } from "../input/json.ts";
import {
  LARGEST_BODY,
  LARGEST_FILE_FORM,
  LARGEST_FILES_FORM,
  MOST_FIELDS,
} from "../input/limits.ts";
import { isObject } from "../input/text.ts";
import { countCharacter, readBytes, tooLarge } from "./request_body.ts";

interface FormLimits {
  /** Bytes. */
  most: number;
  fields: number;
}

/** Forms that contain files; only multipart forms can. */
const LARGER_FORMS: Array<[path: RegExp, most: number]> = [
  [/^\/(inventory\/items|network\/hosts)\/import$/, LARGEST_FILE_FORM],
  [/^\/files\/\w+\/\d+$/, LARGEST_FILES_FORM],
];

export async function readForm(request: Request, limits?: FormLimits): Promise<FormData> {
  const { pathname } = new URL(request.url);
  const type = request.headers.get("content-type") ?? "";
  const larger =
    essenceOf(type) === MULTIPART && LARGER_FORMS.find(([path]) => path.test(pathname))?.[1];
  const { most, fields } = limits ?? { most: larger || LARGEST_BODY, fields: MOST_FIELDS };
  const bytes = await readBytes(request, most);
  return type === "" ? new FormData() : parseForm(bytes, type, fields);
}

/** Refuses a body with more fields, or one that is not a form. */
export async function parseForm(
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
  fields = MOST_FIELDS,
): Promise<FormData> {
  const essence = essenceOf(type);
  if (essence === "application/json") return formOf(parsed(bytes), fields);
  if (essence === "application/x-www-form-urlencoded") {
    const text = new TextDecoder().decode(bytes);
    refuseMany(text === "" ? 0 : countCharacter(text, "&") + 1, fields);
    return form(new URLSearchParams(text));
  }
  if (essence !== MULTIPART) throw new Refusal(415, "Send a form");
  requireSmall(partsOf(bytes, type), fields);
  return new Response(bytes, { headers: { "content-type": type } }).formData().catch(() => {
    throw unreadable();
  });
}

export async function uploadedBytes(given: File): Promise<Buffer> {
  return Buffer.from(await given.arrayBuffer());
}

const MULTIPART = "multipart/form-data";

function essenceOf(type: string): string | undefined {
  return type.split(";")[0]?.trim().toLowerCase();
}

function refuseMany(count: number, most: number): void {
  if (count > most) throw invalid("body", `Send at most ${most.toLocaleString("en")} fields`);
}

function unreadable(): Refusal {
  return refuse([{ field: "body", message: "This form cannot be read" }]);
}

/** As defined in RFC 2046. */
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i;

/** Refuses too many parts, and too much text: unlike files, text is decoded in one piece. */
function requireSmall(parts: Iterable<Buffer>, most: number): void {
  let [count, text] = [0, 0];
  for (const part of parts) {
    count += 1;
    refuseMany(count, most);
    text += isFile(part) ? 0 : part.length;
    if (text > LARGEST_BODY) throw tooLarge(LARGEST_BODY);
  }
}

function* partsOf(bytes: Uint8Array<ArrayBuffer>, type: string): Generator<Buffer> {
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw unreadable();
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const mark = `--${boundary}`;
  let at = body.indexOf(mark);
  for (let next = at; at >= 0 && next >= 0; at = next) {
    next = body.indexOf(mark, at + mark.length);
    if (next >= 0) yield body.subarray(at + mark.length, next);
  }
}

function isFile(part: Buffer): boolean {
  return part.subarray(0, part.indexOf("\r\n\r\n")).includes("filename");
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return readJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw error instanceof Refusal ? error : unreadable();
  }
}

/** JSON from a script, read as a form. */
function formOf(json: unknown, most: number): FormData {
  const pairs: Array<[string, string]> = [];
  for (const [name, value] of Object.entries(isObject(json) ? json : {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && typeof one !== "object") pairs.push([name, String(one)]);
    }
  }
  refuseMany(pairs.length, most);
  return form(pairs);
}

function form(pairs: Iterable<[string, string]>): FormData {
  const made = new FormData();
  for (const [name, text] of pairs) made.append(name, text);
  return made;
}
