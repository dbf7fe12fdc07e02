import { isUtf8 } from "node:buffer";
import { Value } from "@sinclair/typebox/value";
import { CAPTION } from "../files/file.ts";
import { parseForm, uploadedBytes } from "../http/form_body.ts";
import { readBytes, tooLarge } from "../http/request_body.ts";
import { invalid, Refusal } from "../input/errors.ts";
import { notJson, readJson as parsed } from "../input/json.ts";
import { LARGEST_BODY, LARGEST_ROWS, LARGEST_UPLOAD } from "../input/limits.ts";

/** The JSON that a request carries; undefined where it carries nothing. */
export async function readJsonBody(request: Request, most = LARGEST_BODY): Promise<unknown> {
  const bytes = await readBytes(request, most);
  if (bytes.length === 0) return undefined;
  if (!/^application\/([\w.-]+\+)?json$/.test(typeOf(request))) {
    throw new Refusal(415, "Send JSON, with the header Content-Type: application/json");
  }
  return parsed(textOf(bytes));
}

/**
 * JSON objects, each on a line of its own, or a table, as the bytes that came in: as one text they would take so long to
 * decode, and to hash, that others had to wait.
 */
export async function readRows(request: Request): Promise<Uint8Array> {
  if (isCsv(request)) return readBytes(request, LARGEST_ROWS);
  if (typeOf(request) !== "application/x-ndjson") {
    throw new Refusal(
      415,
      "Send a JSON object on each line with the header Content-Type: application/x-ndjson, or a table with text/csv",
    );
  }
  const bytes = await readBytes(request, LARGEST_ROWS);
  if (!isUtf8(bytes)) throw invalid("body", "Send text in UTF-8");
  return bytes;
}

export function isCsv(request: Request): boolean {
  return typeOf(request) === "text/csv";
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw notJson();
  }
}

function typeOf({ headers }: Request): string {
  return headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
}

/** A file as it comes in. */
export interface UploadedFile {
  name: string;
  bytes: Buffer;
  caption?: string | null;
  small?: Buffer | null;
}

const MIB = 1024 * 1024;
/** Bytes of a form around its file. */
const AROUND = MIB;

/** The field `file` of a form, or the body itself, whose name is in the header Content-Disposition. */
export async function readUpload(request: Request): Promise<UploadedFile> {
  const type = typeOf(request);
  const body = await readBytes(request, LARGEST_UPLOAD + AROUND);
  const upload =
    type === "multipart/form-data"
      ? await fileIn(await parseForm(body, request.headers.get("content-type") ?? ""))
      : { name: nameIn(request.headers.get("content-disposition") ?? ""), bytes: bufferOf(body) };
  if (upload.bytes.length > LARGEST_UPLOAD) throw tooLarge(LARGEST_UPLOAD);
  return upload;
}

async function fileIn(form: FormData): Promise<UploadedFile> {
  const other = [...form.keys()].find((name) => !["file", "caption", "small"].includes(name));
  if (other !== undefined)
    throw invalid(other, "Send the fields file, caption and small", "unknown_field");
  const [given, further] = form.getAll("file");
  if (!(given instanceof File)) throw invalid("file", "Send a file in this field", "required");
  if (further) throw invalid("file", "Send one file at a time");
  const caption = form.get("caption");
  if (caption !== null && !Value.Check(CAPTION, caption)) {
    throw invalid("caption", CAPTION.description ?? "");
  }
  const small = form.get("small");
  if (typeof small === "string") throw invalid("small", "Send a picture in this field");
  return {
    name: given.name,
    bytes: await uploadedBytes(given),
    caption: (caption as string | null) || null,
    small: small && (await uploadedBytes(small)),
  };
}

function bufferOf(bytes: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** RFC 6266: filename*=UTF-8''na%C3%AFve.pdf, or filename="plain.pdf". */
function nameIn(disposition: string): string {
  const [, extended] = /\bfilename\*=utf-8''([^;\s]+)/i.exec(disposition) ?? [];
  const [, quoted, plain] = /\bfilename=(?:"([^"]*)"|([^;\s]+))/i.exec(disposition) ?? [];
  try {
    return extended === undefined ? (quoted ?? plain ?? "file") : decodeURIComponent(extended);
  } catch {
    throw invalid("Content-Disposition", "Percent-encode the name in filename*");
  }
}
