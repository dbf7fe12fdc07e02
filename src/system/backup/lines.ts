// The lines of a compressed backup.
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { damagedBackup } from "../../../db/backup/format.ts";

/** Splits at \n only: node:readline would also break at U+2028 inside texts. */
export async function* unpackedLines(packed: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  const source = Readable.from(packed, { objectMode: false });
  const text = createGunzip().setEncoding("utf8");
  source.once("error", (error) => text.destroy(error));
  try {
    for await (const part of source.pipe(text)) {
      const lines = (rest + part).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    const isOfGzip = error instanceof Error && "code" in error && /^Z_/.test(String(error.code));
    throw isOfGzip ? damagedBackup() : error;
  } finally {
    source.destroy();
    text.destroy();
  }
}
