// A list that programs poll: an inventory, a zone, a list of leases.
import type { Static, TObject } from "@sinclair/typebox";
import type { Caller } from "../../auth/auth.ts";

export interface Feed<Query extends TObject = TObject> {
  /** Part of the key of the stored content. */
  name: string;
  type: "application/json" | "text/plain";
  /** Its parameters, including `since`. */
  query: Query;
  make(caller: Caller, parameters: Static<Query>): Promise<WriteWithSerial>;
}

/** As bytes where it is long. */
export type FeedText = string | Uint8Array<ArrayBuffer>;

/** Writes the text with a serial; otherwise the text depends only on the records. */
export type WriteWithSerial = (serial: number) => FeedText;
