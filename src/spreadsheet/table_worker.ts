// A thread that reads one spreadsheet, so that nobody else waits meanwhile. It is ended after it has answered.
import { type Fault, Refusal } from "../input/errors.ts";
import { readTable, type Wanted } from "./table.ts";

export interface Order {
  file: Uint8Array;
  wanted: Wanted;
}

export type Outcome =
  /** The rows as bytes, which are handed over without a copy. */
  | { is: "read"; columns: string[]; rows: Uint8Array }
  | { is: "refused"; status: number; message: string; faults: Fault[] }
  | { is: "failed"; why: string };

declare const self: Worker;

self.onmessage = async ({ data }: MessageEvent<Order>) => {
  const outcome = await read(data);
  self.postMessage(outcome, outcome.is === "read" ? [outcome.rows.buffer as ArrayBuffer] : []);
};

async function read({ file, wanted }: Order): Promise<Outcome> {
  try {
    const { columns, rows } = await readTable(file, wanted);
    return { is: "read", columns, rows: new TextEncoder().encode(rows) };
  } catch (fault) {
    if (!(fault instanceof Refusal)) return { is: "failed", why: String(fault) };
    const { status, message, faults } = fault;
    return { is: "refused", status, message, faults };
  }
}
