// Writers and readers, and what each of their requests got.
import type { Service } from "./service.ts";

const API = "/api/v1";
const WRITERS = 16;
const READERS = 16;
/** Milliseconds between two requests of one client. */
const WRITER_PAUSE = 700;
const READER_PAUSE = 150;
const RETRY_PAUSE = 200;
/** Milliseconds for the last writes to be acknowledged. */
const LAST_ANSWERS = 60_000;
/** Milliseconds after which a client gives up on an answer. */
const PATIENCE = 15_000;
/** Writers of one network wait for each other. */
const NETWORKS = 4;

export interface Attempt {
  client: number;
  start: number;
  end: number;
  /** 0 without an answer. */
  status: number;
}

export interface Acknowledged {
  name: string;
  ip: string;
}

export interface Load {
  reads: Attempt[];
  writes: Attempt[];
  acknowledged: Acknowledged[];
  /** Answers that no client should get. */
  unexpected: string[];
  stop(): Promise<void>;
}

/** The networks of the addresses that the writers get. */
export async function createNetworks({ origin, headers }: Service): Promise<void> {
  const add = async (path: string, body: object) => {
    const answer = await fetch(`${origin}${API}/network/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as { id: number };
  };
  const { id: domain_id } = await add("domains", { name: "lab.example.org" });
  const supernet = "10.0.0.0/8";
  await add("scopes", { name: "Lab", first_vlan: 1, last_vlan: 9, supernet, domain_id });
  for (let number = 0; number < NETWORKS; number += 1) {
    await add("networks", {
      vlan_name: networkOf(number),
      vlan_id: number + 1,
      address: `10.${16 + number}.0.0/16`,
      first_ip: `10.${16 + number}.0.2`,
      last_ip: `10.${16 + number}.255.250`,
      gateway: `10.${16 + number}.0.1`,
      scope: "Lab",
    });
  }
}

function networkOf(client: number): string {
  return `Network-${client % NETWORKS}`;
}

export function startLoad(service: Service): Load {
  const load: Load = { reads: [], writes: [], acknowledged: [], unexpected: [], stop };
  let going = true;
  const isGoing = () => going;
  const clients = [
    ...Array.from({ length: WRITERS }, (_, client) => write(service, load, { client, isGoing })),
    ...Array.from({ length: READERS }, (_, client) => read(service, load, { client, isGoing })),
  ];
  async function stop(): Promise<void> {
    going = false;
    await Promise.race([Promise.all(clients), Bun.sleep(LAST_ANSWERS)]);
  }
  return load;
}

interface Client {
  client: number;
  isGoing: () => boolean;
}

/** Creates hosts with the next free address. What was not acknowledged is sent again, under its idempotency key. */
async function write(service: Service, load: Load, { client, isGoing }: Client): Promise<void> {
  for (let number = 1; isGoing(); number += 1) {
    const name = `w${client}-${number}`;
    const options = {
      method: "POST",
      headers: { ...service.headers, "idempotency-key": `${name}-of-this-run` },
      body: JSON.stringify({ name, device_type: "Physical", network: networkOf(client) }),
    };
    for (;;) {
      const { attempt, text } = await send(service, client, { path: "/network/hosts", options });
      load.writes.push(attempt);
      if (attempt.status === 201) {
        const ip = /"ip":"([0-9.]+)"/.exec(text)?.[1] ?? "";
        load.acknowledged.push({ name, ip });
        break;
      }
      if (!isTrouble(attempt.status)) {
        load.unexpected.push(`${attempt.status} for ${name}: ${text.slice(0, 300)}`);
        break;
      }
      await Bun.sleep(RETRY_PAUSE);
    }
    await Bun.sleep(WRITER_PAUSE);
  }
}

const PATHS = [
  "/network/hosts?per_page=20&sort=-id",
  "/network/hosts?q=w1-1",
  "/network/networks",
  "/user/profile",
];

async function read(service: Service, load: Load, { client, isGoing }: Client): Promise<void> {
  for (let number = client; isGoing(); number += 1) {
    const path = PATHS[number % PATHS.length] ?? "";
    const { headers } = service;
    const { attempt, text } = await send(service, client, { path, options: { headers } });
    load.reads.push(attempt);
    if (attempt.status !== 200 && !isTrouble(attempt.status)) {
      load.unexpected.push(`${attempt.status} for ${path}: ${text.slice(0, 300)}`);
    }
    await Bun.sleep(READER_PAUSE);
  }
}

/** No answer, or one that says to try again. */
function isTrouble(status: number): boolean {
  return status === 0 || (status >= 502 && status <= 504);
}

async function send(
  { origin }: Service,
  client: number,
  { path, options }: { path: string; options: RequestInit },
): Promise<{ attempt: Attempt; text: string }> {
  const start = performance.now();
  const signal = AbortSignal.timeout(PATIENCE);
  const { status, text } = await fetch(`${origin}${API}${path}`, { ...options, signal }).then(
    async (answer) => ({ status: answer.status, text: await answer.text() }),
    () => ({ status: 0, text: "" }),
  );
  return { attempt: { client, start, end: performance.now(), status }, text };
}
