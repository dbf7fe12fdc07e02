// The texts of feeds that a process keeps.
import { expect, test } from "bun:test";
import { keepText, keptText } from "../../../src/network/feeds/text_cache.ts";

const MEGABYTE = 2 ** 20;

/** Text that cannot be compressed much. */
function aText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(MEGABYTE / 16))).toString("base64");
}

async function textOf(key: string, etag: string): Promise<string | undefined> {
  const bytes = await keptText(key, etag);
  return bytes && new TextDecoder().decode(bytes);
}

test("are found by their key and ETag, and the ones that are used stay", async () => {
  const first = aText();
  await keepText("first", "1", first);
  await keepText("second", "1", "é");
  const kept: string[] = [];
  for (let at = 0; at < 300; at += 1) {
    await keepText(`other ${at}`, "1", aText());
    if ((await textOf("first", "1")) === first) kept.push("first");
  }
  expect(kept.length).toBe(300);
  expect(await textOf("second", "1")).toBeUndefined();
  expect(await textOf("other 0", "1")).toBeUndefined();
  expect(await textOf("other 299", "1")).toBeDefined();
  await keepText("first", "2", "é");
  expect(await textOf("first", "1")).toBeUndefined();
  expect(await textOf("first", "2")).toBe("é");
});
