// Bodies that are made while they are sent.

/** One part is read when the last one has been sent. */
export function streamOf(parts: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const reading = parts[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (stream) => {
      const { done, value } = await reading.next();
      if (done) stream.close();
      else stream.enqueue(value);
    },
    cancel: async () => {
      await reading.return?.();
    },
  });
}

/** The same parts, once the first one is there: its errors are thrown here, before a response has begun. */
export async function begun<T>(parts: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await parts.next();
  async function* all() {
    if (first.done) return;
    yield first.value;
    yield* parts;
  }
  return all();
}

/** A response of JSON lines, which are sent as they are read. */
export async function linesResponse(
  lines: AsyncGenerator<string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const ready = await begun(lines);
  const encoder = new TextEncoder();
  async function* parts() {
    for await (const line of ready) yield encoder.encode(line);
  }
  return new Response(streamOf(parts()), {
    headers: { "content-type": "application/x-ndjson; charset=utf-8", vary: "accept", ...headers },
  });
}
