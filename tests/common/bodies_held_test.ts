// The memory for concurrent large bodies is limited.
import { expect, test } from "bun:test";
import { readBytes, releaseBody } from "../../src/http/request_body.ts";
import { type RequestContext, setContext } from "../../src/http/request_context.ts";
import type { Refusal } from "../../src/input/errors.ts";
import { LARGEST_HELD, LARGEST_ROWS } from "../../src/input/limits.ts";

const CHUNK = new Uint8Array(1024 * 1024);

/** A body of many chunks that share their memory; it ends when `end` is called. */
function arriving(chunks: number) {
  let end = () => {};
  const body = new ReadableStream({
    start(controller) {
      for (let sent = 0; sent < chunks; sent += 1) controller.enqueue(CHUNK);
      end = () => controller.close();
    },
  });
  const visit: RequestContext = { id: "1", address: "", origin: "", started: 0 };
  const request = new Request("http://localhost", { method: "POST", body });
  setContext(request, visit);
  const reading = readBytes(request, LARGEST_ROWS).then(
    ({ length }) => length,
    ({ status }: Refusal) => status,
  );
  return { visit, reading, end: () => end() };
}

test("large bodies beyond the memory limit are refused until others are answered", async () => {
  const each = LARGEST_ROWS / CHUNK.length;
  const held = Array.from({ length: LARGEST_HELD / LARGEST_ROWS }, () => arriving(each));
  while (held.some(({ visit }) => visit.held !== LARGEST_ROWS)) await Bun.sleep(1);
  expect(await arriving(2).reading).toBe(503);
  const small = arriving(1);
  small.end();
  expect(await small.reading).toBe(CHUNK.length);
  for (const { visit } of held) releaseBody(visit);
  const later = arriving(2);
  later.end();
  expect(await later.reading).toBe(2 * CHUNK.length);
  releaseBody(later.visit);
});
