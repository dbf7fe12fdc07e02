// The last texts of feeds, as they are kept and sent: compressed, because an inventory of 20,000 hosts is 17 MB, and 0.7 MB
// like this. The table `feeds` knows whether a text is still right; here it is found by the ETag that it has there.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { onOpen } from "../../../db/on_open.ts";
import { type Encoding, LEAST_COMPRESSED } from "../../http/encoding.ts";
import { free, sharedBytes } from "./bytes.ts";
import type { FeedText } from "./feed.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** What is sent. */
export interface FeedBody {
  content: FeedText | Blob;
  encoding?: Encoding;
}

export interface PackedText {
  /** Bytes that are kept. */
  size(): number;
  /** Without an encoding if the client accepts none, or if the text is short. */
  body(encoding: Encoding | undefined): Promise<FeedBody>;
}

/** Bytes of all texts of a process. */
const MOST_BYTES = 16 * 2 ** 20;
const MOST_TEXTS = 1_000;
/** The fastest level of both; the next ones save little. */
const FASTEST = { level: 1 };
const gzipped = promisify<Uint8Array, typeof FASTEST, Bytes>(gzip);

/** The bytes of a long text cannot be read afterwards. */
export async function packText(text: FeedText): Promise<PackedText> {
  const { length } = text;
  if (length < LEAST_COMPRESSED)
    return { size: () => length, body: async () => ({ content: text }) };
  const zstd = (await Bun.zstdCompress(text, FASTEST)) as Bytes;
  if (typeof text !== "string") free(text);
  const unpack = async () => (await Bun.zstdDecompress(zstd)) as Bytes;
  let kept = zstd.length;
  const asGzip = async (): Promise<FeedBody> => {
    const content = await gzipped(await unpack(), FASTEST);
    kept += content.length;
    return { content, encoding: "gzip" };
  };
  const asPlain = async (): Promise<FeedBody> => ({ content: sharedBytes(await unpack()) });
  let inGzip: Promise<FeedBody> | undefined;
  let plain: Promise<FeedBody> | undefined;
  return {
    size: () => kept,
    async body(encoding) {
      if (encoding === "zstd") return { content: zstd, encoding };
      if (encoding === "gzip") {
        inGzip ??= asGzip();
        return inGzip;
      }
      // Unpacked once for all who ask meanwhile.
      plain ??= asPlain().finally(() => {
        plain = undefined;
      });
      return plain;
    },
  };
}

interface KeptText {
  etag: string;
  text: PackedText;
}

/** By the keys of stored content, which differ by what the caller may see; the one that was used last is the last. */
const texts = new Map<string, KeptText>();

onOpen(() => texts.clear());

export function keepText(key: string, etag: string, text: PackedText): void {
  texts.delete(key);
  texts.set(key, { etag, text });
  let bytes = 0;
  for (const kept of texts.values()) bytes += kept.text.size();
  for (const [oldest, kept] of texts) {
    if (bytes <= MOST_BYTES && texts.size <= MOST_TEXTS) break;
    texts.delete(oldest);
    bytes -= kept.text.size();
  }
}

export function keptText(key: string, etag: string): PackedText | undefined {
  const kept = texts.get(key);
  if (kept?.etag !== etag) return undefined;
  texts.delete(key);
  texts.set(key, kept);
  return kept.text;
}
