// Backups that are restored and compared before they are called good, by the command and by the service.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { endAll, launch, until } from "./processes.ts";
import { aServer, cadastre, MAIN, type Server, served, serving, starting } from "./program.ts";
import { anS3Server, BUCKET, KEY, type S3Server } from "./s3_server.ts";

const LIMIT = 180_000;
const NAME = /^cadastre-2\d{3}-.*Z\.ndjson\.gz$/;

let server: Server;
let database: string;
let sql: SQL;
let directory: string;

beforeAll(async () => {
  server = await aServer();
}, LIMIT);
beforeEach(async () => {
  database = await server.migrated();
  sql = new SQL({ url: database, adapter: "postgres", max: 2 });
  directory = mkdtempSync(join(tmpdir(), "cadastre-proof-"));
  await sql`insert into users (username, groups) values ('root', '{admin}')`;
}, LIMIT);
afterEach(async () => {
  endAll();
  await sql.close({ timeout: 0 });
  rmSync(directory, { recursive: true, force: true });
});
afterAll(() => server.stop());

function run(...args: string[]) {
  return cadastre(args, { settings: { DATABASE_URL: database } });
}

function commandRunning(...args: string[]) {
  return launch([process.execPath, MAIN, ...args], { env: { DATABASE_URL: database } });
}

function files(): string[] {
  return readdirSync(directory).toSorted();
}

/** Older backups: with a proof, a note that it is bad, or neither. */
function older(...notes: Array<".proof.json" | ".bad.json" | "">): string[] {
  return notes.map((note, at) => {
    const name = `cadastre-1999-01-0${at + 1}T00-00-00Z.ndjson.gz`;
    writeFileSync(join(directory, name), "");
    if (note) writeFileSync(join(directory, name + note), "");
    return name;
  });
}

/** The databases into which backups were restored. */
async function scratchDatabases(): Promise<string[]> {
  const found: Array<{ datname: string }> =
    await sql`select datname from pg_database where datname like 'cadastre_proof%'`;
  return found.map(({ datname }) => datname);
}

async function lastAttempt() {
  const [last] = await sql`select result, message, file from backups order by at desc limit 1`;
  return last;
}

