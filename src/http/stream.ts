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
