// Files whose bytes are in S3: moved there and back, read, backed up, deleted, and never lost.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { endAll, until } from "./processes.ts";
import { administrator, aServer, cadastre, type Server, type Serving, serving } from "./program.ts";
import { anS3Server, BUCKET, KEY, type S3Server } from "./s3_server.ts";

const LIMIT = 180_000;
const FILES_TO = `s3://${BUCKET}/photos`;

let server: Server;
let database: string;
let sql: SQL;
let s3: S3Server;
let directory: string;
/** Without FILES_TO. */
let settings: Record<string, string>;

beforeAll(async () => {
  server = await aServer();
}, LIMIT);
beforeEach(async () => {
  database = await server.migrated();
  sql = new SQL({ url: database, adapter: "postgres", max: 2 });
  s3 = anS3Server();
  directory = mkdtempSync(join(tmpdir(), "cadastre-s3-"));
  settings = {
    DATABASE_URL: database,
    S3_ENDPOINT: s3.origin,
    S3_ACCESS_KEY_ID: KEY.id,
    S3_SECRET_ACCESS_KEY: KEY.secret,
  };
}, LIMIT);
afterEach(async () => {
  endAll();
  await sql.close({ timeout: 0 });
  await s3.stop();
  rmSync(directory, { recursive: true, force: true });
});
afterAll(() => server.stop());

interface Sent {
  path: string;
  url: string;
  sha256: string;
}

let filled = 0;

/** Bytes that no other file has. */
function someBytes(size = 700_000): Buffer<ArrayBuffer> {
  filled += 1;
  const bytes = Buffer.alloc(size, `\0${filled} and so on, `);
  bytes.writeUInt32LE(filled, size - 4);
  return bytes;
}

function sha256Of(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

/** Sends files to a new location. */
async function send(app: Serving, ...files: Buffer<ArrayBuffer>[]): Promise<Sent[]> {
  const headers = await administrator(app);
  const body = JSON.stringify({ name: `Room ${Math.random()}` });
  const made = await app.fetch("/api/v1/inventory/locations", { method: "POST", headers, body });
  const { id } = (await made.json()) as { id: number };
  const path = `/api/v1/inventory/locations/${id}/files`;
  const sent: Sent[] = [];
  for (const bytes of files) {
    const answer = await app.fetch(path, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/octet-stream",
        "content-disposition": 'attachment; filename="drawing.bin"',
      },
      body: bytes,
    });
    expect(answer.status).toBe(201);
    const file = (await answer.json()) as { id: number; url: string; sha256: string };
    expect(file.sha256).toBe(sha256Of(bytes));
    sent.push({ path: `${path}/${file.id}`, url: file.url, sha256: file.sha256 });
  }
  return sent;
}

async function read(app: Serving, { url }: Sent, headers: Record<string, string> = {}) {
  return app.fetch(url, { headers: { ...(await administrator(app)), ...headers } });
}

async function hashOf(app: Serving, file: Sent): Promise<string> {
  return sha256Of(await (await read(app, file)).bytes());
}

async function end({ child, ended }: Serving): Promise<void> {
  child.kill("SIGINT");
  await ended;
}

/** Sends files to a service that moves none. */
async function sendBefore(...files: Buffer<ArrayBuffer>[]): Promise<Sent[]> {
  const moving = await sql.reserve();
  await moving`select pg_advisory_lock(hashtextextended('file objects', 0))`;
  const app = await serving(settings);
  const sent = await send(app, ...files);
  await end(app);
  await moving`select pg_advisory_unlock(hashtextextended('file objects', 0))`;
  moving.release();
  return sent;
}

/** A service that has moved all files to S3. */
async function servingMoved(to = FILES_TO): Promise<Serving> {
  const app = await serving({ ...settings, FILES_TO: to });
  await until("the files to be in S3", async () => {
    const [{ isDone }] = await sql`
      select not exists (select from file_parts) and not exists (
        select from file_objects where sha256 is not null and not starts_with(name, ${`${to}/`})) as "isDone"`;
    return isDone;
  });
  return app;
}