describe("cadastre backup --to", () => {
  test(
    "restores the backup, compares it, and deletes those that enough newer ones can replace",
    async () => {
      const [oldest, good, unproven, bad] = older(".proof.json", ".proof.json", "", ".bad.json");
      await sql`insert into locations (name, qrcode) values ('Attic', '')`;
      // What a killed process leaves.
      await sql`
        insert into backups (at, result, lease_until)
        values (now() - interval '1 hour', 'started', now() - interval '50 minutes')`;
      const [{ scratch }] = await sql`
        select 'cadastre_proof_' || oid as scratch from pg_database where datname = current_database()`;
      await sql.unsafe(`create database ${scratch}`);
      const { code, err } = await run("backup", "--to", directory, "--keep", "2");
      expect({ code, err }).toEqual({
        code: 0,
        err: expect.stringMatching(
          /^Backed up to .*gz, and proven: \d+ rows restored are the same$/,
        ),
      });
      const made = files().find((name) => NAME.test(name))!;
      expect(files()).toEqual(
        [
          good!,
          `${good}.proof.json`,
          unproven!,
          bad!,
          `${bad}.bad.json`,
          made,
          `${made}.proof.json`,
        ]
          .filter((name) => !name.startsWith(unproven!) || name === unproven)
          .toSorted(),
      );
      expect(files()).not.toContain(oldest!);
      for (const name of [made, `${made}.proof.json`])
        expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
      const proof = JSON.parse(readFileSync(join(directory, `${made}.proof.json`), "utf8"));
      expect(proof.tables).toContainEqual({
        name: "locations",
        rows: 1,
        checksum: expect.stringMatching(/^-?\d+$/),
      });
      expect(await scratchDatabases()).toEqual([]);
      expect(await lastAttempt()).toEqual({
        result: "good",
        message: null,
        file: join(directory, made),
      });
      const [killed] = await sql`select result, message from backups order by at limit 1`;
      expect(killed).toEqual({ result: "failed", message: "The process that made it was ended" });
      await sql`insert into backups (result, lease_until) values ('started', now() + interval '1 minute')`;
      expect(await run("backup", "--to", directory)).toMatchObject({
        code: 1,
        err: "Another process makes a backup of this database now",
      });
    },
    LIMIT,
  );

  test(
    "stays with --every, until it is ended",
    async () => {
      const running = commandRunning("backup", "--to", directory, "--every", "1d");
      await until("a good backup", () => running.said().includes("proven by a restore"));
      running.child.kill("SIGTERM");
      expect(await running.ended).toBe(0);
      expect(files()).toHaveLength(2);
    },
    LIMIT,
  );

  test(
    "calls a backup bad that does not restore what was there, and deletes no good one for it",
    async () => {
      const good = older(".proof.json", ".proof.json");
      await sql.unsafe("alter table locations add column lost text default 'x'");
      await sql`insert into locations (name, qrcode) values ('Attic', '')`;
      const { code, out, err } = await run("backup", "--to", directory, "--keep", "1");
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(/^The backup cadastre-.*gz is bad\. .*locations would differ from the/);
      expect(err).not.toContain("\n");
      for (const name of good) expect(files()).toContain(`${name}.proof.json`);
      expect(files().filter((name) => name.endsWith(".bad.json"))).toHaveLength(1);
      expect(await scratchDatabases()).toEqual([]);
      const doctor = await run("doctor");
      expect(doctor.code).toBe(1);
      expect(doctor.out).toMatch(
        /^problem {2}The last backup failed .*is bad\..*\n +\$ cadastre /m,
      );
    },
    LIMIT,
  );

  test(
    "says that a backup is not proven if the role may not create a database",
    async () => {
      await sql.unsafe(`
        do $$ begin
          if not exists (select from pg_roles where rolname = 'modest') then create role modest login; end if;
        end $$;
        grant pg_read_all_data, pg_write_all_data to modest`);
      const DATABASE_URL = database.replace(/\/\/[^@]*@/, "//modest@");
      const settings = { DATABASE_URL, BACKUP_TO: directory };
      const { code, err } = await cadastre(["backup", "--to", directory], { settings });
      expect({ code, err }).toEqual({
        code: 0,
        err: expect.stringMatching(
          /^Backed up to .*, but not proven: the role modest may not create a database to restore it into: alter role modest createdb$/,
        ),
      });
      expect(files()).toHaveLength(1);
      const doctor = await cadastre(["doctor"], { settings });
      expect(doctor.out).toMatch(/^problem {2}The last backup is not proven, /m);
      expect(doctor.out).toContain("$ sudo -u postgres psql -c 'alter role modest createdb'");
    },
    LIMIT,
  );

  test(
    "leaves nothing behind when the connection breaks or the disk is full, and says so",
    async () => {
      const lock = await sql.reserve();
      await lock.unsafe("begin; lock table users");
      const running = run("backup", "--to", directory);
      const pid = await until("the backup to wait", async () => {
        const [found] = await sql`
          select pid from pg_stat_activity where application_name = 'cadastre proven backup' and wait_event_type = 'Lock'`;
        return found?.pid;
      });
      await sql`select pg_terminate_backend(${pid})`;
      expect(await running).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^The database .* cannot be used: terminating connection/),
      });
      await lock.unsafe("rollback");
      lock.release();
      expect(files()).toEqual([]);
      expect(await lastAttempt()).toMatchObject({ result: "failed" });

      await sql`insert into settings (name, value)
        select 'filler', string_agg(md5(random()::text), '') from generate_series(1, 9000)`;
      const full = onASmallDisk(directory, "backup", "--to", directory);
      if (!full) return;
      expect(full).toEqual({
        status: 1,
        said: expect.stringMatching(/^\S+ cannot be written: no space left on device\n$/),
        left: "",
      });
    },
    LIMIT,
  );
});

/** Runs a command where the directory is a small file system; undefined where the system allows no such mounts. */
function onASmallDisk(path: string, ...args: string[]) {
  const mount = `mount -t tmpfs -o size=100k none '${path}'`;
  const unshare = ["unshare", "--map-root-user", "--mount", "sh", "-c"];
  if (spawnSync(unshare[0]!, [...unshare.slice(1), mount]).status !== 0) return undefined;
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(" ");
  const script = `${mount}; ${command}; code=$?; ls '${path}'; exit $code`;
  const { status, stderr, stdout } = spawnSync(unshare[0]!, [...unshare.slice(1), script], {
    env: { ...process.env, DATABASE_URL: database },
    encoding: "utf8",
  });
  return { status, said: stderr, left: stdout };
}

