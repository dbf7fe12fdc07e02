// The secrets of a trigger: encrypted in its row, and taken out of what other servers say before that is stored.
import { seal, unseal } from "../../auth/sealed.ts";
import type { TriggerTarget } from "./product.ts";

export type TriggerSecrets = Pick<TriggerTarget, "secret" | "read_token">;

/** Null if there are none. */
export function sealSecrets({ secret, read_token }: TriggerSecrets): string | null {
  if (secret === undefined && read_token === undefined) return null;
  return seal(JSON.stringify({ secret, read_token }), "trigger");
}

/** Undefined if they were encrypted with another signing key. */
export function openSecrets(sealed: string | null): TriggerSecrets | undefined {
  if (sealed === null) return { secret: undefined };
  const text = unseal(sealed, "trigger");
  return text === undefined ? undefined : JSON.parse(text);
}

const LONGEST_ANSWER = 1_000;

/** What the other side said, as far as admins need it. Some servers repeat the request, in one notation or another. */
export function withoutSecrets(text: string, target: TriggerTarget): string {
  const { secret, read_token, settings } = target;
  const kept = [secret, read_token]
    .flatMap((one) => (one === undefined ? [] : notationsOf(one, settings.username)))
    .reduce((rest, one) => rest.replaceAll(one, "…"), text);
  return kept.toWellFormed().replaceAll("\0", "").slice(0, LONGEST_ANSWER);
}

function notationsOf(secret: string, username = ""): string[] {
  const pair = Buffer.from(`${username}:${secret}`).toString("base64");
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), pair];
}
