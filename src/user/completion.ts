// The end of a login to a local account, when all that it needs was given.
import * as audit from "../auth/audit.ts";
import { addLimited } from "../auth/audit_limits.ts";
import { networkOf } from "../auth/client_network.ts";
import * as log from "../monitoring/log.ts";
import * as throttle from "./throttle.ts";

interface Login {
  user: { id: number; username: string; is_break_glass: boolean };
  address: string;
  request_id: string;
  /** For the audit log: which credential it gives, and what was given. */
  details: Record<string, string>;
}

/** Notes the login; that of a break-glass account loudly. */
export async function complete({ user, address, request_id, details }: Login): Promise<void> {
  const { id: user_id, username, is_break_glass } = user;
  await throttle.remember(user_id, networkOf(address));
  const entry = { user_id, username, address, request_id, details };
  await addLimited({ event: "login.succeeded", ...entry });
  if (!is_break_glass) return;
  await audit.add({ event: "login.break_glass", ...entry });
  log.warn("A break-glass account was used", { username, address });
}
