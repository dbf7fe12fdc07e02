// Long texts, put together as bytes: a string that grows to 17 MB is a tree of a million pieces, which costs more to join
// than to read the records.

/** The values of a column, one after the other. */
export interface ColumnBytes {
  bytes: Uint8Array;
  /** Where each value starts, and where one more would. */
  starts: Int32Array;
}

/** Grows. */
export interface Output {
  bytes: Uint8Array<ArrayBuffer>;
  length: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const SPACE = 32;
/** From so many bytes on, a call is faster than a loop. */
const MANY = 48;
/** From so many bytes on, copies of a text cost much. */
const LONG = 500_000;

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Of values that contain no spaces, joined by spaces. */
export function columnBytes(joined: string, count: number): ColumnBytes {
  const bytes = encodeText(joined);
  const starts = new Int32Array(count + 1);
  let next = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== SPACE) continue;
    starts[next] = at + 1;
    next += 1;
  }
  if (count > 0) starts[count] = bytes.length + 1;
  return { bytes, starts };
}

export function isSameValue(
  one: ColumnBytes,
  at: number,
  other: ColumnBytes,
  place: number,
): boolean {
  const from = one.starts[at] ?? 0;
  const start = other.starts[place] ?? 0;
  const length = lengthOf(one, at);
  if (length !== lengthOf(other, place)) return false;
  for (let offset = 0; offset < length; offset += 1) {
    if (one.bytes[from + offset] !== other.bytes[start + offset]) return false;
  }
  return true;
}

export function textAt({ bytes, starts }: ColumnBytes, at: number): string {
  return decoder.decode(bytes.subarray(starts[at], (starts[at + 1] ?? 1) - 1));
}

/** Bytes of a value. */
export function lengthOf({ starts }: ColumnBytes, at: number): number {
  return (starts[at + 1] ?? 0) - (starts[at] ?? 0) - 1;
}

/** With room for so many bytes at first. */
export function output(expected: number): Output {
  return { bytes: new Uint8Array(expected), length: 0 };
}

export function append(to: Output, part: Uint8Array): void {
  if (part.length < MANY) {
    copy(to, part, 0, part.length);
    return;
  }
  makeRoom(to, part.length);
  to.bytes.set(part, to.length);
  to.length += part.length;
}

export function appendText(to: Output, text: string): void {
  append(to, encodeText(text));
}

export function appendValue(to: Output, { bytes, starts }: ColumnBytes, at: number): void {
  copy(to, bytes, starts[at] ?? 0, (starts[at + 1] ?? 1) - 1);
}

export function written({ bytes, length }: Output): Uint8Array<ArrayBuffer> {
  return bytes.subarray(0, length);
}

/**
 * Bytes for many clients at the same time. Each response copies a list of bytes, and keeps the copy until its client has
 * received it; a Blob is shared. Long bytes cannot be read afterwards.
 */
export function sharedBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | Blob {
  if (bytes.length < LONG) return bytes;
  const blob = new Blob([bytes]);
  free(bytes);
  return blob;
}

/** Frees the memory of whole buffers now, not when garbage is collected; they cannot be read afterwards. */
export function free(...lists: Array<Uint8Array | Int32Array>): void {
  for (const { buffer } of lists) (buffer as ArrayBuffer).transfer(0);
}

function copy(to: Output, source: Uint8Array, from: number, end: number): void {
  makeRoom(to, end - from);
  const { bytes } = to;
  let { length } = to;
  for (let at = from; at < end; at += 1) {
    bytes[length] = source[at] ?? 0;
    length += 1;
  }
  to.length = length;
}

function makeRoom(to: Output, more: number): void {
  const needed = to.length + more;
  if (needed <= to.bytes.length) return;
  const larger = new Uint8Array(2 * needed);
  larger.set(to.bytes);
  to.bytes = larger;
}
