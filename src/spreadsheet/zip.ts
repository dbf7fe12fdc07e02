// Writes a ZIP archive as a stream: each entry is compressed off the event loop, and its size follows in a data
// descriptor, so that little of it is in memory.
import { pipeline, Readable } from "node:stream";
import { crc32, createDeflateRaw } from "node:zlib";

export interface ZipEntry {
  name: string;
  text: Iterable<string> | AsyncIterable<string>;
}

interface WrittenEntry {
  name: Buffer;
  offset: number;
  checksum: number;
  packed: number;
  plain: number;
}

/** Sizes are stored in four bytes. */
const MAX_SIZE = 0xffff_ffff;
// Flags: sizes follow the data, names are UTF-8. Every entry has the same time: the start of 1980.
const [FLAGS, DEFLATE, TIME, DATE, VERSION] = [0x0808, 8, 0, 0x21, 20] as const;

export async function* zip(entries: Iterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const written: WrittenEntry[] = [];
  let size = 0;
  for (const { name, text } of entries) {
    const entry: WrittenEntry = {
      name: Buffer.from(name),
      offset: size,
      checksum: 0,
      packed: 0,
      plain: 0,
    };
    const head = localHeader(entry);
    yield head;
    for await (const bytes of compress(entry, text)) {
      entry.packed += bytes.byteLength;
      yield bytes;
    }
    if (entry.plain > MAX_SIZE) throw new Error(`${name} is too large for a ZIP archive`);
    yield descriptor(entry);
    size += head.byteLength + entry.packed + DESCRIPTOR_SIZE;
    written.push(entry);
  }
  yield directory(written, size);
}

function compress(entry: WrittenEntry, text: ZipEntry["text"]): AsyncIterable<Uint8Array> {
  async function* measure() {
    for await (const some of text) {
      const bytes = Buffer.from(some);
      entry.checksum = crc32(bytes, entry.checksum);
      entry.plain += bytes.byteLength;
      yield bytes;
    }
  }
  // Errors are thrown to the reader of the stream; the callback is only required by the API.
  return pipeline(Readable.from(measure()), createDeflateRaw(), () => {});
}

function localHeader({ name }: WrittenEntry): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  [VERSION, FLAGS, DEFLATE, TIME, DATE].forEach((field, at) => {
    header.writeUInt16LE(field, 4 + 2 * at);
  });
  header.writeUInt16LE(name.byteLength, 26);
  return Buffer.concat([header, name]);
}

const DESCRIPTOR_SIZE = 16;

function descriptor({ checksum, packed, plain }: WrittenEntry): Buffer {
  const behind = Buffer.alloc(DESCRIPTOR_SIZE);
  [0x08074b50, checksum, packed, plain].forEach((field, at) => {
    behind.writeUInt32LE(field, 4 * at);
  });
  return behind;
}

function directory(entries: WrittenEntry[], offset: number): Buffer {
  const listed = Buffer.concat(entries.map(directoryEntry));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.byteLength, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([listed, end]);
}

function directoryEntry({ name, offset, checksum, packed, plain }: WrittenEntry): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  [VERSION, VERSION, FLAGS, DEFLATE, TIME, DATE].forEach((field, at) => {
    header.writeUInt16LE(field, 4 + 2 * at);
  });
  [checksum, packed, plain].forEach((field, at) => {
    header.writeUInt32LE(field, 16 + 4 * at);
  });
  header.writeUInt16LE(name.byteLength, 28);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, name]);
}
