// The paths of the login and of the profile.

import { type RelyingParty, relyingPartyAt } from "../../src/auth/relying_party.ts";
import { contextOf } from "../../src/http/request_context.ts";

export const LOGIN = "/user/login";
export const LOGOUT = "/user/logout";
export const SECOND_STEP = `${LOGIN}/second-step`;
export const PASSKEY_LOGIN = `${LOGIN}/passkey`;
export const PROFILE = "/user/profile";
export const PASSKEYS = "/user/passkeys";

/** For which host name this request may make or use a passkey. */
export function partyOf(request: Request): RelyingParty | undefined {
  return relyingPartyAt(contextOf(request));
}

export function providerPath(key: string): string {
  return `${LOGIN}/with/${key}`;
}

/** The addresses that a provider has to know: where it redirects to after a login and after a logout. */
export function redirectsOf(request: Request, key: string) {
  const { origin } = contextOf(request);
  return { login: `${origin}${providerPath(key)}/callback`, logout: origin + LOGIN };
}
