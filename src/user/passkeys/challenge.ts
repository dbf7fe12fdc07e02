// Challenges for passkeys. One is kept by the browser, sealed, so that nobody can fill the database and any instance can
// go on; when it has been answered, it is stored until it expires, so that no answer is accepted twice.
import { sql } from "drizzle-orm";
import { used_challenges } from "../../../db/tables/user.ts";
import { seal, unseal } from "../../auth/sealed.ts";
import { sha256 } from "../../auth/secret.ts";
import { invalid, type Refusal } from "../../input/errors.ts";
import { PASSKEY_MINUTES } from "../../input/limits.ts";
import type { Transaction } from "../../store/write.ts";

/** What the answer is for; it is good for nothing else. */
export interface ChallengePurpose {
  for: "add" | "log in" | "second step" | "set up";
  rp_id: string;
  /** Of a log in by a passkey alone, nobody is known yet. */
  user: number | null;
  /** The session in which a passkey is added. */
  session: number | null;
}

export interface Challenge extends ChallengePurpose {
  challenge: string;
  /** Of a new passkey, in base64url. */
  user_handle: string | null;
  began: number;
}

/** The text of the cookie. */
export function sealed(challenge: Omit<Challenge, "began">): string {
  return seal(JSON.stringify({ ...challenge, began: Date.now() }), "passkey");
}

/** The challenge in a cookie, if it was made for this purpose and is not too old. */
export function challengeIn(cookie: string | undefined, purpose: ChallengePurpose): Challenge {
  const text = cookie === undefined ? undefined : unseal(cookie, "passkey");
  if (text === undefined) throw tooLate();
  const challenge: Challenge = JSON.parse(text);
  const isFor = (["for", "rp_id", "user", "session"] as const).every(
    (name) => challenge[name] === purpose[name],
  );
  const isOld = Date.now() - challenge.began > PASSKEY_MINUTES * 60_000;
  if (!isFor || isOld) throw tooLate();
  return challenge;
}

/** Refuses a challenge that was answered before, on any instance. */
export async function useUp(tx: Transaction, { challenge }: Challenge): Promise<void> {
  const [isFirst] = await tx
    .insert(used_challenges)
    .values({ challenge_hash: sha256(challenge), used_at: sql`now()` })
    .onConflictDoNothing()
    .returning({ used_at: used_challenges.used_at });
  if (!isFirst) throw tooLate();
}

function tooLate(): Refusal {
  return invalid("credential", "This took too long, or was begun in another window; try again");
}
