// The ids of change sets as callers get them: their numbers, encrypted. Numbers count what is hidden from a caller, by the
// gaps between those that the caller sees. Only the database and what reads it knows the numbers.
import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv } from "node:crypto";
import { FormatRegistry, Type } from "@sinclair/typebox";
import { notFound } from "./errors.ts";

declare const isPublic: unique symbol;
/** 26 lower-case letters and digits; the first one is a letter, so that no spreadsheet reads a number. */
export type PublicId = string & { [isPublic]: true };

const PATTERN = "^[a-h][a-z2-7]{25}$";
/** Where there is nothing before the first change set. */
const BEGINNING = "0";

/** The id of a change set in an answer. */
export const publicIdSchema = Type.Unsafe<PublicId>(Type.String({ pattern: PATTERN }));

/** For examples in the reference. */
export const EXAMPLE_ID = "c4ulxzrkqf2wojm5dnty7sbhgv" as PublicId;

// A block without padding: each number is one block and has one id, so there is nothing to chain.
const ALGORITHM = "aes-256-ecb";
const BLOCK = 16;
/** The number is in the second half of the block; the first one is zero, which tells an id from any other text. */
const HALF = 8;

let cipher: Cipheriv | undefined;
let decipher: Decipheriv | undefined;

/** 32 bytes in hexadecimal: the same for all instances on one database, and kept by its backups. */
export function useKey(hexadecimal: string): void {
  const key = Buffer.from(hexadecimal, "hex");
  cipher = createCipheriv(ALGORITHM, key, null).setAutoPadding(false);
  decipher = createDecipheriv(ALGORITHM, key, null).setAutoPadding(false);
}

export function publicId(change_set: number): PublicId {
  if (!cipher) throw new Error(NO_KEY);
  const block = Buffer.alloc(BLOCK);
  block.writeBigUInt64BE(BigInt(change_set), HALF);
  return written(cipher.update(block)) as PublicId;
}

/** The number of a change set, which may not exist; undefined if the text is no id of this site. */
export function readPublicId(text: string): number | undefined {
  if (!decipher) throw new Error(NO_KEY);
  if (!FORM.test(text)) return undefined;
  const block = decipher.update(bytesIn(text));
  const isOurs = block.readBigUInt64BE(0) === 0n;
  return isOurs ? Number(block.readBigUInt64BE(HALF)) : undefined;
}

const NO_KEY = "The key of the ids of changes was not loaded";
const FORM = new RegExp(PATTERN);
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
/** Of a character. */
const BITS = 5;
/** 26 characters have so many more bits than a block. */
const SPARE_BITS = 2;

function written(block: Uint8Array): string {
  let text = "";
  let rest = 0;
  let bits = SPARE_BITS;
  for (const byte of block) {
    rest = (rest << 8) | byte;
    bits += 8;
    while (bits >= BITS) {
      bits -= BITS;
      text += ALPHABET[rest >> bits];
      rest &= (1 << bits) - 1;
    }
  }
  return text;
}

function bytesIn(text: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  let at = 0;
  let rest = 0;
  let bits = -SPARE_BITS;
  for (const character of text) {
    rest = (rest << BITS) | ALPHABET.indexOf(character);
    bits += BITS;
    if (bits < 8) continue;
    bits -= 8;
    block[at] = rest >> bits;
    at += 1;
    rest &= (1 << bits) - 1;
  }
  return block;
}

// Paths ------------------------------------------------------------------------------------------------

/** The number of the change set that a path names, or notFound. */
export function changeNamed(text: string): number {
  const number = readPublicId(text);
  if (number === undefined) throw notFound();
  return number;
}

// Parameters -------------------------------------------------------------------------------------------

/** A place in the order of the change sets: the id of one, or the beginning. */
export function cursorOf(change_set: number): string {
  return change_set === 0 ? BEGINNING : publicId(change_set);
}

export function readCursor(text: string): number | undefined {
  return text === BEGINNING ? 0 : readPublicId(text);
}

FormatRegistry.Set("change", (text) => readPublicId(text) !== undefined);
FormatRegistry.Set("change-or-0", (text) => readCursor(text) !== undefined);

/** What a wrong one is told. */
export const USE_A_CHANGE = "Use the id of a change";

/** A parameter or field with the id of a change set. */
export const changeParameter = Type.String({
  pattern: PATTERN,
  format: "change",
  description: USE_A_CHANGE,
});
export const cursorParameter = Type.String({
  pattern: `^(${BEGINNING}|${PATTERN.slice(1, -1)})$`,
  format: "change-or-0",
  description: `${USE_A_CHANGE}, or 0 to begin at the first one`,
});
