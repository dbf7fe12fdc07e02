// The other side of table_worker.ts: a thread of its own for each file, for a limited time, and few at once. The
// bounds in input/limits.ts, which hold for what is unpacked too, are what bounds the memory of a thread.
import { Refusal } from "../input/errors.ts";
import { LONGEST_READING, MOST_READINGS, MOST_WAITING_READINGS } from "../input/limits.ts";
import * as log from "../monitoring/log.ts";
import type { Table, Wanted } from "./table.ts";
import type { Order, Outcome } from "./table_worker.ts";
import { unreadable } from "./unreadable.ts";

let reading = 0;
const waiting: Array<() => void> = [];

/** Reads a file while others are served. The bytes belong to the thread afterwards. */
export async function readAside(
  file: Uint8Array,
  wanted: Wanted,
  patience = LONGEST_READING,
): Promise<Table> {
  await takeTurn();
  try {
    const outcome = await ask({ file: alone(file), wanted }, patience);
    return tableIn(outcome);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else reading -= 1;
  }
}

/** What shares its memory with others cannot be handed over. */
function alone(file: Uint8Array): Uint8Array {
  return file.byteLength === file.buffer.byteLength ? file : new Uint8Array(file);
}

async function takeTurn(): Promise<void> {
  if (reading < MOST_READINGS) {
    reading += 1;
    return;
  }
  if (waiting.length >= MOST_WAITING_READINGS) {
    throw new Refusal(503, "Too many files are being read at the moment; try again shortly", {
      headers: { "retry-after": "5" },
    });
  }
  await new Promise<void>((resolve) => waiting.push(resolve));
}

function ask(order: Order, patience: number): Promise<Outcome> {
  const worker = new Worker(new URL("./table_worker.ts", import.meta.url).href, { smol: true });
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const timer = setTimeout(
    () => reject(unreadable("This file takes too long to read; split it")),
    patience,
  );
  worker.onmessage = ({ data }: MessageEvent<Outcome>) => resolve(data);
  worker.onerror = ({ message }) => resolve({ is: "failed", why: message });
  worker.postMessage(order, [order.file.buffer as ArrayBuffer]);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.terminate();
  });
}

function tableIn(outcome: Outcome): Table {
  if (outcome.is === "read") {
    return { columns: outcome.columns, rows: new TextDecoder().decode(outcome.rows) };
  }
  if (outcome.is === "refused") {
    throw new Refusal(outcome.status, outcome.message, { faults: outcome.faults });
  }
  log.error("A spreadsheet could not be read", outcome.why);
  throw unreadable("This file cannot be read; save it again as .xlsx or .csv");
}
