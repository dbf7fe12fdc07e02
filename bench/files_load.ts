// Eight clients add files while the program is killed and started again. Then each file that was confirmed has to be there, whole.
import { createCipheriv } from "node:crypto";
import { SQL } from "bun";
import * as embedded from "../db/embedded/mod.ts";
import { freePort } from "../tools/free_port.ts";
import { PASSWORD } from "./data.ts";
import { memoryOf } from "./processes.ts";
import { type Report, UserError } from "./report.ts";
import { type RequestHeaders, type Served, serveEmbedded } from "./served.ts";
import { turnsAt } from "./soak.ts";

export const SIZE = 200_000;
export const CLIENTS = 8;
const OF_AN_ITEM = 10;
/** Half of what a person may send in an hour, for those that are sent again. */
const OF_A_PERSON = 250;
/** Of all files, those that are added while the program is killed; then its memory is read. */
const KILLED = 0.4;
const PATIENCE = 60_000;
const READ_MEMORY_EVERY = 1_000;
const MINUTE = 60_000;
const MOST_PROBLEMS = 20;

export interface FilesLoad {
  /** A new directory, for the data. */
  directory: string;
  count: number;
  kills: number;
  report: Report;
  main?: string;
  /** Files a minute after the kills; without it, as many as there can be. */
  rate?: number;
}

export interface FilesLoaded {
  confirmed: number;
  kills: number;
  seconds: number;
  /** Requests that were sent and not answered, or by 503. Each was sent again. */
  unanswered: number;
  /** Of them, those that had added the file nevertheless. */
  twice: number;
  /** Files of which there are more than requests that may have added them. */
  unexplained: number;
  /** Confirmed files that are gone, or that have other bytes. */
  lost: number;
  /** Rows without all bytes, and bytes of which nobody knows whether they are used. */
  halfStored: number;
  /** Other answers than 201, in words. */
  problems: string[];
  /** Megabytes of the program, without kills. */
  memory: Array<{ at: number; megabytes: number }>;
}

interface Confirmed {
  url: string;
  sha256: string;
}

export async function loadFiles(load: FilesLoad): Promise<FilesLoaded> {
  const { directory, count, kills, report, main, rate = Number.POSITIVE_INFINITY } = load;
  const env = { ADMIN_USERNAME: "alice", ADMIN_PASSWORD: PASSWORD, FILES_MAX: "1TB" };
  const port = await freePort();
  let served = await serveEmbedded(directory, { port, env, main });
  const { persons, items } = await people(served, count);
  const confirmed = new Map<number, Confirmed>();
  const unanswered = new Map<number, number>();
  const problems: string[] = [];
  const begun = performance.now();
  let next = 0;
  let turn = async () => {};
  const client = async () => {
    for (;;) {
      await turn();
      if (next >= count) return;
      const number = next;
      next += 1;
      while (!(await added(number)));
    }
  };
  /** Whether it is over with this file. */
  const added = async (number: number) => {
    const bytes = pictureOf(number);
    const item = items[number % items.length];
    const answer = await send(`${served.origin}/api/v1/inventory/items/${item}/files`, {
      headers: persons[number % persons.length] ?? {},
      name: `${number}.jpg`,
      bytes,
    });
    if (answer.status === 201) {
      confirmed.set(number, { url: answer.body.url, sha256: sha256Of(bytes) });
      return true;
    }
    if (answer.status !== NO_ANSWER && answer.status !== NOT_SENT && answer.status !== 503) {
      if (problems.length < MOST_PROBLEMS)
        problems.push(`${answer.status} ${JSON.stringify(answer.body)}`);
      return true;
    }
    if (answer.status !== NOT_SENT) unanswered.set(number, (unanswered.get(number) ?? 0) + 1);
    await Bun.sleep(50);
    return false;
  };
  const writing = Promise.all(Array.from({ length: CLIENTS }, client));
  for (let killed = 0; killed < kills; killed += 1) {
    while (confirmed.size < (killed * count * KILLED) / kills) await Bun.sleep(5);
    // At another moment of a request each time.
    await Bun.sleep((killed * 137) % 500);
    await served.kill();
    served = await serveEmbedded(directory, { port, env, main });
    report(`killed ${killed + 1} times, ${confirmed.size} files are confirmed`);
  }
  turn = turnsAt(rate);
  const memory: FilesLoaded["memory"] = [];
  const quiet = performance.now();
  const read = () =>
    memory.push({ at: performance.now() - quiet, megabytes: memoryOf(served.pid) });
  const timer = setInterval(read, READ_MEMORY_EVERY);
  await writing;
  clearInterval(timer);
  const seconds = (performance.now() - begun) / 1_000;
  report(`${confirmed.size} files are confirmed; reading them back`);
  const lost = await countLost(served, [...confirmed.values()], persons[0] ?? {});
  await served.stop();
  const stored = await lookInto(directory);
  const copies = [...confirmed.keys()].map((number) => ({
    stored: stored.copies.get(`${number}.jpg`) ?? 0,
    most: 1 + (unanswered.get(number) ?? 0),
  }));
  return {
    ...{ confirmed: confirmed.size, kills, seconds, lost, problems, memory },
    halfStored: stored.halfStored,
    unanswered: [...unanswered.values()].reduce((sum, one) => sum + one, 0),
    twice: copies.reduce((sum, one) => sum + Math.max(0, one.stored - 1), 0),
    unexplained: copies.filter(({ stored, most }) => stored < 1 || stored > most).length,
  };
}

