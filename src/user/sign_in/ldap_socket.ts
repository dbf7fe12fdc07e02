// What a directory sends, message by message. ldapts reads messages that arrive together recursively, keeps whatever
// comes until an operation ends, and reads what was sent before TLS as if it had come through TLS.
import type { Socket } from "node:net";

/** Bytes and messages of the answer to one operation: people and groups are far smaller. */
const LARGEST_ANSWER = 4 * 1024 * 1024;
const MOST_MESSAGES = 5_000;

const SEQUENCE = 0x30;
const LONG_FORM = 0x80;

export interface Guard {
  /** From here on the bytes belong to TLS. */
  release(): void;
}

/**
 * Passes on whole messages one by one, and ends the connection when an answer is too long. Before TLS, it also ends
 * when anything follows the one answer: somebody on the way could have added it.
 */
export function guarded(socket: Socket, { isBeforeTls }: { isBeforeTls: boolean }): Guard {
  const emit = socket.emit.bind(socket) as (event: string, ...given: unknown[]) => boolean;
  const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
  const answer = { bytes: 0, messages: 0 };
  let rest = Buffer.alloc(0);

  function receive(chunk: Buffer): void {
    answer.bytes += chunk.length;
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk);
    for (let length = lengthOf(rest); length <= rest.length; length = lengthOf(rest)) {
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      answer.messages += 1;
      requireFew();
      if (isBeforeTls && rest.length > 0) throw new Error("It sent more than an answer before TLS");
      emit("data", message);
    }
  }

  function requireFew(): void {
    if (answer.bytes <= LARGEST_ANSWER && answer.messages <= MOST_MESSAGES) return;
    throw new Error("Its answer is too long");
  }

  socket.emit = ((event: string, ...given: unknown[]) => {
    if (event !== "data") return emit(event, ...given);
    try {
      receive(given[0] as Buffer);
      requireFew();
    } catch (error) {
      rest = Buffer.alloc(0);
      socket.destroy(error instanceof Error ? error : new Error("It cannot be read"));
    }
    return true;
  }) as typeof socket.emit;
  socket.write = ((...given: unknown[]) => {
    Object.assign(answer, { bytes: 0, messages: 0 });
    return write(...given);
  }) as typeof socket.write;
  return {
    release: () => Object.assign(socket, { emit, write }),
  };
}

/** The length of the first message with its header; Infinity if the header is not complete. */
function lengthOf(bytes: Buffer): number {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) return Number.POSITIVE_INFINITY;
  if (tag !== SEQUENCE) throw new Error("It does not speak LDAP");
  if (first < LONG_FORM) return 2 + first;
  const size = first - LONG_FORM;
  if (size === 0 || size > 4) throw new Error("It does not speak LDAP");
  return bytes.length < 2 + size ? Number.POSITIVE_INFINITY : 2 + size + bytes.readUIntBE(2, size);
}
