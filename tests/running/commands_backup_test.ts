import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { SQL } from "bun";
import { endAll } from "./processes.ts";
import { administrator, aServer, cadastre, type Server, serving } from "./program.ts";
import { ask, requestContinuously } from "./requests.ts";

const LIMIT = 180_000;
const LOCATIONS = "/api/v1/inventory/locations";
/** Tables that are not in backups: see db/backup/dump.ts. */
const LEFT_OUT = [
  "sessions",
  "login_failures",
  "idempotency_keys",
  "jobs",
  "job_parts",
  "migrations",
  "backups",
  "editions",
  "file_objects",
];
/** Sequences that go on further on: see db/backup/restore.ts. */
const FOLLOWED = ["change_sets_id_seq", "audit_log_id_seq", "trigger_runs_id_seq"];

let server: Server;
/** A database with the demo data and a backup of it. */
let full: string;
const directory = mkdtempSync(join(tmpdir(), "cadastre-backup-"));
const file = join(directory, "full.ndjson.gz");

beforeAll(async () => {
  server = await aServer();
  full = await server.database();
  await run(full, "seed");
  await addFile(full);
  expect(await run(full, "backup", file)).toEqual({
    code: 0,
    out: "",
    err: `Backed up to ${file}`,
  });
}, LIMIT);
afterEach(endAll);
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** A file of three parts. */
async function addFile(url: string): Promise<void> {
  const sql = new SQL(url, { max: 1 });
  await sql.unsafe(`
    create temporary table drawing as
      select encode(sha256(bytes), 'hex') as sha256, length(bytes) as size, bytes
      from (select decode(string_agg(md5(row::text), '' order by row), 'hex') as bytes
        from generate_series(1, 37500) row) made;
    insert into file_blobs (sha256, size, unused_since) select sha256, size, null from drawing;
    insert into file_parts (sha256, part, bytes)
      select sha256, part, substr(bytes, part * 262144 + 1, 262144) from drawing, generate_series(0, 2) part;
    insert into files (item_id, name, type, size, sha256, is_plain, position)
      select min(items.id), 'drawing.bin', 'application/octet-stream', size, sha256, false, 1 from items, drawing
      group by size, sha256`);
  await sql.close();
}

