// Failed logins in the audit log. Anybody can cause them, from as many addresses as a network has, so the log takes
// them at a limited rate: the entry after those that were left out says how many they were.
import * as audit from "../auth/audit.ts";

interface Rate {
  /** Entries that are taken at once. */
  burst: number;
  /** Milliseconds until there is room for one more. */
  interval: number;
}

/** Not even a year of attacks makes more than a gigabyte. */
const RATE: Rate = { burst: 1_000, interval: 10_000 };

export interface FailedLogin {
  /** Known where a password is asked for again. */
  user_id?: number | null;
  /** As it was typed. */
  username: string;
  address: string;
  request_id: string;
  /** Of this client within the last quarter of an hour. */
  failures: number;
}

type Entry = Omit<audit.AuditEntry, "event">;

export function limited(
  add: (entry: Entry) => Promise<void>,
  { burst, interval }: Rate,
  now: () => number = () => performance.now(),
) {
  let room = burst;
  let counted = now();
  let leftOut = 0;
  return async ({ failures, ...entry }: FailedLogin): Promise<void> => {
    room = Math.min(burst, room + (now() - counted) / interval);
    counted = now();
    if (room < 1) {
      leftOut += 1;
      return;
    }
    room -= 1;
    const left_out_before = leftOut;
    leftOut = 0;
    await add({
      ...entry,
      details: left_out_before > 0 ? { failures, left_out_before } : { failures },
    });
  };
}

export const note = limited((entry) => audit.add({ event: "login.failed", ...entry }), RATE);
