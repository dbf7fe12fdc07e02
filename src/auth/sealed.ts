// Encrypts secrets that the database or a cookie holds, with a key that is derived from the signing key. Who has only
// the database has no secret; without the signing key, which may change, a secret has to be entered again.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

/** What the secret is for: a text that was sealed for one purpose cannot be used for another. */
type SealPurpose = "provider" | "sign-in" | "passkey" | "second-step" | "webhook" | "trigger";

const VERSION = "1";
const IV_LENGTH = 12;
const TAG_LENGTH = 16;

interface SealingKey {
  key: Buffer;
  /** For texts that are signed and not encrypted. */
  signing: Buffer;
  /** Tells a text that was sealed by another key from a damaged one. */
  name: string;
}

let current: SealingKey | undefined;

/** The signing key, the same on every instance. */
export function useKey(secret: string): void {
  current = keyOf(secret);
}

export function seal(text: string, purpose: SealPurpose): string {
  const { key, name } = sealingKey();
  const iv = randomBytes(IV_LENGTH);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(purpose));
  const body = Buffer.concat([
    iv,
    cipher.update(text, "utf8"),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return [VERSION, name, body.toString("base64url")].join(".");
}

/** The text; undefined if it was sealed by another key, for another purpose, or was changed. */
export function unseal(sealed: string, purpose: SealPurpose): string | undefined {
  const { key, name } = sealingKey();
  const [version, by, encoded = ""] = sealed.split(".");
  const body = Buffer.from(encoded, "base64url");
  if (version !== VERSION || by !== name || body.length < IV_LENGTH + TAG_LENGTH) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, body.subarray(0, IV_LENGTH));
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(body.subarray(-TAG_LENGTH));
  try {
    const start = decipher.update(body.subarray(IV_LENGTH, -TAG_LENGTH));
    return Buffer.concat([start, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

/** What a signed link lets its holder do without a login. */
type LinkPurpose = "unsubscribe" | "confirm-address";

/** The text with a signature, for a link; the same for the same text. */
export function signed(text: string, purpose: LinkPurpose): string {
  return `${Buffer.from(text).toString("base64url")}.${signatureOf(text, purpose).toString("base64url")}`;
}

/** The text; undefined if it was not signed here for this purpose. */
export function readSigned(link: string, purpose: LinkPurpose): string | undefined {
  const [encoded = ""] = link.split(".");
  const text = Buffer.from(encoded, "base64url").toString("utf8");
  // As texts: several texts stand for the same bytes.
  const [expected, given] = [Buffer.from(signed(text, purpose)), Buffer.from(link)];
  return given.length === expected.length && timingSafeEqual(given, expected) ? text : undefined;
}

function signatureOf(text: string, purpose: LinkPurpose): Buffer {
  return createHmac("sha256", sealingKey().signing).update(`${purpose}\n${text}`).digest();
}

/** Whether this signing key opens the text, by the name of the key in it. */
export function isSealedBy(secret: string, sealed: string): boolean {
  return sealed.split(".")[1] === keyOf(secret).name;
}

function keyOf(secret: string): SealingKey {
  const derive = (use: string, length: number) =>
    Buffer.from(hkdfSync("sha256", secret, "", `cadastre ${use}`, length));
  return {
    key: derive("sealing", 32),
    signing: derive("signing of links", 32),
    name: derive("sealing key name", 6).toString("base64url"),
  };
}

function sealingKey(): SealingKey {
  if (!current) throw new Error("The signing key was not loaded");
  return current;
}