describe("cadastre serve with BACKUP_TO", () => {
  test(
    "gives a backup up when it ends, and of two instances one makes it and both report it",
    async () => {
      const settings = { DATABASE_URL: database, BACKUP_TO: directory, BACKUP_EVERY: "1d" };
      const lock = await sql.reserve();
      await lock.unsafe("begin; lock table locations");
      const first = starting(settings);
      const attempts = () => sql`select result from backups`;
      await until("a backup to begin", async () => (await attempts())[0]);
      await served(first);
      first.child.kill("SIGINT");
      expect(await first.ended).toBe(0);
      expect([...(await attempts())]).toEqual([]);
      await lock.unsafe("rollback");
      lock.release();
      expect(files()).toEqual([]);

      await sql`
        insert into backups (at, destination, result) values (now() - interval '3 days', 'elsewhere', 'good')`;
      const instances = await Promise.all([serving(settings), serving(settings)]);
      const logs = () => instances.map((one) => one.said()).join("\n");
      await until("a good backup", () => logs().includes("Backed up, and proven by a restore"));
      expect(await lastAttempt()).toMatchObject({ result: "good" });
      expect(files().filter((name) => NAME.test(name))).toHaveLength(1);
      expect(await attempts()).toHaveLength(2);
      const { fetch } = instances[0]!;
      expect(logs().match(/Backed up, and proven by a restore/g)).toHaveLength(1);
      expect(logs()).not.toContain("The backup failed");
      const doctor = await cadastre(["doctor"], { settings });
      expect(doctor.out).toMatch(/^ok +The last good backup was made less than an hour ago$/m);
      const metrics = await (await fetch("/metrics")).text();
      expect(metrics).toMatch(/^cadastre_backup_age_seconds 2592\d\d(\.\d+)?$/m);
      expect(metrics).toMatch(/^cadastre_backup_last_attempt_good 1$/m);
      expect(metrics).toMatch(/^cadastre_backup_interval_seconds 86400$/m);
    },
    LIMIT,
  );
});

describe("cadastre backup --to s3://", () => {
  let s3: S3Server;
  let settings: Record<string, string>;

  beforeEach(() => {
    s3 = anS3Server();
    settings = {
      DATABASE_URL: database,
      S3_ENDPOINT: s3.origin,
      S3_ACCESS_KEY_ID: KEY.id,
      S3_SECRET_ACCESS_KEY: KEY.secret,
    };
  });
  afterEach(() => s3.stop());

  test(
    "uploads in parts, proves what is in the bucket, and restore reads it",
    async () => {
      await sql`insert into settings (name, value)
        select 'filler ' || row, (select string_agg(md5(random()::text), '') from generate_series(1, 50000) where row > 0)
        from generate_series(1, 8) row`;
      s3.objects.set("site/cadastre-1999-01-01T00-00-00Z.ndjson.gz", new Uint8Array());
      const to = `s3://${BUCKET}/site`;
      const made = await cadastre(["backup", "--to", to, "--keep", "1"], { settings });
      expect(made).toEqual({ code: 0, out: "", err: expect.stringContaining("and proven: ") });
      const names = [...s3.objects.keys()].toSorted();
      expect(names).toEqual([
        expect.stringMatching(/^site\/cadastre-2.*gz$/),
        expect.stringMatching(/^site\/cadastre-2.*gz\.proof\.json$/),
      ]);
      expect(s3.parts.get(names[0]!)).toBeGreaterThan(1);
      const empty = { ...settings, DATABASE_URL: await server.database() };
      const restored = await cadastre(["restore", `s3://${BUCKET}/${names[0]}`], {
        settings: empty,
      });
      expect(restored.out).toMatch(/^Restored \d+ rows/);
      s3.refuseParts();
      const failed = await cadastre(["backup", "--to", to, "--keep", "1"], { settings });
      expect(failed).toMatchObject({
        code: 1,
        err: `${to} cannot be used: ${s3.origin} refuses it (InternalError)`,
      });
      expect([...s3.objects.keys()].toSorted()).toEqual(names);
      expect(s3.uploads.size).toBe(0);
    },
    LIMIT,
  );

  test(
    "says what is wrong with the key, the bucket or the server, and never shows the key",
    async () => {
      const to = `s3://${BUCKET}/site`;
      const cases: Array<[Record<string, string>, string, string]> = [
        [
          { S3_SECRET_ACCESS_KEY: "wrong" },
          to,
          "refuses the key (SignatureDoesNotMatch): see S3_ACC",
        ],
        [{}, "s3://nowhere", "has no such bucket"],
        [{ S3_ENDPOINT: "http://127.0.0.1:1" }, to, "no server answers at http://127.0.0.1:1"],
      ];
      for (const [changes, place, sentence] of cases) {
        const failed = await cadastre(["backup", "--to", place], {
          settings: { ...settings, ...changes },
        });
        expect(failed.code).toBe(1);
        expect(failed.err).toContain(sentence);
        expect(failed.err).not.toContain("\n");
        expect(failed.err).not.toContain(KEY.secret);
      }
      expect([...s3.objects.keys()]).toEqual([]);
    },
    LIMIT,
  );
});
