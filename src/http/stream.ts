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

/** A response of JSON lines, which are sent as they are read. */
export async function linesResponse(
  lines: AsyncGenerator<string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  // Errors of the query are thrown here, before the response has begun.
  const first = await lines.next();
  const encoder = new TextEncoder();
  async function* parts() {
    if (first.done) return;
    yield encoder.encode(first.value);
    for await (const line of lines) yield encoder.encode(line);
  }
  return new Response(streamOf(parts()), {
    headers: { "content-type": "application/x-ndjson; charset=utf-8", vary: "accept", ...headers },
  });
}
