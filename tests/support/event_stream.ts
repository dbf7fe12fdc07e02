// A reader of Server-Sent Events that keeps all that it got, byte for byte.
import { service } from "./service.ts";

export interface StreamedEvent {
  id: string;
  event: string;
  data: any;
}

export interface Reading {
  status: number;
  headers: Headers;
  /** All that has arrived. */
  text(): string;
  events(): StreamedEvent[];
  /** Waits for this many events. */
  until(count: number): Promise<StreamedEvent[]>;
  isOver(): boolean;
  /** Resolves when the service has ended the stream. */
  over: Promise<void>;
  close(): Promise<void>;
}

/** Long enough for a busy machine. */
const LIMIT = 60_000;
const open = new Set<Reading>();

/** Opens a stream; of the service under test, unless the path is a whole address. */
export async function listen(path: string, headers: Record<string, string>): Promise<Reading> {
  const address = path.startsWith("/") ? (await service()).origin + path : path;
  const ending = new AbortController();
  const answer = await fetch(address, { headers, signal: ending.signal });
  let text = "";
  let isOver = false;
  const decoder = new TextDecoder();
  const read = async () => {
    for await (const chunk of answer.body ?? []) text += decoder.decode(chunk, { stream: true });
  };
  const over = read()
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  const reading: Reading = {
    status: answer.status,
    headers: answer.headers,
    text: () => text,
    events: () => eventsIn(text),
    until: (count) =>
      waitUntil(
        () => eventsIn(text),
        (events) => events.length >= count,
      ),
    isOver: () => isOver,
    over,
    close: async () => {
      ending.abort();
      open.delete(reading);
      await over;
    },
  };
  open.add(reading);
  return reading;
}

export async function closeReadings(): Promise<void> {
  await Promise.all([...open].map((one) => one.close()));
}

/** The value, as soon as it is as wanted. */
export async function waitUntil<T>(look: () => T | Promise<T>, isGood: (value: T) => boolean) {
  const limit = performance.now() + LIMIT;
  for (;;) {
    const value = await look();
    if (isGood(value)) return value;
    if (performance.now() > limit) throw new Error(`Waited in vain: ${JSON.stringify(value)}`);
    await Bun.sleep(10);
  }
}

/** Complete events; a block without data only sets the id. */
export function eventsIn(text: string): StreamedEvent[] {
  const blocks = text.split("\n\n").slice(0, -1);
  return blocks.flatMap((block) => {
    const fields = new Map(
      block.split("\n").map((line) => {
        const at = line.indexOf(": ");
        return [line.slice(0, at), line.slice(at + 2)] as const;
      }),
    );
    const data = fields.get("data");
    if (data === undefined) return [];
    const { id = "", event = "" } = Object.fromEntries(fields);
    return [{ id, event, data: JSON.parse(data) }];
  });
}
