// What a file is, told by its bytes alone. Pictures and PDF that a browser shows are read to their end, so that nothing is missing,
// hidden behind them, or larger than it looks. Each byte is looked at a few times at most.
import { inflateSync } from "node:zlib";
import { invalid } from "../input/errors.ts";
import { MOST_PIXELS } from "../input/limits.ts";
import { hasPosition } from "./position.ts";

export interface FileContent {
  type: string;
  /** A browser may show it within the site; anything else is saved. */
  isPlain: boolean;
  /** Of a picture that a browser shows. */
  size?: PictureSize;
  /** The first lines of a text, or how many pages a PDF has. */
  summary?: string;
}

interface PictureSize {
  width: number;
  height: number;
}

const TRUNCATED =
  "This file is damaged, ends too early, or has something behind its end: save it again";

/** Refuses a file that is damaged, is two things at once, or says where a picture was taken. */
export function contentOf(bytes: Buffer, field = "file"): FileContent {
  if (bytes.length === 0) throw invalid(field, "This file is empty");
  const type = typeOf(bytes);
  const sizeOf = PICTURES[type];
  if (/^(image|video)\//.test(type)) refusePosition(bytes, field);
  if (sizeOf) {
    const size = within(() => sizeOf(bytes));
    if (!size) throw invalid(field, TRUNCATED);
    if (size.width * size.height > MOST_PIXELS) {
      throw invalid(field, `Use a picture of at most ${MOST_PIXELS / 1e6} million pixels`);
    }
    return { type, isPlain: true, size };
  }
  if (type === TEXT) return { type, isPlain: false, summary: firstLines(bytes) };
  if (type !== PDF) return { type, isPlain: false };
  if (!endsAsPdf(bytes)) throw invalid(field, TRUNCATED);
  return { type, ...pdfContent(bytes) };
}

// Types -------------------------------------------------------------------------------------------

const PDF = "application/pdf";
const TEXT = "text/plain";
const OFFICE = "application/vnd.openxmlformats-officedocument";

/** The first that fits. */
const TYPES: Array<[type: string, at: number, start: string]> = [
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/gif", 0, "GIF87a"],
  ["image/gif", 0, "GIF89a"],
  ["image/webp", 8, "WEBP"],
  [PDF, 0, "%PDF-"],
  ["image/heic", 4, "ftypheic"],
  ["image/heic", 4, "ftypheix"],
  ["image/heic", 4, "ftyphevc"],
  ["image/heif", 4, "ftypmif1"],
  ["image/heif", 4, "ftypmsf1"],
  ["image/avif", 4, "ftypavif"],
  ["video/mp4", 4, "ftyp"],
  ["image/tiff", 0, "II*\0"],
  ["image/tiff", 0, "MM\0*"],
  ["image/bmp", 0, "BM"],
  ["image/vnd.dwg", 0, "AC10"],
  ["application/zip", 0, "PK\x03\x04"],
  ["application/gzip", 0, "\x1f\x8b"],
  ["application/x-7z-compressed", 0, "7z\xbc\xaf\x27\x1c"],
];
/** By a name of a part in the archive. */
const ARCHIVES: Array<[part: string, type: string]> = [
  ["word/document.xml", `${OFFICE}.wordprocessingml.document`],
  ["xl/workbook.xml", `${OFFICE}.spreadsheetml.sheet`],
  ["ppt/presentation.xml", `${OFFICE}.presentationml.presentation`],
  ["mimetypeapplication/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"],
  [
    "mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.spreadsheet",
  ],
];

function typeOf(bytes: Buffer): string {
  const head = bytes.toString("latin1", 0, 32);
  const [found] = TYPES.find(([, at, start]) => head.startsWith(start, at)) ?? [];
  if (found !== "application/zip") return found ?? (isText(bytes) ? TEXT : BYTES);
  return ARCHIVES.find(([part]) => bytes.includes(part))?.[1] ?? found;
}

const BYTES = "application/octet-stream";

function isText(bytes: Buffer): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return !/[^\P{Cc}\t\n\r]/u.test(text);
  } catch {
    return false;
  }
}

const MOST_LINES = 3;
const LONGEST_SUMMARY = 200;

function firstLines(bytes: Buffer): string {
  const lines = bytes.toString("utf8", 0, 4 * LONGEST_SUMMARY).split(/\s*\n\s*/);
  return [...lines.slice(0, MOST_LINES).join("\n").trim()].slice(0, LONGEST_SUMMARY).join("");
}

// Pictures ----------------------------------------------------------------------------------------

function refusePosition(bytes: Buffer, field: string): void {
  if (hasPosition(bytes)) {
    throw invalid(
      field,
      "This picture says where it was taken: take its location out first, or add it in a browser with scripts, which does that for photos",
    );
  }
}

/** Undefined if it reads past the end. */
function within<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The size of a picture that ends where its bytes end; undefined of others. */
const PICTURES: Record<string, (bytes: Buffer) => PictureSize | undefined> = {
  "image/jpeg": sizeOfJpeg,
  "image/png": sizeOfPng,
  "image/gif": sizeOfGif,
  "image/webp": sizeOfWebp,
};

