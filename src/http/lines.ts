// A response of JSON lines, which are sent as they are read.

export async function linesResponse(
  lines: AsyncGenerator<string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  // Errors of the query are thrown here, before the response has begun.
  const first = await lines.next();
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<string>> = Promise.resolve(first);
  const body = new ReadableStream<Uint8Array>({
    pull: async (stream) => {
      const { done, value } = await next;
      if (done) return stream.close();
      stream.enqueue(encoder.encode(value));
      next = lines.next();
      next.catch(() => {});
    },
    cancel: () => {
      lines.return(undefined).catch(() => {});
    },
  });
  return new Response(body, {
    headers: { "content-type": "application/x-ndjson; charset=utf-8", vary: "accept", ...headers },
  });
}