/** Persons who add files, and items that have them. */
async function people({ origin }: Served, count: number) {
  const call = async (path: string, body: object, headers: RequestHeaders = {}) => {
    const answer = await fetch(`${origin}/api/v1${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new UserError(`${path}: ${await answer.text()}`);
    return answer.json();
  };
  const logIn = async (username: string) => {
    const { access_token } = await call("/user/login", { username, password: PASSWORD });
    return { authorization: `Bearer ${access_token}` };
  };
  const admin = await logIn("alice");
  const persons: RequestHeaders[] = [];
  for (let at = 0; at <= count / OF_A_PERSON; at += 1) {
    const username = `person-${at}`;
    await call("/user/users", { username, password: PASSWORD, groups: ["inventory"] }, admin);
    persons.push(await logIn(username));
  }
  const items: number[] = [];
  for (let at = 0; at < count / OF_AN_ITEM; at += 1) {
    items.push((await call("/inventory/items", { serial_number: `F-${at}` }, admin)).id);
  }
  return { persons, items };
}

interface Sending {
  headers: RequestHeaders;
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

const NO_ANSWER = 0;
const NOT_SENT = -1;

async function send(url: string, { headers, name, bytes }: Sending) {
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/octet-stream",
        "content-disposition": `attachment; filename="${name}"`,
      },
      body: bytes,
      signal: AbortSignal.timeout(PATIENCE),
    });
    return { status: answer.status, body: await answer.json() };
  } catch (error) {
    const isSent = (error as { code?: string }).code !== "ECONNREFUSED";
    return { status: isSent ? NO_ANSWER : NOT_SENT, body: undefined };
  }
}

async function countLost(
  { origin }: Served,
  confirmed: Confirmed[],
  headers: RequestHeaders,
): Promise<number> {
  let lost = 0;
  const left = confirmed.values();
  const reader = async () => {
    for (const { url, sha256 } of left) {
      const answer = await fetch(origin + url, { headers });
      if (sha256Of(await answer.bytes()) !== sha256) lost += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, reader));
  return lost;
}

async function lookInto(directory: string) {
  const server = await embedded.start(directory, () => {});
  const url = `postgres://${server.user}@localhost:${server.port}/${server.database}?host=${server.socket}`;
  const sql = new SQL({ url, adapter: "postgres", max: 1 });
  const names: Array<{ name: string; count: number }> =
    await sql`select name, count(*)::int as count from files group by name`;
  const [found] = await sql`
    select count(*)::int as count from file_blobs
      left join (select sha256, sum(length(bytes)) as size, count(*) as parts, max(part) as last from file_parts group by sha256)
        stored using (sha256)
      left join (select sha256, count(*) as files, min(size) as least, max(size) as most from files group by sha256)
        used using (sha256)
    where stored.size is distinct from file_blobs.size or stored.last is distinct from stored.parts - 1
      or (used.files is null) <> (unused_since is not null)
      or least <> file_blobs.size or most <> file_blobs.size`;
  await sql.close();
  await server.stop();
  return {
    copies: new Map(names.map(({ name, count }) => [name, count])),
    halfStored: Number(found.count),
  };
}

function sha256Of(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

const SEGMENT = 50_000;
/** Of a picture of one pixel, after its metadata. */
const PIXEL = Buffer.from(
  `ffdb004300${"ff".repeat(64)}ffc2000b080001000101011100ffc400141001${"00".repeat(16)}ffda0008010100013f10ffd9`,
  "hex",
);

/** A JPEG like no other, with most of its bytes in comments. */
function pictureOf(number: number): Buffer<ArrayBuffer> {
  const key = Buffer.alloc(32);
  key.writeUInt32BE(number);
  const noise = createCipheriv("aes-256-ctr", key, Buffer.alloc(16)).update(Buffer.alloc(SIZE));
  const head = Buffer.from([0xff, 0xfe, 0, 0]);
  head.writeUInt16BE(SEGMENT + 2, 2);
  const comments = Array.from({ length: SIZE / SEGMENT }, (_, at) => [
    head,
    noise.subarray(at * SEGMENT, (at + 1) * SEGMENT),
  ]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...comments.flat(), PIXEL]);
}

/** The mean of each minute. */
export function byMinute(memory: FilesLoaded["memory"]): number[] {
  const minutes = Math.ceil((memory.at(-1)?.at ?? 0) / MINUTE);
  return Array.from({ length: minutes }, (_, minute) => {
    const some = memory.filter(({ at }) => Math.floor(at / MINUTE) === minute);
    return some.reduce((sum, { megabytes }) => sum + megabytes, 0) / some.length;
  });
}
