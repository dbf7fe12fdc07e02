import type { Caller } from "../auth/auth.ts";

export interface Happening {
  /** Since the beginning of the year, with a fraction for the time of day. */
  day: number;
  by: string;
  happen(caller: Caller): Promise<unknown>;
}