/** The addresses that the database knows. */
async function known(): Promise<string[]> {
  const found: Array<{ name: string }> = await sql`select name from file_objects`;
  return found.map(({ name }) => name).toSorted();
}

function inS3(): string[] {
  return [...s3.objects.keys()].map((key) => `s3://${BUCKET}/${key}`).toSorted();
}

describe("the bytes of files", () => {
  test(
    "go to S3 and are read from there, whole and by range, also by who began before",
    async () => {
      const bytes = someBytes(10_000_000);
      const [file] = await sendBefore(bytes);
      const before = await serving(settings);
      const slow = (await read(before, file!)).body!.getReader();
      const begin = await slow.read();
      const app = await servingMoved();
      expect(inS3()).toEqual(await known());
      expect(inS3()).toEqual([expect.stringContaining(`${FILES_TO}/${file!.sha256}-`)]);
      expect(await hashOf(app, file!)).toBe(file!.sha256);
      for (const [range, from, last] of [
        ["bytes=0-0", 0, 0],
        ["bytes=262143-1048577", 262_143, 1_048_577],
        ["bytes=-10", 9_999_990, 9_999_999],
      ] as const) {
        const answer = await read(app, file!, { range });
        const part = Buffer.from(await answer.bytes());
        expect([range, answer.status]).toEqual([range, 206]);
        expect([range, part.equals(bytes.subarray(from, last + 1))]).toEqual([range, true]);
      }
      const rest = [begin.value!];
      for (let next = await slow.read(); !next.done; next = await slow.read())
        rest.push(next.value);
      expect(sha256Of(Buffer.concat(rest))).toBe(file!.sha256);
    },
    LIMIT,
  );

  test(
    "are taken while S3 is away, and those that are there are told to be",
    async () => {
      const [there] = await sendBefore(someBytes());
      await end(await servingMoved());
      const [waiting] = await sendBefore(someBytes());
      await s3.goAway();
      const app = await serving({ ...settings, FILES_TO, FILES_MAX: "1MB" });
      await until("the loop to fail", () => app.said().includes("no server answers at"));
      const [late] = await send(app, someBytes(), someBytes(), someBytes());
      expect(await hashOf(app, waiting!)).toBe(waiting!.sha256);
      expect(await hashOf(app, late!)).toBe(late!.sha256);
      const refused = await read(app, there!);
      expect([refused.status, await refused.text()]).toEqual([
        503,
        expect.stringContaining("The bytes of this file cannot be read now; try again shortly"),
      ]);
      s3.comeBack();
      await until("the files to move", async () => {
        const left = await sql`select from file_parts limit 1`;
        return left.length === 0;
      });
      for (const file of [there!, waiting!, late!])
        expect(await hashOf(app, file)).toBe(file.sha256);
    },
    LIMIT,
  );

  test(
    "come back when they may not be there any more, or go elsewhere, and leave nothing",
    async () => {
      const files = await sendBefore(someBytes(), someBytes());
      await end(await servingMoved());
      const elsewhere = await servingMoved(`s3://${BUCKET}/elsewhere`);
      expect(inS3()).toHaveLength(4);
      await end(elsewhere);
      // One that is lost does not keep the others.
      const lost = inS3().find((name) => name.includes(`elsewhere/${files[0]!.sha256}`))!;
      const key = lost.slice(`s3://${BUCKET}/`.length);
      const kept = s3.objects.get(key)!;
      s3.objects.delete(key);
      const app = await serving(settings);
      const hasParts = async (one: Sent) =>
        (await sql`select from file_parts where sha256 = ${one.sha256} limit 1`).length > 0;
      await until("the other file to be back", () => hasParts(files[1]!));
      await until("the lost one to be named", () => /s3:\S+ is missing/.test(app.said()));
      s3.objects.set(key, kept);
      await until("the file to be back", () => hasParts(files[0]!));
      for (const file of files) expect(await hashOf(app, file)).toBe(file.sha256);
      expect(inS3()).toEqual(await known());
      await sql`update file_objects set unused_since = now() - interval '2 days'`;
      await end(app);
      const last = await serving(settings);
      await until("the objects to be deleted", async () => (await known()).length === 0);
      expect(inS3()).toEqual([]);
      for (const file of files) expect(await hashOf(last, file)).toBe(file.sha256);
    },
    LIMIT,
  );

  test(
    "are deleted in S3 after the file is, but not those that were sent again",
    async () => {
      const bytes = [someBytes(), someBytes(), someBytes()];
      const files = await sendBefore(...bytes);
      const app = await servingMoved();
      const headers = await administrator(app);
      for (const { path } of files) await app.fetch(path, { method: "DELETE", headers });
      const [soon] = await send(app, bytes[0]!);
      await end(app);
      const expire = async () => {
        await sql`update file_blobs set unused_since = now() - interval '31 days' where unused_since is not null`;
        await sql`update file_objects set unused_since = now() - interval '2 days' where unused_since is not null`;
      };
      await expire();
      const housekeeping = await serving({ ...settings, FILES_TO });
      await until("the blobs to go", async () => (await sql`select from file_blobs`).length === 1);
      expect(inS3()).toHaveLength(3);
      const [late] = await send(housekeeping, bytes[1]!);
      await end(housekeeping);
      await expire();
      const last = await servingMoved();
      await until("the objects to go", async () => (await known()).length === 2);
      expect(inS3()).toEqual(await known());
      for (const file of [soon!, late!]) expect(await hashOf(last, file)).toBe(file.sha256);
    },
    LIMIT,
  );
});

