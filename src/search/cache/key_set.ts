// A set of keys, a bit for each: to join such sets is a walk over a few words of memory, and PostgreSQL looks a key
// up in one by get_bit().

export type Bits = Uint32Array;

export const NONE: Bits = new Uint32Array(0);

/** Keys as int4send() writes them, one after the other. */
export function read(sent: Uint8Array): Uint32Array {
  const view = new DataView(sent.buffer, sent.byteOffset, sent.byteLength);
  const keys = new Uint32Array(sent.length / 4);
  for (let at = 0; at < keys.length; at += 1) keys[at] = view.getUint32(at * 4);
  return keys;
}

export function ofKeys(keys: Uint32Array): Bits {
  let largest = -1;
  for (const key of keys) largest = Math.max(largest, key);
  if (largest < 0) return NONE;
  const bits: Bits = new Uint32Array((largest >>> 5) + 1);
  for (const key of keys) bits[key >>> 5] = word(bits, key >>> 5) | (1 << (key & 31));
  return bits;
}

export function has(bits: Bits, key: number): boolean {
  return ((word(bits, key >>> 5) >>> (key & 31)) & 1) === 1;
}

export function either(one: Bits, other: Bits): Bits {
  const [longer, shorter] = one.length < other.length ? [other, one] : [one, other];
  const joined = longer.slice();
  for (let at = 0; at < shorter.length; at += 1) joined[at] = word(longer, at) | word(shorter, at);
  return joined;
}

export function both(one: Bits, other: Bits): Bits {
  const joined = one.slice(0, Math.min(one.length, other.length));
  for (let at = 0; at < joined.length; at += 1) joined[at] = word(joined, at) & word(other, at);
  return joined;
}

export function without(one: Bits, other: Bits): Bits {
  const left = one.slice();
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) left[at] = word(left, at) & ~word(other, at);
  return left;
}

export function count(bits: Bits): number {
  let all = 0;
  for (let at = 0; at < bits.length; at += 1) all += ones(word(bits, at));
  return all;
}

export function isEmpty(bits: Bits): boolean {
  for (let at = 0; at < bits.length; at += 1) if (word(bits, at) !== 0) return false;
  return true;
}

/** From the smallest on. */
export function keysIn(bits: Bits): number[] {
  const keys: number[] = [];
  for (let at = 0; at < bits.length; at += 1) {
    for (let left = word(bits, at); left !== 0; left &= left - 1) {
      keys.push(at * 32 + 31 - Math.clz32(left & -left));
    }
  }
  return keys;
}

/** As get_bit() counts them, on processors that put the lowest byte first, as all that we run on do. */
export function bytesOf({ buffer, byteOffset, byteLength }: Bits): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function word(bits: Bits, at: number): number {
  return bits[at] ?? 0;
}

/** How many bits of a word are set, by adding neighbours up: pairs, fours, bytes, and all bytes in the highest. */
function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
