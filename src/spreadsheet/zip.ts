// A ZIP archive as it grows: each entry is compressed while it is written, off the event loop, and its
// size is told behind it. Whatever its length, little of it is in memory.
import { pipeline, Readable } from "node:stream";
import { crc32, createDeflateRaw } from "node:zlib";

export interface Entry {
  name: string;
  text: Iterable<string> | AsyncIterable<string>;
}

interface Written {
  name: Buffer;
  offset: number;
  checksum: number;
  packed: number;
  plain: number;
}

/** Sizes and compressed sizes have four bytes. */
const LARGEST = 0xffff_ffff;
// Sizes behind the data, names in UTF-8; DEFLATE; a time that says nothing: the first of 1980.
const [FLAGS, DEFLATE, TIME, DATE, VERSION] = [0x0808, 8, 0, 0x21, 20] as const;

export async function* zip(entries: Iterable<Entry>): AsyncGenerator<Uint8Array> {
  const written: Written[] = [];
  let size = 0;
  for (const { name, text } of entries) {
    const entry: Written = {
      name: Buffer.from(name),
      offset: size,
      checksum: 0,
      packed: 0,
      plain: 0,
    };
    const head = localHeader(entry);
    yield head;
    for await (const bytes of pack(entry, text)) {
      entry.packed += bytes.byteLength;
      yield bytes;
    }
    if (entry.plain > LARGEST) throw new Error(`${name} is too large for a ZIP archive`);
    yield descriptor(entry);
    size += head.byteLength + entry.packed + DESCRIPTOR_SIZE;
    written.push(entry);
  }
  yield directory(written, size);
}

function pack(entry: Written, text: Entry["text"]): AsyncIterable<Uint8Array> {
  async function* measured() {
    for await (const some of text) {
      const bytes = Buffer.from(some);
      entry.checksum = crc32(bytes, entry.checksum);
      entry.plain += bytes.byteLength;
      yield bytes;
    }
  }
  // What breaks on the way is thrown to whoever reads; the callback has nothing to add.
  return pipeline(Readable.from(measured()), createDeflateRaw(), () => {});
}

function localHeader({ name }: Written): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  [VERSION, FLAGS, DEFLATE, TIME, DATE].forEach((field, at) => {
    header.writeUInt16LE(field, 4 + 2 * at);
  });
  header.writeUInt16LE(name.byteLength, 26);
  return Buffer.concat([header, name]);
}

const DESCRIPTOR_SIZE = 16;

function descriptor({ checksum, packed, plain }: Written): Buffer {
  const behind = Buffer.alloc(DESCRIPTOR_SIZE);
  [0x08074b50, checksum, packed, plain].forEach((field, at) => {
    behind.writeUInt32LE(field, 4 * at);
  });
  return behind;
}

function directory(entries: Written[], offset: number): Buffer {
  const listed = Buffer.concat(entries.map(directoryEntry));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.byteLength, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([listed, end]);
}

function directoryEntry({ name, offset, checksum, packed, plain }: Written): Buffer {
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