describe("a backup", () => {
  test(
    "has the bytes that are in S3, and is restored where there is none",
    async () => {
      const files = await sendBefore(someBytes(), someBytes(262_144));
      await end(await servingMoved());
      // Those in S3 do not count.
      settings.FILES_MAX = "1MB";
      files.push(...(await sendBefore(someBytes(5), someBytes())));
      expect(inS3()).toHaveLength(2);
      const made = await cadastre(["backup", "--to", directory], { settings });
      expect(made).toMatchObject({ code: 0, err: expect.stringContaining("and proven: ") });
      const [name] = readdirSync(directory).filter((one) => one.endsWith(".gz"));
      const plain = join(directory, "plain.ndjson.gz");
      expect((await cadastre(["backup", plain], { settings })).code).toBe(0);
      await s3.goAway();
      for (const path of [join(directory, name!), plain]) {
        const DATABASE_URL = await server.database();
        const restored = await cadastre(["restore", path], { settings: { DATABASE_URL } });
        expect(restored.code).toBe(0);
        const app = await serving({ DATABASE_URL });
        for (const file of files) expect(await hashOf(app, file)).toBe(file.sha256);
        await end(app);
      }
    },
    LIMIT,
  );

  test(
    "fails with a sentence if bytes are missing or damaged, wherever they are",
    async () => {
      await sendBefore(someBytes());
      await end(await servingMoved());
      const [key, bytes] = [...s3.objects][0]!;
      const backup = () => cadastre(["backup", "--to", directory], { settings });
      s3.objects.delete(key);
      expect(await backup()).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^s3:\S+ is missing$/),
      });
      s3.objects.set(key, bytes.with(7, 99));
      expect(await backup()).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^s3:\S+ is damaged: its SHA-256 is not [0-9a-f]{64}$/),
      });
      const plain = await cadastre(["backup", join(directory, "x.gz")], { settings });
      expect(plain).toMatchObject({ code: 1, err: expect.stringContaining("is damaged") });
      expect(readdirSync(directory)).toEqual([]);
      s3.objects.set(key, bytes);
      expect((await backup()).code).toBe(0);

      await sendBefore(someBytes());
      await sql`update file_parts set bytes = set_byte(bytes, 7, 99)`;
      expect(await backup()).toMatchObject({
        code: 1,
        err: expect.stringContaining("After a restore, file_parts would differ"),
      });
      // They are not moved, either.
      const app = await serving({ ...settings, FILES_TO });
      await until("the loop to refuse", () => app.said().includes("in the database are damaged"));
    },
    LIMIT,
  );
});

