// The other side of table_worker.ts. The bounds in input/limits.ts, which hold for what is unpacked too, are what
// bounds the memory of a thread.
import { Refusal } from "../input/errors.ts";
import { LONGEST_READING } from "../input/limits.ts";
import { Threads, TookTooLong } from "../input/threads.ts";
import * as log from "../monitoring/log.ts";
import type { Table, Wanted } from "./table.ts";
import type { Order, Result } from "./table_worker.ts";
import { unreadable } from "./unreadable.ts";

const threads = new Threads<Order, Result>(
  () => new Worker(new URL("./table_worker.ts", import.meta.url).href, { smol: true }),
  "Too many files are being read at the moment; try again shortly",
);

/** Reads a file while others are served. The bytes belong to the thread afterwards. */
export async function readAside(
  given: Uint8Array,
  wanted: Wanted,
  patience = LONGEST_READING,
): Promise<Table> {
  const file = alone(given);
  const transfer = [file.buffer as ArrayBuffer];
  try {
    const { columns, rows } = await threads.read({ order: { file, wanted }, patience, transfer });
    return { columns, rows: new TextDecoder().decode(rows) };
  } catch (fault) {
    if (fault instanceof Refusal) throw fault;
    if (fault instanceof TookTooLong) {
      throw unreadable("This file takes too long to read; split it");
    }
    log.error("A spreadsheet could not be read", fault);
    throw unreadable("This file cannot be read; save it again as .xlsx or .csv");
  }
}

/** What shares its memory with others cannot be handed over. */
function alone(file: Uint8Array): Uint8Array {
  return file.byteLength === file.buffer.byteLength ? file : new Uint8Array(file);
}
