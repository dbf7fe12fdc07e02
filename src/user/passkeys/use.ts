// A login with a passkey: as the second step, or alone.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { addLimited } from "../../auth/audit_limits.ts";
import type { Visit } from "../../auth/auth.ts";
import type { RelyingParty } from "../../auth/relying_party.ts";
import { unauthenticated } from "../../input/errors.ts";
import * as log from "../../monitoring/log.ts";
import type { Transaction } from "../../store/write.ts";
import { complete } from "../completion.ts";
import { open as openSession } from "../sessions.ts";
import { onlyBreakGlass } from "../sign_in/break_glass.ts";
import { type Challenge, challengeIn, sealed, useUp } from "./challenge.ts";
import type { PasskeyCeremony } from "./passkeys.ts";
import * as webauthn from "./webauthn.ts";

interface PasskeyAnswer {
  party: RelyingParty;
  challenge: Challenge;
  /** What the browser sent, in JSON. */
  credential: string;
}

interface FoundUser {
  id: number;
  username: string;
  is_break_glass: boolean;
}

interface FoundPasskey extends FoundUser {
  passkey: number;
  name: string;
  credential_id: Uint8Array;
  public_key: Uint8Array<ArrayBuffer>;
  user_handle: Uint8Array;
  transports: string[];
  /** May log in by what is stored here. */
  may_enter: boolean;
}

/** The options for the browser of anybody: they name no passkey. */
export async function begin(
  party: RelyingParty,
): Promise<PasskeyCeremony<Awaited<ReturnType<typeof webauthn.requestOptions>>>> {
  const options = await webauthn.requestOptions(party);
  const { challenge } = options;
  return { options, cookie: sealed({ ...aloneFor(party), challenge, user_handle: null }) };
}

function aloneFor(party: RelyingParty) {
  return { for: "log in", rp_id: party.id, user: null, session: null } as const;
}

/** A login by a passkey alone: returns the secret of the new session. */
export async function logIn(
  party: RelyingParty,
  { credential, cookie, ...visit }: Visit & { credential: string; cookie: string | undefined },
): Promise<string> {
  const challenge = challengeIn(cookie, aloneFor(party));
  const { user, passkey } = await confirmed({ party, challenge, credential }, { visit });
  await complete({ user, ...visit, details: { credential: "session", by: "passkey", passkey } });
  return openSession(user.id, visit.address);
}

/**
 * The passkey that has answered the challenge, whose use is noted. With a user, who has given the password, it must be one
 * of theirs; without, it says itself whose it is, and has verified the person. Every refusal is the same sentence: who
 * does not know the reason learns nothing about users and passkeys.
 */
export async function confirmed(
  answer: PasskeyAnswer,
  { user, visit }: { user?: FoundUser; visit: Visit },
): Promise<{ user: FoundUser; passkey: string }> {
  let found: FoundPasskey | undefined;
  try {
    found = await find(answer);
    requireOwner(found, answer, user);
    const { party, challenge, credential } = answer;
    const asked = { party, challenge: challenge.challenge, isUserVerified: user === undefined };
    const count = await webauthn.checkAssertion(asked, credential, found);
    const { passkey: id } = found;
    await database.transaction(async (tx) => {
      await useUp(tx, challenge);
      await noteUse(tx, id, count);
    });
    return { user: found, passkey: found.name };
  } catch (error) {
    if (!(error instanceof webauthn.NotAccepted)) throw error;
    const username = user?.username ?? found?.username;
    const details = { reason: error.message, ...(found && { passkey: found.name }) };
    if (error instanceof Copied) {
      log.warn("A passkey was refused: it may have been copied", { username, ...visit });
    }
    const user_id = user?.id ?? null;
    await addLimited({ event: "login.failed", user_id, username, ...visit, details });
    throw unauthenticated("This passkey was not accepted");
  }
}

async function find({ party, credential }: PasskeyAnswer): Promise<FoundPasskey> {
  const { credential_id } = webauthn.idsIn(credential);
  const found = await database.row<FoundPasskey>(sql`
    select users.id, username, is_break_glass, passkeys.id as passkey, passkeys.name, credential_id, public_key,
      user_handle, transports,
      users.password_hash is not null and (is_break_glass or not ${onlyBreakGlass}) as may_enter
    from passkeys join users on users.id = passkeys.user_id
    where credential_id = ${credential_id} and rp_id = ${party.id} and users.deactivated_at is null`);
  if (!found) throw new webauthn.NotAccepted("the passkey is not known");
  return found;
}

function requireOwner(
  found: FoundPasskey,
  { credential }: PasskeyAnswer,
  user: FoundUser | undefined,
): void {
  const { user_handle } = webauthn.idsIn(credential);
  const isOther = user !== undefined && user.id !== found.id;
  const isOtherHandle = user_handle !== undefined && !user_handle.equals(found.user_handle);
  if (isOther || isOtherHandle) {
    throw new webauthn.NotAccepted("the passkey is of another user");
  }
  if (user) return;
  if (!user_handle) throw new webauthn.NotAccepted("the passkey does not say whose it is");
  if (!found.may_enter) {
    throw new webauthn.NotAccepted("only break-glass accounts may log in without a provider");
  }
}

class Copied extends webauthn.NotAccepted {}

/** A passkey counts its uses, or always says 0. If the number does not grow, there are two of it. */
async function noteUse(tx: Transaction, passkey: number, count: number): Promise<void> {
  const [noted] = await tx.execute(sql`
    update passkeys set sign_count = used.count, last_used_at = now()
    from (select ${count}::bigint as count) used
    where id = ${passkey} and (sign_count < used.count or (sign_count = 0 and used.count = 0)) returning id`);
  if (!noted) throw new Copied("the counter of the passkey has not grown: there may be a copy");
}
