// The second step of a login, after the password: a passkey or a recovery code. Who has no passkey and needs one sets it
// up in this step. There is no session before the step is done, so nothing else can be done; the browser keeps a sealed
// cookie instead.
import type { Static } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import * as audit from "../../auth/audit.ts";
import { forgetCallers, type Visit } from "../../auth/auth.ts";
import type { RelyingParty } from "../../auth/relying_party.ts";
import { seal, unseal } from "../../auth/sealed.ts";
import { sha256 } from "../../auth/secret.ts";
import { invalid } from "../../input/errors.ts";
import { SECOND_STEP_MINUTES } from "../../input/limits.ts";
import { complete } from "../completion.ts";
import { open as openSession } from "../sessions.ts";
import { type ChallengePurpose, challengeIn, sealed } from "./challenge.ts";
import {
  beginFor,
  credentialsOf,
  type newPasskey,
  type PasskeyCeremony,
  storing,
} from "./passkeys.ts";
import * as recoveryCodes from "./recovery_codes.ts";
import { hasPasskey, needsPasskey } from "./requirement.ts";
import { confirmed } from "./use.ts";
import * as webauthn from "./webauthn.ts";

interface SealedLogin {
  user: number;
  /** Of the stored hash: a new password ends the login. */
  password: string;
  /** Where the person wanted to go. */
  next: string;
  began: number;
}

export interface PendingLogin {
  id: number;
  username: string;
  is_break_glass: boolean;
  next: string;
  /** To confirm with a passkey, or to make one. */
  step: "confirm" | "set up";
}

/** Characters of the next path; browsers keep cookies of 4 KiB. */
const LONGEST_NEXT = 1_000;

/** The text of the cookie. */
export function sealPendingLogin(user: number, password_hash: string, next: string): string {
  const pending: SealedLogin = {
    user,
    password: fingerprint(password_hash),
    next: next.length > LONGEST_NEXT ? "/" : next,
    began: Date.now(),
  };
  return seal(JSON.stringify(pending), "second-step");
}

function fingerprint(password_hash: string): string {
  return webauthn.base64url(sha256(password_hash).subarray(0, 12));
}

/** Whose login it is; undefined if it has to begin again. */
export async function pendingIn(cookie: string | undefined): Promise<PendingLogin | undefined> {
  const text = cookie === undefined ? undefined : unseal(cookie, "second-step");
  if (text === undefined) return undefined;
  const { user, password, next, began }: SealedLogin = JSON.parse(text);
  if (Date.now() - began > SECOND_STEP_MINUTES * 60_000) return undefined;
  const found = await database.row<
    Omit<PendingLogin, "next" | "step"> & { password_hash: string; has: boolean; needs: boolean }
  >(sql`
    select id, username, is_break_glass, password_hash, ${hasPasskey} as has, ${needsPasskey} as needs
    from users where id = ${user} and deactivated_at is null and password_hash is not null`);
  if (!found || fingerprint(found.password_hash) !== password) return undefined;
  const { id, username, is_break_glass, has, needs } = found;
  if (!has && !needs) return undefined;
  return { id, username, is_break_glass, next, step: has ? "confirm" : "set up" };
}

export async function beginConfirm(
  pending: PendingLogin,
  party: RelyingParty,
): Promise<PasskeyCeremony<Awaited<ReturnType<typeof webauthn.requestOptions>>>> {
  const known = await credentialsOf(pending.id, party);
  if (known.length === 0) {
    throw invalid("credential", `No passkey of yours works at ${party.id}: use a recovery code`);
  }
  const options = await webauthn.requestOptions(party, known);
  const { challenge } = options;
  const purpose = purposeOf(pending, party);
  return { options, cookie: sealed({ ...purpose, challenge, user_handle: null }) };
}

export function beginSetUp(pending: PendingLogin, party: RelyingParty) {
  return beginFor(party, pending.id, purposeOf(pending, party));
}

function purposeOf({ id, step }: PendingLogin, party: RelyingParty): ChallengePurpose {
  const purpose = step === "confirm" ? "second step" : "set up";
  return { for: purpose, rp_id: party.id, user: id, session: null };
}

interface SecondStepRequest extends Visit {
  cookie: string | undefined;
}

/** Returns the secret of the new session. */
export async function confirm(
  pending: PendingLogin,
  party: RelyingParty,
  { credential, cookie, address, request_id }: SecondStepRequest & { credential: string },
): Promise<string> {
  const challenge = challengeIn(cookie, purposeOf(pending, party));
  const { passkey } = await confirmed(
    { party, challenge, credential },
    { user: pending, visit: { address, request_id } },
  );
  const details = { credential: "session", by: "password and passkey", passkey };
  await complete({ user: pending, address, request_id, details });
  return openSession(pending.id, address);
}

/** Returns the secret of the new session, and how many codes are left. */
export async function useCode(
  pending: PendingLogin,
  { code, address, request_id }: Visit & { code: string },
): Promise<{ session: string; left: number }> {
  const { id, username } = pending;
  const left = await recoveryCodes.use({ user: pending, code, address, request_id });
  await audit.add({
    event: "recovery_code.used",
    user_id: id,
    username,
    target: username,
    address,
    request_id,
    details: { left },
  });
  const details = { credential: "session", by: "password and recovery code" };
  await complete({ user: pending, address, request_id, details });
  return { session: await openSession(id, address), left };
}

/** Returns the secret of the new session, and the recovery codes. */
export async function setUp(
  pending: PendingLogin,
  party: RelyingParty,
  { input, cookie, address, request_id }: SecondStepRequest & { input: Static<typeof newPasskey> },
): Promise<{ session: string; codes: string[] }> {
  const { id, username } = pending;
  const answer = { input, cookie, purpose: purposeOf(pending, party) };
  const work = await storing(party, { id, username, visit: { address, request_id } }, answer);
  const codes = (await database.transaction(work).finally(forgetCallers)) ?? [];
  const details = { credential: "session", by: "password", passkey_set_up: input.name };
  await complete({ user: pending, address, request_id, details });
  return { session: await openSession(id, address), codes };
}
