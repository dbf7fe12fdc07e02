// The texts of feeds that a process keeps.
import { expect, test } from "bun:test";
import { keepText, keptText } from "../../../src/network/feeds/text_cache.ts";

const MEGABYTE = 2 ** 20;

/** Text that cannot be compressed much. */
function aText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(MEGABYTE / 16))).toString("base64");
}

async function textOf(key: string, etag: string): Promise<string | undefined> {
  const kept = await keptText(key, etag);
  return kept && new Response(kept).text();
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

test("are unpacked once for all who ask meanwhile, whatever their length", async () => {
  for (const text of ["é", aText().repeat(20)]) {
    await keepText("asked at once", "1", text);
    const asked: Array<ReturnType<typeof keptText>> = [];
    for (let number = 0; number < 8; number += 1) {
      asked.push(keptText("asked at once", "1"));
      await null;
    }
    const kept = await Promise.all(asked);
    expect(new Set(kept).size).toBe(1);
    const received = await Promise.all(kept.map((body) => new Response(body).text()));
    expect(new Set(received)).toEqual(new Set([text]));
  }
});
