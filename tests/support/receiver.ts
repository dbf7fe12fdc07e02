// A receiver of webhooks on this machine, and senders in the process of the test.
import { readConfig, setConfig } from "../../src/config.ts";
import * as sender from "../../src/events/webhooks/sender.ts";
import { api } from "./api.ts";
import { alice } from "./cast.ts";
import { service } from "./service.ts";

export interface Received {
  id: string;
  headers: Record<string, string>;
  text: string;
  body: any;
  at: number;
}

export type Reply = (message: Received) => Response | Promise<Response>;

export interface Receiver {
  url: string;
  received: Received[];
  /** How it answers; 204 by default. */
  reply: Reply;
  stop(): Promise<void>;
}

export function receiver(reply: Reply = () => new Response(null, { status: 204 })): Receiver {
  const made: Receiver = { url: "", received: [], reply, stop: () => server.stop(true) };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const text = await request.text();
      const headers = Object.fromEntries(request.headers);
      const id = headers["webhook-id"] ?? "";
      const message = { id, headers, text, body: JSON.parse(text), at: performance.now() };
      made.received.push(message);
      return made.reply(message);
    },
  });
  made.url = `http://127.0.0.1:${server.port}/`;
  return made;
}

/** Senders may reach receivers on this machine. */
export async function allowThisMachine(): Promise<void> {
  const { url } = await service();
  setConfig(readConfig({ DATABASE_URL: url, WEBHOOK_ALLOW: "127.0.0.0/8" }));
}

/** Runs the work while this many senders send, as in so many instances. */
export async function whileSending<T>(
  work: () => Promise<T>,
  { senders = 1, timeout = 15_000, lastAnswers = 5_000 } = {},
): Promise<T> {
  await allowThisMachine();
  const started = Array.from({ length: senders }, () => sender.start({ timeout, lastAnswers }));
  try {
    return await work();
  } finally {
    await Promise.all(started.map((one) => one.stop()));
  }
}

/** Adds a webhook of Alice's; returns it with its secret. */
export async function aWebhook(url: string, more: object = {}) {
  await allowThisMachine();
  const { status, body } = await api(alice).post("/webhooks", { name: "Receiver", url, ...more });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Not within 30 seconds: ${what}`);
    await Bun.sleep(10);
  }
}
