import { Refusal } from "../../input/errors.ts";

/** The provider did not answer, did not confirm who somebody is, or does not let them in. */
export class SignInFailed extends Refusal {
  constructor(
    status: 401 | 503,
    message: string,
    /** The provider by its name, and why, for the audit log. */
    readonly details: { provider: string; reason: string },
  ) {
    super(status, message, status === 401 ? { headers: { "WWW-Authenticate": "Bearer" } } : {});
  }
}

/** There was no answer, or none that can be read. */
export class Unreachable extends SignInFailed {}

export function unreachable(provider: string, reason: string): Unreachable {
  const message = `${provider} does not respond; try again shortly, or log in with a password`;
  return new Unreachable(503, message, { provider, reason });
}
