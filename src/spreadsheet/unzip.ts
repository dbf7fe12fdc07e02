// Reads entries of an uploaded ZIP archive in memory; nothing is written to disk. Limits hold for what is actually
// unpacked, whatever sizes the entries claim.
import { promisify } from "node:util";
import { crc32, inflateRaw } from "node:zlib";
import { LARGEST_UNPACKED, LARGEST_UNPACKED_PART, MOST_PARTS } from "../input/limits.ts";
import { damagedFile, ENCRYPTED, unreadable } from "./unreadable.ts";

const inflate = promisify(inflateRaw);

const [END, ENTRY, LOCAL] = [0x06054b50, 0x02014b50, 0x04034b50] as const;
const [STORED, DEFLATED] = [0, 8] as const;

interface ArchiveEntry {
  method: number;
  isEncrypted: boolean;
  checksum: number;
  packed: number;
  plain: number;
  offset: number;
}

/** Returns the text of an entry, or undefined if there is no entry of that name. */
export type Archive = (name: string) => Promise<string | undefined>;

export function unzip(bytes: Uint8Array): Archive {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = readOrDamaged(() => directoryOf(archive));
  let left = LARGEST_UNPACKED;
  return async (name) => {
    const entry = entries.get(name);
    if (!entry) return undefined;
    const text = await textOf(archive, entry, Math.min(left, LARGEST_UNPACKED_PART));
    left -= entry.plain;
    return text;
  };
}

async function textOf(archive: Buffer, entry: ArchiveEntry, most: number): Promise<string> {
  if (entry.isEncrypted) throw unreadable(ENCRYPTED);
  if (entry.plain > most) throw tooLarge();
  const content = await unpack(packedBytes(archive, entry), entry.method, most);
  if (content.byteLength !== entry.plain || crc32(content) !== entry.checksum) throw damagedFile();
  return readOrDamaged(() => new TextDecoder("utf-8", { fatal: true }).decode(content));
}

async function unpack(packed: Buffer, method: number, most: number): Promise<Buffer> {
  if (method === STORED) return packed;
  if (method !== DEFLATED) throw damagedFile();
  try {
    return await inflate(packed, { maxOutputLength: most });
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : damagedFile();
  }
}

function packedBytes(archive: Buffer, { offset, packed }: ArchiveEntry): Buffer {
  return readOrDamaged(() => {
    if (archive.readUInt32LE(offset) !== LOCAL) throw damagedFile();
    const start =
      offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
    if (start + packed > archive.byteLength) throw damagedFile();
    return archive.subarray(start, start + packed);
  });
}

function directoryOf(archive: Buffer): Map<string, ArchiveEntry> {
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(END);
  const end = archive.lastIndexOf(signature);
  if (end < 0) throw damagedFile();
  const count = archive.readUInt16LE(end + 10);
  if (count > MOST_PARTS) throw tooLarge();
  const entries = new Map<string, ArchiveEntry>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = count; left > 0; left -= 1) {
    if (archive.readUInt32LE(at) !== ENTRY) throw damagedFile();
    const [name, extra, comment] = [28, 30, 32].map((place) => archive.readUInt16LE(at + place));
    const behind = at + 46 + (name ?? 0);
    entries.set(archive.toString("utf8", at + 46, behind), entryAt(archive, at));
    at = behind + (extra ?? 0) + (comment ?? 0);
  }
  return entries;
}

function entryAt(archive: Buffer, at: number): ArchiveEntry {
  return {
    isEncrypted: (archive.readUInt16LE(at + 8) & 1) === 1,
    method: archive.readUInt16LE(at + 10),
    checksum: archive.readUInt32LE(at + 16),
    packed: archive.readUInt32LE(at + 20),
    plain: archive.readUInt32LE(at + 24),
    offset: archive.readUInt32LE(at + 42),
  };
}

/** Reports reads beyond the end and invalid UTF-8 as a damaged file. */
function readOrDamaged<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof RangeError || error instanceof TypeError ? damagedFile() : error;
  }
}

function tooLarge(): Error {
  return unreadable("This file is too large once it is unpacked; split it");
}
