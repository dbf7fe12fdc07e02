// Secrets and signatures of Standard Webhooks.
import { createHmac, randomBytes } from "node:crypto";
import { seal, unseal } from "../../auth/sealed.ts";

const PREFIX = "whsec_";
const BYTES = 32;

interface FormerSecret {
  secret: string;
  /** ISO 8601. */
  until: string;
}

/** While a secret is replaced, receivers may still know one before. */
export interface WebhookSecrets {
  current: string;
  /** The newest first. */
  former?: FormerSecret[];
}

/** Each former secret has a signature in the headers of every message. */
const MOST_FORMER = 4;

export function newSecret(): string {
  return `${PREFIX}${randomBytes(BYTES).toString("base64")}`;
}

export function sealSecrets(secrets: WebhookSecrets): string {
  return seal(JSON.stringify(secrets), "webhook");
}

/** Undefined if they were encrypted with another signing key. */
export function openSecrets(sealed: string | null): WebhookSecrets | undefined {
  const text = sealed === null ? undefined : unseal(sealed, "webhook");
  return text === undefined ? undefined : JSON.parse(text);
}

/** The secrets after this one was replaced: receivers may know any that was valid a moment ago, not only the last one. */
export function replaced(
  { current, former = [] }: WebhookSecrets,
  next: string,
  until: string,
): WebhookSecrets {
  const now = Date.now() / 1_000;
  const known = [{ secret: current, until }, ...former.filter((one) => isValid(one, now))];
  return { current: next, former: known.slice(0, MOST_FORMER) };
}

function isValid({ until }: FormerSecret, timestamp: number): boolean {
  return Date.parse(until) > timestamp * 1_000;
}

interface Signed {
  id: string;
  /** Seconds. */
  timestamp: number;
  body: string;
}

/** The secrets that receivers may have. */
function validSecrets({ current, former = [] }: WebhookSecrets, timestamp: number): string[] {
  const valid = former.filter((one) => isValid(one, timestamp));
  return [current, ...valid.map(({ secret }) => secret)];
}

/** The header `webhook-signature`: one signature for each secret that receivers may have. */
export function signatures(secrets: WebhookSecrets, { id, timestamp, body }: Signed): string {
  return validSecrets(secrets, timestamp)
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), "base64");
      return `v1,${hmac(key, `${id}.${timestamp}.${body}`).digest("base64")}`;
    })
    .join(" ");
}

/** The header `x-hub-signature-256` for programs that verify only the body, with the secret as text. */
export function bodySignatures(secrets: WebhookSecrets, { timestamp, body }: Signed): string {
  return validSecrets(secrets, timestamp)
    .map((secret) => `sha256=${hmac(secret, body).digest("hex")}`)
    .join(",");
}

function hmac(key: string | Buffer, text: string) {
  return createHmac("sha256", key).update(text);
}
