// Bun 1.4.5 sends an answer that somebody had to wait for in one piece if its body is small; otherwise each name and
// each value of its headers goes out by itself, by sixty calls of the system and to as many readings of the client: a
// quarter of our share of a page. What comes as a stream goes out in one piece, whatever its size.

const encoder = new TextEncoder();

/** Bytes that Bun takes for small, and those from which on it does not matter. */
const [SMALL, LARGE] = [15_000, 500_000];

export function asSingleChunk(body: string | Uint8Array<ArrayBuffer>): BodyInit {
  // Of a text each character is a byte or more.
  if (body.length < SMALL || body.length > LARGE) return body;
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  return new ReadableStream({
    start(stream) {
      stream.enqueue(bytes);
      stream.close();
    },
  });
}