/** Cameras pad with zeros. */
function isPadding(bytes: Buffer, from: number): boolean {
  return bytes.subarray(from).every((byte) => byte === 0);
}

function sizeOfJpeg(bytes: Buffer): PictureSize | undefined {
  let size: PictureSize | undefined;
  let at = 2;
  for (;;) {
    if (bytes.readUInt8(at) !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) at += 1;
    else if (marker === 0xd9) {
      if (isPadding(bytes, at + 2)) return size;
      // Phones put a second picture behind the first: what it adds for bright screens.
      if (bytes.readUInt16BE(at + 2) !== 0xffd8) return undefined;
      at += 4;
    } else {
      const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
      if (isFrame)
        size ??= { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
      const length = bytes.readUInt16BE(at + 2);
      if (length < 2) return undefined;
      at += 2 + length;
      if (marker === 0xda) at = endOfScan(bytes, at);
    }
  }
}

/** In the data of a scan, FF is followed by 00 or by the marker of a restart. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 2)) {
    const next = bytes.readUInt8(at + 1);
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  return bytes.length;
}

function sizeOfPng(bytes: Buffer): PictureSize | undefined {
  if (bytes.toString("latin1", 12, 16) !== "IHDR") return undefined;
  for (let at = 8; ; ) {
    const length = bytes.readUInt32BE(at);
    const isEnd = bytes.toString("latin1", at + 4, at + 8) === "IEND";
    at += 12 + length;
    if (at > bytes.length || (isEnd && !isPadding(bytes, at))) return undefined;
    if (isEnd) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
}

function sizeOfGif(bytes: Buffer): PictureSize | undefined {
  const size = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  let at = 13 + coloursOf(bytes.readUInt8(10));
  for (;;) {
    const block = bytes.readUInt8(at);
    if (block === 0x3b) return isPadding(bytes, at + 1) ? size : undefined;
    if (block === 0x21) at += 2;
    else if (block === 0x2c) at += 11 + coloursOf(bytes.readUInt8(at + 9));
    else return undefined;
    // Blocks of data, of which the last has no length.
    while (bytes.readUInt8(at) !== 0) at += 1 + bytes.readUInt8(at);
    at += 1;
  }
}

function coloursOf(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function sizeOfWebp(bytes: Buffer): PictureSize | undefined {
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length || !isPadding(bytes, end)) return undefined;
  const size = (width: number, height: number) => ({ width, height });
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return size(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case "VP8X":
      return size(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
    default:
      return undefined;
  }
}

// PDF ---------------------------------------------------------------------------------------------

function endsAsPdf(bytes: Buffer): boolean {
  const end = bytes.lastIndexOf("%%EOF");
  return end >= 0 && bytes.toString("latin1", end + 5).trim() === "";
}

/** Does something when it is opened, contains other files, or cannot be looked into. A place to open it at is none of that. */
const ACTIVE =
  /\/(?:JavaScript|JS|Launch|EmbeddedFiles?|OpenAction(?!\s*\[)|AA|RichMedia|XFA|Encrypt|SubmitForm)(?=[\s\0()<>[\]{}/%])/;
/** A name may be written with #4A for J. Only what is neither a letter nor a digit needs that. */
const DISGUISED = /\/[A-Za-z]*#(?:[46][1-9A-Fa-f]|[57][0-9Aa])[A-Za-z0-9#]*(?=[\s\0()<>[\]{}/%])/;
const STREAM = /\/ObjStm\b[\s\S]{0,500}?stream\r?\n/g;
const PAGE = /\/Type\s*\/Page\b/g;
/** Bytes of one stream of objects, unpacked, and how many there may be. */
const LARGEST_OBJECTS = 4 * 1024 * 1024;
const MOST_STREAMS = 200;

function pdfContent(bytes: Buffer): Pick<FileContent, "isPlain" | "summary"> {
  const text = bytes.toString("latin1");
  const streams = [...text.matchAll(STREAM)].slice(0, MOST_STREAMS + 1);
  const parts = [text, ...streams.map((found) => objectsIn(bytes, found))];
  const isPlain =
    streams.length <= MOST_STREAMS &&
    !DISGUISED.test(text) &&
    parts.every((part) => part !== undefined && !ACTIVE.test(part));
  const pages = parts.reduce((sum, part = "") => sum + (part.match(PAGE)?.length ?? 0), 0);
  if (pages === 0) return { isPlain };
  return { isPlain, summary: pages === 1 ? "1 page" : `${pages} pages` };
}

/** Undefined if it cannot be looked into. */
function objectsIn(bytes: Buffer, found: RegExpExecArray): string | undefined {
  const from = found.index + found[0].length;
  const end = bytes.indexOf("endstream", from);
  try {
    const objects = inflateSync(bytes.subarray(from, end), { maxOutputLength: LARGEST_OBJECTS });
    return objects.toString("latin1");
  } catch {
    return undefined;
  }
}
