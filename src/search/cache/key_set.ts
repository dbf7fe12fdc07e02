// A set of keys with one bit for each key: combining two sets takes one pass over a few words of
// memory, and PostgreSQL tests whether a key is in a set with get_bit().

export type KeySet = Uint32Array;

export const EMPTY: KeySet = new Uint32Array(0);

/** Reads keys as int4send() writes them, one after the other. */
export function decodeKeys(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const keys = new Uint32Array(bytes.length / 4);
  for (let at = 0; at < keys.length; at += 1) keys[at] = view.getUint32(at * 4);
  return keys;
}

export function setOf(keys: Uint32Array): KeySet {
  let largest = -1;
  for (const key of keys) largest = Math.max(largest, key);
  if (largest < 0) return EMPTY;
  const set: KeySet = new Uint32Array((largest >>> 5) + 1);
  for (const key of keys) set[key >>> 5] = word(set, key >>> 5) | (1 << (key & 31));
  return set;
}

export function has(set: KeySet, key: number): boolean {
  return ((word(set, key >>> 5) >>> (key & 31)) & 1) === 1;
}

export function union(one: KeySet, other: KeySet): KeySet {
  const [longer, shorter] = one.length < other.length ? [other, one] : [one, other];
  const all = longer.slice();
  for (let at = 0; at < shorter.length; at += 1) all[at] = word(longer, at) | word(shorter, at);
  return all;
}

export function intersection(one: KeySet, other: KeySet): KeySet {
  const common = one.slice(0, Math.min(one.length, other.length));
  for (let at = 0; at < common.length; at += 1) common[at] = word(common, at) & word(other, at);
  return common;
}

/** The keys of one set that are not in the other. */
export function difference(one: KeySet, other: KeySet): KeySet {
  const left = one.slice();
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) left[at] = word(left, at) & ~word(other, at);
  return left;
}

export function countKeys(set: KeySet): number {
  let all = 0;
  for (let at = 0; at < set.length; at += 1) all += countBits(word(set, at));
  return all;
}

export function isEmpty(set: KeySet): boolean {
  for (let at = 0; at < set.length; at += 1) if (word(set, at) !== 0) return false;
  return true;
}

/** In ascending order. */
export function keysInSet(set: KeySet): number[] {
  const keys: number[] = [];
  for (let at = 0; at < set.length; at += 1) {
    for (let left = word(set, at); left !== 0; left &= left - 1) {
      keys.push(at * 32 + 31 - Math.clz32(left & -left));
    }
  }
  return keys;
}

/** As get_bit() counts the bits on little-endian processors; there are no others that we run on. */
export function bytesOf({ buffer, byteOffset, byteLength }: KeySet): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function word(set: KeySet, at: number): number {
  return set[at] ?? 0;
}

/** Adds neighbouring bits: pairs, fours, bytes, and then all bytes in the highest one. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
