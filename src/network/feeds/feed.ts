// What a program asks for again and again: an inventory, a zone, a list of leases.
import type { Caller } from "../../auth/auth.ts";

export interface Feed {
  /** By which it is remembered. */
  name: string;
  type: "application/json" | "text/plain";
  /** The query parameters that it takes, besides `since`. */
  params: readonly string[];
  make: (caller: Caller, params: URLSearchParams) => Promise<Said>;
}

/** The text, given the serial: but for that number it depends on the records alone. */
export type Said = (serial: number) => string;
