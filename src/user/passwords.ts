// argon2id on Bun's worker threads. They are shared with file reads, so at most half of the cores hash at a time, and
// clients take turns. Requests beyond a short queue are refused.
import type { Caller } from "../auth/auth.ts";
import { invalid } from "../input/errors.ts";
import { inHashQueue, type Turn } from "../input/limiters.ts";
import { secret } from "../input/shape.ts";

const PARAMETERS = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/** The prefix of current hashes; Bun always uses p=1. */
const CURRENT = "$argon2id$v=19$m=19456,t=2,p=1$";
export const SHORTEST = 12;
export const LONGEST = 1_024;
// The most common passwords that are long enough.
const COMMON = new Set([
  "123456789012",
  "1234567890123",
  "123123123123",
  "111111111111",
  "000000000000",
  "qwertyuiop12",
  "qwertyuiop123",
  "qwerty123456",
  "password1234",
  "password12345",
  "passwordpassword",
  "administrator",
  "iloveyou1234",
  "abcdefghijkl",
  "letmeinletmein",
]);

/** The field in which a user confirms a change. */
export const CURRENT_PASSWORD = secret("Enter your current password");
export const PASSWORD_RULE = `Use ${SHORTEST} characters or more`;

/** Refuses short and common passwords. There are no rules about characters. */
export function requireStrong(password: string, username: string, field = "password"): void {
  if ([...password].length < SHORTEST) throw invalid(field, PASSWORD_RULE);
  if (Buffer.byteLength(password) > LONGEST) throw invalid(field, `Use at most ${LONGEST} bytes`);
  const plain = password.toLowerCase();
  if (plain === username.toLowerCase()) throw invalid(field, "Do not use the username as password");
  if (COMMON.has(plain)) throw invalid(field, "This password is too easy to guess");
}

export function hash(password: string, turn: Turn): Promise<string> {
  return inHashQueue(turn, () => Bun.password.hash(password, PARAMETERS));
}

/** The turn of a logged in caller. */
export function queueTurnOf({ id }: Caller): Turn {
  return { client: `user ${id ?? "at the console"}`, isPreferred: true };
}

/** Takes the same time whether the user exists or not. Call it inside inHashQueue. */
export async function verify(
  password: string,
  stored: string | null | undefined,
): Promise<boolean> {
  const matches = await Bun.password.verify(password, stored ?? (await decoyHash()));
  return matches && stored != null;
}

/** Whether a hash was made with older parameters. */
export function isOutdated(stored: string): boolean {
  return !stored.startsWith(CURRENT);
}

let decoy: Promise<string> | undefined;

function decoyHash(): Promise<string> {
  decoy ??= Bun.password.hash(crypto.randomUUID(), PARAMETERS);
  return decoy;
}
