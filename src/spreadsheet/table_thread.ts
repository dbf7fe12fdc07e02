// Starts table_worker.ts. The limits in input/limits.ts, which hold for unpacked data too, bound the memory of a thread.
import { Refusal } from "../input/errors.ts";
import { LONGEST_READING } from "../input/limits.ts";
import { Threads, TookTooLong } from "../input/threads.ts";
import * as log from "../monitoring/log.ts";
import type { SpreadsheetTable, TableOptions } from "./table.ts";
import type { TableBytes, TableTask } from "./table_worker.ts";
import { unreadable } from "./unreadable.ts";

const threads = new Threads<TableTask, TableBytes>(
  () => new Worker(new URL("./table_worker.ts", import.meta.url).href, { smol: true }),
  "Too many files are being read; try again shortly",
);

/** Reads a file off the event loop. The bytes are transferred to the thread: do not use them afterwards. */
export async function readTableInThread(
  bytes: Uint8Array,
  wanted: TableOptions,
  patience = LONGEST_READING,
): Promise<SpreadsheetTable> {
  const file = withOwnBuffer(bytes);
  const transfer = [file.buffer as ArrayBuffer];
  try {
    const { columns, rows } = await threads.read({ order: { file, wanted }, patience, transfer });
    return { columns, rows: new TextDecoder().decode(rows) };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (error instanceof TookTooLong) {
      throw unreadable("This file takes too long to read; split it");
    }
    log.error("A spreadsheet could not be read", error);
    throw unreadable("This file cannot be read; save it again as .xlsx or .csv");
  }
}

/** Only a whole buffer can be transferred. */
function withOwnBuffer(file: Uint8Array): Uint8Array {
  return file.byteLength === file.buffer.byteLength ? file : new Uint8Array(file);
}
