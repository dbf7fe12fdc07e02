// A thread that reads one spreadsheet, so that nobody else waits meanwhile. It is ended after it has answered.
import { outcomeOf } from "../input/threads.ts";
import { readTable, type Wanted } from "./table.ts";

export interface Order {
  file: Uint8Array;
  wanted: Wanted;
}

export interface Result {
  columns: string[];
  /** As bytes, which are handed over without a copy. */
  rows: Uint8Array;
}

declare const self: Worker;

self.onmessage = async ({ data }: MessageEvent<Order>) => {
  const outcome = await outcomeOf(() => read(data));
  self.postMessage(
    outcome,
    outcome.is === "read" ? [outcome.result.rows.buffer as ArrayBuffer] : [],
  );
};

async function read({ file, wanted }: Order): Promise<Result> {
  const { columns, rows } = await readTable(file, wanted);
  return { columns, rows: new TextEncoder().encode(rows) };
}
