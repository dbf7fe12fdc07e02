// The texts of feeds that a process keeps.
import { expect, test } from "bun:test";
import { ENCODINGS } from "../../../src/http/encoding.ts";
import {
  type FeedBody,
  keepText,
  keptText,
  packText,
} from "../../../src/network/feeds/text_cache.ts";

const MEGABYTE = 2 ** 20;

/** Text that cannot be compressed much. */
function aText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(MEGABYTE / 16))).toString("base64");
}

async function keep(key: string, etag: string, text: string): Promise<void> {
  keepText(key, etag, await packText(text));
}

async function textOf(key: string, etag: string): Promise<string | undefined> {
  const body = await keptText(key, etag)?.body(undefined);
  return body && new Response(body.content).text();
}

test("are found by their key and ETag, and the ones that are used stay", async () => {
  const first = aText();
  await keep("first", "1", first);
  await keep("second", "1", "é");
  const kept: string[] = [];
  for (let at = 0; at < 300; at += 1) {
    await keep(`other ${at}`, "1", aText());
    if ((await textOf("first", "1")) === first) kept.push("first");
  }
  expect(kept.length).toBe(300);
  expect(await textOf("second", "1")).toBeUndefined();
  expect(await textOf("other 0", "1")).toBeUndefined();
  expect(await textOf("other 299", "1")).toBeDefined();
  await keep("first", "2", "é");
  expect(await textOf("first", "1")).toBeUndefined();
  expect(await textOf("first", "2")).toBe("é");
});

test("of a few bytes are kept in some number", async () => {
  for (let at = 0; at < 1_001; at += 1) await keep(`short ${at}`, "1", `Text ${at}`);
  expect(await textOf("short 0", "1")).toBeUndefined();
  expect(await textOf("short 1", "1")).toBe("Text 1");
});

test("are unpacked once for all who ask meanwhile, whatever their length", async () => {
  for (const text of ["é", aText(), aText().repeat(20)]) {
    await keep("asked at once", "1", text);
    const asked: Array<Promise<FeedBody> | undefined> = [];
    for (let number = 0; number < 8; number += 1) {
      asked.push(keptText("asked at once", "1")?.body(undefined));
      await null;
    }
    const bodies = await Promise.all(asked);
    const contents = bodies.map((body) => body?.content);
    expect(new Set(contents).size).toBe(1);
    const received = await Promise.all(contents.map((content) => new Response(content).text()));
    expect(new Set(received)).toEqual(new Set([text]));
  }
});

test("are compressed once for all who accept it", async () => {
  const packed = await packText(aText().repeat(20));
  for (const encoding of ENCODINGS) {
    const bodies = await Promise.all([packed.body(encoding), packed.body(encoding)]);
    bodies.push(await packed.body(encoding));
    expect(new Set(bodies.map(({ content }) => content)).size).toBe(1);
    expect(bodies[0]?.encoding).toBe(encoding);
  }
});