test(
  "bytes stay in the database if S3 has others after it took them",
  async () => {
    const [file] = await sendBefore(someBytes());
    s3.watch(() => {
      for (const [key, bytes] of s3.objects) s3.objects.set(key, bytes.subarray(0, 300_000));
    });
    const app = await serving({ ...settings, FILES_TO });
    await until("the loop to refuse", () => /s3:\S+ is damaged/.test(app.said()));
    expect(await hashOf(app, file!)).toBe(file!.sha256);
    expect(await sql`select from file_objects where sha256 is not null`).toHaveLength(0);
    s3.watch(() => {});
    await end(app);
    expect(await hashOf(await servingMoved(), file!)).toBe(file!.sha256);
  },
  LIMIT,
);

test(
  "cadastre doctor says whether files can be kept in S3",
  async () => {
    const doctor = async (changes: Record<string, string>) =>
      (await cadastre(["doctor"], { settings: { ...settings, ...changes } })).out;
    expect(await doctor({ FILES_TO })).toContain(`Files can be kept in ${FILES_TO}/`);
    expect(await doctor({ FILES_TO: "s3://nowhere" })).toMatch(
      /^problem {2}s3:\/\/nowhere\/ cannot be used: .* has no such bucket$/m,
    );
    expect(await doctor({ FILES_TO: "/srv/photos" })).toMatch(
      /^problem {2}FILES_TO must look like s3:\/\/bucket\/prefix$/m,
    );
  },
  LIMIT,
);

test(
  "a service ends while S3 is silent",
  async () => {
    const [file] = await sendBefore(someBytes());
    const asked = Promise.withResolvers<void>();
    s3.watch(() => {
      asked.resolve();
      return new Promise(() => {});
    });
    const app = await serving({ ...settings, FILES_TO });
    await asked.promise;
    app.child.kill("SIGINT");
    expect(await app.ended).toBe(0);
    expect(app.said()).not.toContain("warn");
    expect(await hashOf(await serving(settings), file!)).toBe(file!.sha256);
  },
  LIMIT,
);

test(
  "a process that is killed at any moment of a move loses nothing",
  async () => {
    const files: Sent[] = [];
    for (const _ of [1, 2, 3, 4, 5])
      files.push(...(await sendBefore(...Array.from({ length: 10 }, () => someBytes(300_000)))));
    const isOver = {
      out: async () => (await sql`select from file_parts limit 1`).length === 0,
      back: async () =>
        (await sql`select from file_objects where sha256 is not null limit 1`).length === 0,
    };
    for (const [way, settled] of Object.entries(isOver)) {
      // Of each process, the request at which it is killed: before it is done, after, or a moment later.
      for (const [at, when, moment] of [
        [1, "before", 0],
        [1, "after", 0],
        [4, "after", 0],
        [7, "before", 0],
        [8, "after", 3],
        [9, "after", 6],
        [10, "after", 9],
      ] as const) {
        let asked = 0;
        const reached = Promise.withResolvers<void>();
        s3.watch((now) => {
          if (now === "before") asked += 1;
          if (asked === at && now === when) reached.resolve();
          // It may not go on before the signal.
          if (asked >= at && now === when && moment === 0) return new Promise(() => {});
        });
        const app = await serving({ ...settings, ...(way === "out" && { FILES_TO }) });
        await reached.promise;
        await Bun.sleep(moment);
        app.child.kill("SIGKILL");
        await app.ended;
      }
      s3.watch(() => {});
      const app = await serving({ ...settings, ...(way === "out" && { FILES_TO }) });
      await until(`the files to go ${way}`, settled);
      const addresses = await known();
      for (const name of inS3()) expect(addresses).toContain(name);
      for (const file of files) expect([way, await hashOf(app, file)]).toEqual([way, file.sha256]);
      await end(app);
    }
  },
  LIMIT,
);
