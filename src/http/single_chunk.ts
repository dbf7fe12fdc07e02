// Bun 1.4.5 sends an asynchronous response in one piece if its body is small; otherwise it sends each name and value
// of its headers separately, by sixty system calls, which the client receives as many packets: a quarter of the time
// of a page. A stream is sent in one piece, whatever its size.

/** Bytes up to which Bun sends one piece, and from which the cost does not matter. */
const [SMALL, LARGE] = [15_000, 500_000];

export function asSingleChunk(body: string | Uint8Array<ArrayBuffer>): BodyInit {
  // Each character of a text is at least one byte.
  if (body.length < SMALL || body.length > LARGE) return body;
  return new ReadableStream(textSource(body));
}

/** Bun encodes the text while it sends it; other sources need a copy of the bytes. */
function textSource(body: string | Uint8Array<ArrayBuffer>): UnderlyingSource {
  const source: Bun.DirectUnderlyingSource = {
    type: "direct",
    pull(stream) {
      stream.write(body);
      stream.end();
    },
  };
  // The types of browsers have no such source.
  return source as unknown as UnderlyingSource;
}
