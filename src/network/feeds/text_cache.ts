// The last texts of feeds, for clients that ask without an ETag. Compressed: an inventory of 20,000 hosts is 17 MB, and
// 0.7 MB like this. The table `feeds` knows whether a text is still right; here it is found by the ETag that it has there.
import { onOpen } from "../../../db/on_open.ts";
import { sharedBytes } from "./bytes.ts";
import type { FeedText } from "./feed.ts";
import { sharedWork } from "./shared_work.ts";

/** Compressed bytes of all texts of a process. */
const MOST_BYTES = 16 * 2 ** 20;
/** The fastest; the next ones save little. */
const LEVEL = 1;

interface KeptText {
  etag: string;
  packed: Uint8Array;
}

/** By the keys of stored content, which differ by what the caller may see; the one that was used last is the last. */
const texts = new Map<string, KeptText>();
let bytes = 0;

onOpen(() => {
  texts.clear();
  bytes = 0;
});

export async function keepText(key: string, etag: string, text: FeedText): Promise<void> {
  const packed = await Bun.zstdCompress(text, { level: LEVEL });
  forget(key);
  if (packed.byteLength > MOST_BYTES) return;
  texts.set(key, { etag, packed });
  bytes += packed.byteLength;
  for (const [oldest] of texts) {
    if (bytes <= MOST_BYTES) break;
    forget(oldest);
  }
}

type UnpackedText = ReturnType<typeof sharedBytes>;
const unpacked = sharedWork<UnpackedText>();

/** The text with this ETag, as it is sent. */
export async function keptText(key: string, etag: string): Promise<UnpackedText | undefined> {
  const kept = texts.get(key);
  if (kept?.etag !== etag) return undefined;
  texts.delete(key);
  texts.set(key, kept);
  const unpack = async () =>
    sharedBytes((await Bun.zstdDecompress(kept.packed)) as Uint8Array<ArrayBuffer>);
  return unpacked(`${key} ${etag}`, unpack, () => true);
}

function forget(key: string): void {
  bytes -= texts.get(key)?.packed.byteLength ?? 0;
  texts.delete(key);
}
