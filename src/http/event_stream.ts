// Answers of Server-Sent Events, which stay open. A reader that does not read is disconnected once too much waits for it:
// it continues later with Last-Event-ID.
import { keepDoing, type Loop } from "../../db/background.ts";
import { LARGEST_STREAM_BACKLOG } from "../input/limits.ts";
import * as metrics from "../monitoring/metrics.ts";
import { contextOf } from "./request_context.ts";

/** Milliseconds between two comments, which keep proxies from closing a silent connection. */
const COMMENT_INTERVAL = 8_000;
const TICK = 1_000;
/** Milliseconds in which a reader has to read something of what waits for it. */
const LONGEST_STALL = 60_000;
/** Milliseconds after which a reader connects again. */
const RECONNECT_AFTER = 2_000;
/** Seconds for the reader to take what was sent before its stream ended. */
const LAST_SECONDS = 1;

const encoder = new TextEncoder();
const COMMENT = encoder.encode(":\n\n");
const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  // nginx would collect the answer.
  "X-Accel-Buffering": "no",
};

const streams = new Set<EventStream>();
let ticking: Loop | undefined;

metrics.setStreams(() => streams.size);

/** Ends all streams; their readers connect again. */
export function endStreams(): void {
  for (const stream of streams) stream.end();
}

/** An event; `data` has no line breaks. */
export function eventText(event: { id: string; name: string; data: string }): string {
  return `id: ${event.id}\nevent: ${event.name}\ndata: ${event.data}\n\n`;
}

export function encodeChunk(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The answer to a HEAD request. */
export function streamHead(): Response {
  return new Response(null, { headers: HEADERS });
}

interface StreamOptions {
  /** The id of the event after which the stream begins. */
  after: string;
  /** Called once, when the stream ends for any reason. */
  ended: () => void;
}

export class EventStream {
  readonly response: Response;
  readonly #setTimeout: ((seconds: number) => void) | undefined;
  readonly #ended: () => void;
  readonly #waiting: Uint8Array[] = [];
  /** Bytes that wait. */
  #size = 0;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** The connection has taken everything. */
  #isDrained = false;
  #drained = Promise.withResolvers<void>();
  #isOver = false;
  #lastTaken = performance.now();
  #nextComment = this.#lastTaken + COMMENT_INTERVAL;

  constructor(request: Request, { after, ended }: StreamOptions) {
    this.#ended = ended;
    this.#setTimeout = contextOf(request).setTimeout;
    // Bun closes connections without traffic.
    this.#setTimeout?.(0);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#take(),
      cancel: () => this.#finish(),
    });
    // A client that is gone before the answer begins cancels nothing.
    request.signal.addEventListener("abort", () => this.#finish(), { once: true });
    this.response = new Response(body, { headers: HEADERS });
    streams.add(this);
    ticking ??= keepDoing("Open streams are not kept open", tick, { every: TICK });
    this.send(encodeChunk(`retry: ${RECONNECT_AFTER}\nid: ${after}\n\n`));
    if (request.signal.aborted) this.#finish();
  }

  get isOpen(): boolean {
    return !this.#isOver;
  }

  send(events: Uint8Array): void {
    if (this.#isOver) return;
    if (this.#isDrained) {
      this.#isDrained = false;
      this.#drained = Promise.withResolvers();
      this.#lastTaken = performance.now();
      this.#controller?.enqueue(events);
    } else if (this.#size > LARGEST_STREAM_BACKLOG) {
      this.end();
    } else {
      this.#waiting.push(events);
      this.#size += events.byteLength;
    }
  }

  /** Resolves when the connection has taken everything, or the stream has ended. */
  drained(): Promise<void> {
    return this.#drained.promise;
  }

  /** Comments have a clock of their own: they say nothing about changes. */
  tick(now: number): void {
    if (!this.#isDrained && now - this.#lastTaken > LONGEST_STALL) this.end();
    if (now < this.#nextComment) return;
    this.#nextComment += COMMENT_INTERVAL;
    if (this.#isDrained) this.send(COMMENT);
  }

  /** What waits is dropped: the reader continues after the last event that it got. */
  end(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#controller?.close();
    this.#setTimeout?.(LAST_SECONDS);
  }

  #take(): void {
    this.#lastTaken = performance.now();
    const next = this.#waiting.shift();
    this.#isDrained = next === undefined;
    if (next === undefined) {
      this.#drained.resolve();
    } else {
      this.#size -= next.byteLength;
      this.#controller?.enqueue(next);
    }
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waiting.length = 0;
    streams.delete(this);
    if (streams.size === 0) {
      void ticking?.stop();
      ticking = undefined;
    }
    this.#drained.resolve();
    this.#ended();
  }
}

function tick(): void {
  const now = performance.now();
  for (const stream of streams) stream.tick(now);
}