describe("cadastre backup", () => {
  test("writes one file that only its owner may read", () => {
    expect(readdirSync(directory)).toContain("full.ndjson.gz");
    expect(readdirSync(directory).filter((name) => name.endsWith(".part"))).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test(
    "writes to standard output, too",
    async () => {
      const { stdout } = Bun.spawnSync(
        ["sh", "-c", `"${process.execPath}" src/main.ts backup - | gunzip -t && echo whole`],
        { env: { ...process.env, DATABASE_URL: full } },
      );
      expect(stdout.toString()).toBe("whole\n");
    },
    LIMIT,
  );

  test(
    "says why a file cannot be written",
    async () => {
      const path = join(directory, "no", "such", "place");
      const { code, err } = await run(full, "backup", path);
      expect({ code, err }).toEqual({
        code: 1,
        err: `${path} cannot be written: no such file or directory`,
      });
    },
    LIMIT,
  );
});

describe("cadastre restore", () => {
  test(
    "restores every row of every table, and the sequences",
    async () => {
      const empty = await server.database();
      const { code, out } = await run(empty, "restore", file);
      expect(code).toBe(0);
      expect(out).toMatch(/^Restored \d+ rows of \d+ tables, as they were at /);
      const before = await contents(full);
      expect(before.tables.models?.rows).toBeGreaterThan(100);
      const after = await contents(empty);
      expect(after.tables).toEqual(before.tables);
      const others = before.sequences.filter((one) => !FOLLOWED.includes(one.sequencename));
      expect(after.sequences).toEqual(expect.arrayContaining(others));
    },
    LIMIT,
  );

  test(
    "gives no change a number that a program may have read after the backup",
    async () => {
      const copy = await server.database(full);
      const app = await serving({ DATABASE_URL: copy });
      const headers = await administrator(app);
      for (const _ of [1, 2]) await ask(app, LOCATIONS, aLocation(headers));
      const [{ id: read }] = await query(copy, "select max(id) as id from change_sets");
      app.child.kill("SIGINT");
      await app.ended;
      expect((await run(copy, "restore", file, "--replace")).code).toBe(0);
      const again = await serving({ DATABASE_URL: copy });
      await ask(again, LOCATIONS, aLocation(await administrator(again)));
      const [{ id: next }] = await query(copy, "select max(id) as id from change_sets");
      expect(Number(next)).toBeGreaterThan(Number(read));
    },
    LIMIT,
  );

  test(
    "gives the audit log another edition, so that nobody counts on from what was there before",
    async () => {
      const copy = await server.database(full);
      const editions = () => query(copy, "select table_name, edition from editions");
      const before = await editions();
      expect(before.map(({ table_name }) => table_name)).toEqual(["audit_log"]);
      expect((await run(copy, "restore", file, "--replace")).code).toBe(0);
      const after = await editions();
      expect(after.map(({ table_name }) => table_name)).toEqual(["audit_log"]);
      expect(after[0]?.edition).not.toBe(before[0]?.edition);
    },
    LIMIT,
  );

  test(
    "restores a consistent state of a database that is being written to",
    async () => {
      const busy = join(directory, "busy.ndjson.gz");
      const app = await serving({ DATABASE_URL: full });
      const headers = await administrator(app);
      const writing = requestContinuously(4, () => ask(app, LOCATIONS, aLocation(headers)));
      const backup = await run(full, "backup", busy);
      await writing.stop();
      expect(backup.code).toBe(0);
      const copy = await server.database();
      expect((await run(copy, "restore", busy)).code).toBe(0);
      const [locations] = await query(
        copy,
        `
        select count(*)::int as made, count(changes)::int as told from locations
        left join changes on table_name = 'locations' and row_id = locations.id and action = 'insert'`,
      );
      expect(locations.made).toBe(locations.told);
      const [highest] = await query(copy, "select max(id) as id from locations");
      const restored = await serving({ DATABASE_URL: copy });
      const options = aLocation(await administrator(restored));
      const answer = await restored.fetch(LOCATIONS, options);
      expect(answer.status).toBe(201);
      const { id } = (await answer.json()) as { id: number };
      expect(id).toBeGreaterThan(highest.id);
      const [change] = await query(
        copy,
        `select * from changes where row_id = ${id} and table_name = 'locations'`,
      );
      expect(change).toMatchObject({ action: "insert" });
    },
    LIMIT,
  );

  test(
    "refuses a database with data, unless it may replace it, and one that is in use",
    async () => {
      const other = await server.database(full);
      await run(other, "user", "add", "zoe");
      expect((await run(other, "restore", file)).err).toStartWith(
        "The database has data: add --replace",
      );
      const app = await serving({ DATABASE_URL: other });
      await administrator(app);
      expect((await run(other, "restore", file, "--replace")).err).toBe(
        "Cadastre still serves from this database: stop it first",
      );
      app.child.kill("SIGINT");
      await app.ended;
      expect((await run(other, "restore", file, "--replace")).code).toBe(0);
      expect((await run(other, "user", "list")).out).not.toContain("zoe");
    },
    LIMIT,
  );

  test.each([
    ["is cut off", () => readFileSync(file).subarray(0, 5_000), "damaged or cut off"],
    [
      "was changed",
      () => packed(unpacked().replace("Klystron", "Magnetron")),
      "damaged or cut off",
    ],
    [
      "lacks its end",
      () => packed(unpacked().split("\n").slice(0, -2).join("\n")),
      "damaged or cut off",
    ],
    ["is something else", () => packed("name,id\nx,1\n"), "This is not a backup of Cadastre"],
    [
      "is of a newer program",
      () => packed(unpacked().replace('"0001_schema"', '"0001_schema","0999_later"')),
      "The backup is newer than this program: it has 0999_later",
    ],
  ])("refuses a file that %s, and changes nothing", async (_how, bytes, sentence) => {
    const path = join(directory, "bad.ndjson.gz");
    writeFileSync(path, bytes());
    const database = await server.migrated();
    await query(database, "insert into locations (name, qrcode) values ('Kept', '')");
    const { code, err } = await run(database, "restore", path);
    expect(code).toBe(1);
    expect(err).toContain(sentence);
    expect(err).not.toContain("\n");
    expect(await query(database, "select name from locations")).toEqual([{ name: "Kept" }]);
  });
});

function run(database: string, ...args: string[]) {
  return cadastre(args, { settings: { DATABASE_URL: database } });
}

let made = 0;

function aLocation(headers: Record<string, string>): RequestInit {
  made += 1;
  return { method: "POST", headers, body: JSON.stringify({ name: `Another room ${made}` }) };
}

function unpacked(): string {
  return gunzipSync(readFileSync(file)).toString();
}

function packed(content: string): Buffer {
  return gzipSync(content);
}

/** How many rows each table has, with a sum over all that is in them, and where each sequence is. */
async function contents(database: string) {
  const names = await query(
    database,
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  );
  const tables: Record<string, { rows: number; sum: string }> = {};
  for (const { name } of names.filter((one) => !LEFT_OUT.includes(one.name))) {
    const [found] = await query(
      database,
      `select count(*)::int as rows, md5(coalesce(string_agg(one::text, e'\\n' order by one), '')) as sum from "${name}" one`,
    );
    tables[name] = found;
  }
  const sequences = await query(
    database,
    "select sequencename, last_value::int from pg_sequences where schemaname = 'public' order by 1",
  );
  return { tables, sequences };
}

async function query(database: string, text: string): Promise<any[]> {
  const sql = new SQL({ url: database, adapter: "postgres", max: 1 });
  try {
    return [...(await sql.unsafe(text))];
  } finally {
    await sql.close();
  }
}
