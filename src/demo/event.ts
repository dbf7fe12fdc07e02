import type { Caller } from "../auth/auth.ts";

export interface DemoEvent {
  /** Days since the start of the year; the fraction is the time of day. */
  day: number;
  by: string;
  run(caller: Caller): Promise<unknown>;
}
