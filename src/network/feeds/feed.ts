// What a program asks for again and again: an inventory, a zone, a list of leases.
import type { Static, TObject } from "@sinclair/typebox";
import type { Caller } from "../../auth/auth.ts";

export interface Feed<Query extends TObject = TObject> {
  /** By which it is remembered. */
  name: string;
  type: "application/json" | "text/plain";
  /** The parameters that it takes; `since` is among them. */
  query: Query;
  make(caller: Caller, asked: Static<Query>): Promise<Said>;
}

/** The text, given the serial: but for that number it depends on the records alone. */
export type Said = (serial: number) => string;
