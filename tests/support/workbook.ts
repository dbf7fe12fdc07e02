// Reads Excel files strictly by their two standards, without code of Cadastre.
import { crc32, inflateRawSync } from "node:zlib";

/** The value of a cell, a text or a number; "?" marks an invalid cell. */
export type Value = string | number | null;

/** The rows of the only sheet, the header row first. */
export function rowsOf(file: Uint8Array): Value[][] {
  const sheet = unzip(Buffer.from(file))["xl/worksheets/sheet1.xml"] ?? "";
  return [...sheet.matchAll(/<row r="\d+">(.*?)<\/row>/gs)].map(([, row = ""]) => cellsOf(row));
}

/** The rows below the header, as records. */
export function recordsOf(file: Uint8Array): Array<Record<string, Value>> {
  const [titles = [], ...rows] = rowsOf(file);
  return rows.map((row) => Object.fromEntries(titles.map((title, at) => [title, row[at] ?? null])));
}

/** The entries of an archive, after a check of their checksums and lengths. */
export function unzip(archive: Buffer): Record<string, string> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const entries: Record<string, string> = {};
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [sum, packed, plain] = [16, 20, 24].map((place) => archive.readUInt32LE(at + place));
    const length = archive.readUInt16LE(at + 28);
    const name = archive.toString("utf8", at + 46, at + 46 + length);
    const start = archive.readUInt32LE(at + 42) + 30 + length;
    const bytes = inflateRawSync(archive.subarray(start, start + packed!));
    if (crc32(bytes) !== sum || bytes.length !== plain) throw new Error(`${name} is damaged`);
    entries[name] = bytes.toString();
    at += 46 + length;
  }
  return entries;
}

function cellsOf(row: string): Value[] {
  const cells: Value[] = [];
  for (const [, column = "", attributes = "", inside = ""] of row.matchAll(
    /<c r="([A-Z]+)\d+"([^>]*)>(.*?)<\/c>/gs,
  )) {
    cells[column.charCodeAt(0) - 65] = read(attributes, inside);
  }
  return Array.from(cells, (cell) => cell ?? null);
}

function read(attributes: string, inside: string): Value {
  const [, text] = /^<is><t xml:space="preserve">(.*)<\/t><\/is>$/s.exec(inside) ?? [];
  if (attributes.includes('t="inlineStr"')) return text === undefined ? "?" : plain(text);
  const [, number] = /^<v>([\d.]+)<\/v>$/.exec(inside) ?? [];
  return number === undefined ? "?" : Number(number);
}

function plain(xml: string): string {
  return xml
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&")
    .replace(/_x([0-9A-F]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
