// What the forms of tokens share: the confirmation of an older session, and the form that rotates a token.
import type { Caller } from "../../src/auth/auth.ts";
import { Refusal } from "../../src/input/errors.ts";
import * as sessions from "../../src/user/sessions.ts";
import { providerOf } from "../../src/user/sign_in/identity.ts";
import { DEFAULT_OVERLAP } from "../../src/user/token.ts";
import { confirmedRotation } from "../../src/user/tokens.ts";
import { attempt, blank, type Filled, refused } from "../parts/forms.tsx";
import type { Confirming } from "./token_parts.tsx";

export async function confirmingOf(caller: Caller): Promise<Confirming> {
  const [isFresh, provider] = await Promise.all([
    sessions.isFresh(caller),
    providerOf(caller.id ?? 0),
  ]);
  return { mustConfirm: !isFresh, provider };
}

/** After too many wrong passwords the form is shown again too. */
export function attemptByPassword<T>(work: () => Promise<T>) {
  return attempt(work).catch((error) => {
    if (!(error instanceof Refusal && error.status === 429)) throw error;
    const { status, message, headers } = error;
    const errors = [{ field: "current_password", message }];
    return { refusal: new Refusal(status, message, { headers, errors }) };
  });
}

/** The form that rotates a token, also after a refusal. */
export function rotationForm(tried?: { form: FormData; refusal: Refusal }): Filled {
  if (tried) return refused(confirmedRotation, tried.form, tried.refusal);
  return blank(confirmedRotation, { overlap_minutes: String(DEFAULT_OVERLAP) });
}
