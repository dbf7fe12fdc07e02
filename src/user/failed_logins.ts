// Failed logins in the audit log, rate limited, because anybody can cause them from many addresses. The entry after
// omitted ones contains their number.
import * as audit from "../auth/audit.ts";
import { ENTRIES_OF_STRANGERS, type Rate, tokenBucket } from "../input/limiters.ts";

interface FailedLogin {
  /** Only given when a logged in user confirms the password. */
  user_id?: number | null;
  /** As typed. */
  username?: string | undefined;
  address: string | null;
  request_id: string | null;
  /** Failures of this client in the last 15 minutes. */
  failures: number;
}

type AuditFields = Omit<audit.AuditEntry, "event">;

export function rateLimited(
  add: (entry: AuditFields) => Promise<unknown>,
  rate: Rate,
  now?: () => number,
) {
  const allowed = tokenBucket(rate, now);
  let omitted = 0;
  return async ({ failures, ...entry }: FailedLogin): Promise<void> => {
    if (!allowed.take()) {
      omitted += 1;
      return;
    }
    const left_out_before = omitted;
    omitted = 0;
    await add({
      ...entry,
      details: left_out_before > 0 ? { failures, left_out_before } : { failures },
    });
  };
}

export const record = rateLimited(
  (entry) => audit.add({ event: "login.failed", ...entry }),
  ENTRIES_OF_STRANGERS,
);
