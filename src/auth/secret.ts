// Tokens, session secrets and generated passwords. The database stores only their SHA-256.
import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PERSONAL = /^cad_([0-9A-Za-z]{12})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

export function sha256(text: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(text).digest();
}

/** 256 bits for a cookie. */
export function sessionSecret(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * A personal token: secret scanners recognise its prefix, and a CRC detects typing errors before any query. A rotated one
 * keeps its key.
 */
export function personalToken(key = base62(12)) {
  const secret = base62(32);
  const body = `cad_${key}_${secret}`;
  return { key, secret_hash: sha256(secret), token: body + checksum(body) };
}

export function readPersonalToken(token: string): { key: string; secret: string } | undefined {
  const [, key, secret, sum] = PERSONAL.exec(token) ?? [];
  if (!key || !secret || checksum(token.slice(0, -6)) !== sum) return undefined;
  return { key, secret };
}

/** A password to be typed once. */
export function readablePassword(): string {
  return readable(20);
}

/** Replaces a lost passkey once. 74 bits: a fast hash is enough. */
export function recoveryCode(): string {
  return readable(15);
}

/** A recovery code as it is hashed, whatever case, spaces and hyphens were typed. */
export function recoveryCodeHash(typed: string): Uint8Array {
  return sha256(typed.toLowerCase().replace(/[^a-z0-9]/g, ""));
}

/** Letters and digits that do not look alike, in groups of five. */
function readable(length: number): string {
  return randomText("abcdefghjkmnpqrstuvwxyz23456789", length).replace(/(.{5})(?=.)/g, "$1-");
}

function base62(length: number): string {
  return randomText(ALPHABET, length);
}

function randomText(alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

function checksum(text: string): string {
  let number = Bun.hash.crc32(text);
  let sum = "";
  for (let place = 0; place < 6; place += 1) {
    sum = (ALPHABET[number % 62] ?? "") + sum;
    number = Math.floor(number / 62);
  }
  return sum;
}
