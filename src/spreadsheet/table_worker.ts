// A thread that reads one spreadsheet, so that the event loop is not blocked. It is terminated after its answer.
import { outcomeOf } from "../input/threads.ts";
import { readTable, type TableOptions } from "./table.ts";

export interface TableTask {
  file: Uint8Array;
  wanted: TableOptions;
}

export interface TableBytes {
  columns: string[];
  /** As bytes, which are transferred without a copy. */
  rows: Uint8Array;
}

declare const self: Worker;

self.onmessage = async ({ data }: MessageEvent<TableTask>) => {
  const outcome = await outcomeOf(() => read(data));
  self.postMessage(
    outcome,
    outcome.is === "read" ? [outcome.result.rows.buffer as ArrayBuffer] : [],
  );
};

async function read({ file, wanted }: TableTask): Promise<TableBytes> {
  const { columns, rows } = await readTable(file, wanted);
  return { columns, rows: new TextEncoder().encode(rows) };
}
