import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { addHosts, type BenchServer, PASSWORD, start } from "../bench/data.ts";
import { limitRows, limitVerdicts } from "../bench/limits.ts";
import { inventoryCost } from "../bench/limits_feeds.ts";
import { fileRows } from "../bench/limits_files.ts";
import { limitsText } from "../bench/limits_page.ts";
import { afterWrites, handWritten, limitedReads, PAGE } from "../bench/limits_reads.ts";
import type { Limits } from "../bench/limits_run.ts";
import { noReads } from "../bench/limits_scale.ts";
import { noWrites } from "../bench/limits_writes.ts";
import { load } from "../bench/load.ts";
import { loadOf, measure, measurePgbench, type Sample } from "../bench/measure.ts";
import { attempts } from "../bench/missing.ts";
import { percentile, ratio } from "../bench/numbers.ts";
import { CREATE_ALONE, CREATE_TOGETHER } from "../bench/operations.ts";
import { overview } from "../bench/overview.ts";
import { write } from "../bench/page.ts";
import { hasPgbench, pgbench } from "../bench/pgbench.ts";
import { fromJson, toJson } from "../bench/recorded.ts";
import { compare, type OperationRow } from "../bench/run.ts";
import * as searchPage from "../bench/search_page.ts";
import { QUERIES } from "../bench/search_queries.ts";
import { build, requestOnce, type TestBed } from "../bench/test_bed.ts";
import { dropSearchObjects, WRITES } from "../bench/writes.ts";
import { consoleCaller } from "../src/auth/auth.ts";
import * as passwords from "../src/user/passwords.ts";
import { aDatabase } from "./support/cluster.ts";

const LIMIT = 120_000;
setDefaultTimeout(LIMIT);

// The benchmark still works, with tiny data and without comparing the results.
const tiny = { label: "1x", items: 40, hosts: 400 };
/** Made up: nothing grows, and everything is as fast as its limit. */
const LIMITS: Limits = {
  reads: {
    reads: limitedReads({ name: "a", start: "a" }).map(({ name }) => ({
      name,
      ours: new Map([10, 100].map((hosts) => [hosts, [sampleOf(1_000)]])),
      limit: name === PAGE ? [] : [sampleOf(1_000)],
    })),
    lists: new Map([[10, [{ path: "/hosts", as: "admin", after: [2], quiet: [1] }]]]),
  },
  writes: {
    writes: [CREATE_ALONE, CREATE_TOGETHER, "Change one field of a host"].map((name) => ({
      name,
      ours: [sampleOf(1_000)],
      limit: [sampleOf(1_000)],
    })),
    networks: [0, 60_000].map((used) => ({ used, samples: [sampleOf(1_000)] })),
    twice: 0,
    rollbacks: 0,
  },
  files: fileRows().map((row) => ({ ...row, service: [1], postgres: [1], copy: [1] })),
  inventory: {
    anew: { service: [100], postgres: [100] },
    again: { service: [1], postgres: [1] },
    unchanged: { service: [1], postgres: [1] },
  },
  memory: {
    atRest: { service: 60, postgres: 40 },
    afterLoad: { service: 100, postgres: 60 },
    afterLogins: { service: 100, postgres: 50 },
    failed: 0,
  },
};
const NOTHING = { rows: [], constant: [], crowds: [], exports: [], starts: [] };

function sampleOf(microseconds: number): Sample {
  const half = microseconds / 2;
  return { requests: 1, rate: 100, p50: 1, p99: 1, app: half, postgres: half, peak: 1, failed: 0 };
}

/** A pid that no process has, as after a killed run. */
const LEFT = join(tmpdir(), "cadastre-bench-99999999-left");
const hasWrk = Bun.which("wrk") !== null;
const isLinux = process.platform === "linux";

describe.skipIf(!isLinux)("npm run bench", () => {
  let server: BenchServer;
  let stand: TestBed;
  let database: Awaited<ReturnType<typeof aDatabase>>;

  beforeAll(async () => {
    database = await aDatabase();
    server = await start(database.url, () => {});
    await fill(server.admin);
    await addHosts(database.url, tiny.hosts);
    mkdirSync(LEFT, { recursive: true });
    const copy = async () => ({ url: database.url, drop: async () => {} });
    stand = await build(server, { sizes: [tiny], copy });
  }, LIMIT);

  afterAll(async () => {
    await stand?.close();
    await server?.stop();
    await database?.drop();
  }, LIMIT);

  test("removes what a killed run left behind, and nothing else", () => {
    expect(existsSync(LEFT)).toBe(false);
    expect(existsSync(stand.directory)).toBe(true);
  });

  test("sends no request that is refused, and compares with the statements of the service", async () => {
    for (const operation of stand.largest.operations.filter(({ makes }) => !makes)) {
      await requestOnce(operation, stand.largest);
    }
    const silent = [...stand.statements].filter(([, statements]) => statements.length === 0);
    expect(stand.statements.size).toBeGreaterThan(10);
    expect(silent).toEqual([]);
  });

  test("returns the same as the bare route that it is compared with", async () => {
    const { largest, bare, statements } = stand;
    const names = [...statements.keys()];
    const answered = largest.operations.filter(
      ({ name, as }) => names.includes(name) && as !== "browser",
    );
    expect(answered.length).toBeGreaterThan(10);
    for (const { name, path, as } of answered) {
      const headers = largest.credentials[as];
      const ours = await fetch(largest.served.origin + path, { headers });
      const theirs = await fetch(`${bare.origin}/${names.indexOf(name)}`);
      expect(await theirs.json(), name).toEqual(await ours.json());
    }
  });

  test.skipIf(!hasPgbench)("repeats a statement with all of its values, bytes too", async () => {
    const { largest, directory } = stand;
    const bits = Buffer.alloc(2_504);
    bits.writeUInt8(1 << (20_002 % 8), 20_002 >> 3);
    const sql = `select 1 / (case when $1::int < ${bits.length * 8} then get_bit($2::bytea, $1::int) end
      + ($3::text is null and $4::text[] = array['a"b', 'c,d'] and $5::jsonb->>'key' = 'a b')::int - 1)`;
    const params = [20_002, bits, null, ['a"b', "c,d"], { key: "a b" }];
    const statements = fromJson(toJson([[{ sql, params }]]))[0]!;
    expect(statements).toEqual([{ sql, params }]);
    const { requests } = await pgbench({
      url: largest.url,
      statements,
      clients: 1,
      times: 2,
      directory,
    });
    expect(requests).toBe(2);
  });

  test.skipIf(!hasPgbench || !hasWrk)("goes on without a comparison that fails", async () => {
    const [operation] = stand.largest.operations;
    const broken = [{ sql: "select 1 / 0", params: [] }];
    const statements = new Map(stand.statements).set(operation!.name, broken);
    const before: Sample[] = [sampleOf(1)];
    const row = { operation: operation!, ours: new Map(), bare: [], pgbench: before };
    const reported: string[] = [];
    const { missing, attempt } = attempts((line) => reported.push(line));
    await compare({ ...stand, statements }, row, attempt);
    await compare({ ...stand, statements }, row, attempt);
    const name = "Items, first page, to pgbench";
    expect(missing).toEqual([{ name, reason: expect.stringContaining("division by zero") }]);
    expect(reported).toEqual([`Missing: ${name}: ${missing[0]!.reason}`]);
    expect([row.bare.length, row.pgbench.length]).toEqual([2, 0]);
  });

  test.skipIf(!hasWrk)("measures every operation, and writes a page with plots", async () => {
    const { largest, server, statements, directory } = stand;
    const payers = { served: largest.served, postmaster: server.pid };
    const rows: OperationRow[] = largest.operations.map((operation) => ({
      operation,
      ours: new Map(),
      bare: [],
      pgbench: [],
    }));
    const making = rows.find(({ operation }) => operation.makes && operation.clients > 8)!;
    const sample = await measure(
      loadOf(making.operation, largest.served, largest.credentials.admin),
      payers,
    );
    expect(sample).toMatchObject({ failed: 0 });
    expect(sample.requests).toBeGreaterThan(0);
    making.ours.set("1x", [sample]);
    if (hasPgbench) {
      const [row] = rows;
      const asking = {
        url: largest.url,
        statements: statements.get(row!.operation.name)!,
        clients: 1,
        times: 1,
        directory,
      };
      row!.pgbench.push(await measurePgbench(asking, payers));
    }
    const results = {
      rows,
      constant: [],
      crowds: [],
      exports: [],
      starts: [],
    };
    await write(directory, {
      results,
      limits: LIMITS,
      missing: [{ name: "Hosts, first page, to pgbench", reason: "a | b" }],
      sizes: [tiny],
      rounds: 1,
      machine: [["Bun", Bun.version]],
      seconds: 1,
    });
    const page = readFileSync(join(directory, "README.md"), "utf8");
    for (const { operation } of rows) expect(page).toContain(operation.name);
    for (const { name } of limitRows(LIMITS)) expect(page).toContain(`| ${name} |`);
    for (const { target } of limitVerdicts(LIMITS)) expect(page).toContain(`| ${target} |`);
    expect(page).toContain("| Hosts, first page, to pgbench | a \\| b |");
    expect(page.match(/\[missing\]\(#not-measured\)/g)).toHaveLength(1);
    expect(readFileSync(join(directory, "growth_hosts.svg"), "utf8")).toContain("</svg>");
  });

  test("reads the same rows by statements written by hand", async () => {
    const { largest } = stand;
    const example = { name: "acc-box-0000000", start: "acc-box-00000" };
    const byHand = handWritten(example);
    const sql = new SQL({ url: largest.url, adapter: "postgres", max: 1 });
    for (const { name, path, as } of limitedReads(example)) {
      const headers = { ...largest.credentials[as], accept: "application/json" };
      const answer = await fetch(largest.served.origin + path, { headers });
      expect([name, answer.status]).toEqual([name, 200]);
      const [statement] = byHand.get(name) ?? [];
      if (!statement) continue;
      const [row] = await sql.unsafe(statement.sql, statement.params);
      const records = JSON.parse(row.json);
      expect(records).not.toEqual([]);
      expect([name, records]).toEqual([name, await answer.json()]);
    }
    await sql.close();
  });

  test("requests every list right after a write and while nobody writes", async () => {
    const { served, credentials } = stand.largest;
    const [{ id }] = await server.admin`select min(id) as id from hosts`;
    const lists = await afterWrites(served, credentials, { host: id, times: 1 });
    for (const { path, after, quiet } of lists) {
      expect([path, after.length, quiet.length]).toEqual([path, 1, 1]);
    }
  });

  test.skipIf(!hasWrk)(
    "opens connections before a sample of writes, with records that the sample does not write",
    async () => {
      const written: string[] = [];
      const server = Bun.serve({
        port: 0,
        fetch: async (request) => {
          written.push(await request.text());
          return new Response();
        },
      });
      const how = { url: `${server.url}`, method: "POST", clients: 1, seconds: 0.2 };
      const caughtUp: number[] = [];
      const catchUp = async () => caughtUp.push(written.length);
      const sample = await measure(
        { ...how, body: "%d", from: 1_000_000 },
        { postmaster: undefined, catchUp },
        { ...how, body: "%d", from: 1 },
      );
      await server.stop(true);
      const before = written.findIndex((number) => Number(number) >= 1_000_000);
      expect(before).toBeGreaterThan(0);
      expect(caughtUp[0]).toBe(before);
      expect(sample.requests).toBeGreaterThan(0);
      expect(sample.requests).toBeLessThanOrEqual(written.length - before);
    },
  );

  test.skipIf(!hasWrk)("continues when the time ends before the load begins", async () => {
    const url = `${stand.constant.origin}/`;
    const loaded = Array.from({ length: 5 }, () => load({ url, clients: 1, seconds: 0 }));
    for (const { broken } of await Promise.all(loaded)) expect(broken).toBe(0);
  });

  test("runs no search that is refused, and writes a page with every query", async () => {
    const { directory, largest } = stand;
    const { served, credentials } = largest;
    for (const { q } of QUERIES) {
      const path = `/api/v1/network/hosts/search?q=${encodeURIComponent(q)}`;
      const answer = await fetch(served.origin + path, { headers: credentials.admin });
      expect([q, answer.status]).toEqual([q, 200]);
    }
    const results = QUERIES.map((query) => ({
      query,
      found: "1",
      first: [1],
      inside: [1],
      warm: [],
    }));
    const scales = [{ hosts: tiny.hosts, results, startups: [1], memory: [1] }];
    const written = WRITES.map((write) => ({ write, whole: [], bare: [] }));
    await searchPage.write(directory, {
      scales,
      written,
      rounds: 1,
      machine: [["Bun", Bun.version]],
    });
    const page = readFileSync(join(directory, "search.md"), "utf8");
    for (const { kind } of QUERIES) expect(page).toContain(kind);
    for (const { name } of WRITES) expect(page).toContain(name);
  });

  test("writes hosts with and without search documents after all were deleted", async () => {
    const { served, credentials } = stand.largest;
    const [{ id }] = await server.admin`select max(id) as id from hosts`;
    const refused: string[] = [];
    const writeAll = async (from: number) => {
      for (const [at, { name, method, path, body }] of WRITES.entries()) {
        const answer = await fetch(served.origin + path.replaceAll("%d", String(id)), {
          method,
          headers: { ...credentials.admin, "content-type": "application/json" },
          body: body.replaceAll("%d", String(from + at)),
        });
        if (!answer.ok) refused.push(`${name}: ${await answer.text()}`);
      }
    };
    await writeAll(1_000);
    await dropSearchObjects(server.admin);
    await writeAll(2_000);
    expect(refused).toEqual([]);
    const left = await server.admin`
      select indexname as name from pg_indexes
        where tablename in ('hosts', 'interfaces', 'cnames') and indexdef ~ 'gin |reverse[(]|host[(]'
      union all select tgname from pg_trigger
        where tgrelid in ('hosts'::regclass, 'interfaces'::regclass, 'cnames'::regclass)
          and not tgisinternal and tgname not in ('stamp', 'track') and tgname !~ '^(free|take)_'`;
    expect([...left]).toEqual([]);
  });

  test.each([
    [["--fast"], "Unknown option '--fast'; see npm run bench -- --help"],
    [
      ["--rounds", "0"],
      "--rounds must be a number from 1 to 100, not '0'; see npm run bench -- --help",
    ],
    [
      ["--rounds", "few"],
      "--rounds must be a number from 1 to 100, not 'few'; see npm run bench -- --help",
    ],
    [
      ["--soak", "--minutes", "1"],
      "--minutes must be a number from 2 to 100, not '1'; see npm run bench -- --help",
    ],
    [
      ["--soak", "--million"],
      "--soak is a run of its own, without --search and --million; see npm run bench -- --help",
    ],
    [[], "wrk is missing: install it (apt-get install wrk) and run again"],
  ])(
    "called with %p on a machine without the programs says what is missing",
    async (args, sentence) => {
      expect(await refusal(args, { PATH: "/nowhere" })).toEqual([1, sentence]);
    },
  );

  test.skipIf(!hasWrk)("reports that there is no database at the given address", async () => {
    const DATABASE_URL = "postgres://nobody@127.0.0.1:1/nothing";
    const sentence = "The database cannot be used: Failed to connect";
    expect(await refusal([], { DATABASE_URL })).toEqual([1, expect.stringContaining(sentence)]);
  });

  test("computes ratios from the rounds in which both sides were measured", () => {
    expect(ratio([10, 30, 20], [10, 10])).toEqual({ median: 2, least: 1, most: 3 });
    expect(ratio([1], [])).toBeUndefined();
  });
});

describe("the rows with limits", () => {
  test("have targets or say that they have none", () => {
    const rows = limitRows(LIMITS);
    const without = rows.filter(({ target }) => !target).map(({ name }) => name);
    expect(without).toContain("Hosts, first page as JSON");
    expect(without).toContain("Ansible inventory, made anew");
    expect(limitsText(LIMITS).match(/\| no target \|/g)).toHaveLength(without.length);
    for (const { name, target } of rows) {
      const shown = target ? target.sentence : "no target";
      const line = limitsText(LIMITS)
        .split("\n")
        .find((one) => one.startsWith(`| ${name} |`));
      expect(line).toContain(`| ${shown} |`);
    }
  });

  test("miss a target by one failed request, by twice an address and by memory", () => {
    const missed = (limits: Limits) =>
      limitVerdicts(limits)
        .filter(({ isMet }) => !isMet)
        .map(({ target }) => target);
    expect(missed(LIMITS)).toEqual([]);
    const [alone, ...others] = LIMITS.writes.writes;
    const failed = { ...alone!, ours: [{ ...sampleOf(2_000), failed: 1 }] };
    const writes = { ...LIMITS.writes, writes: [failed, ...others], twice: 1 };
    const afterLoad = { service: 280, postgres: 21 };
    const bad = missed({ ...LIMITS, writes, memory: { ...LIMITS.memory!, afterLoad } });
    expect(bad).toEqual([
      "Create a host with an automatic address, to one statement by hand: at most 6 times the CPU time",
      "No address is given twice",
      "Memory of the service and PostgreSQL together, after load: at most 300 MB",
    ]);
  });

  test("limit the wait at a million hosts, and show a page in plain sentences", () => {
    const flat = LIMITS.reads.reads.find(({ name }) => name === PAGE)!;
    const steep = {
      ...flat,
      ours: new Map([
        [10, [sampleOf(1_000)]],
        [1_000_000, [{ ...sampleOf(1_400), p99: 301 }]],
      ]),
    };
    const reads = { ...LIMITS.reads, reads: [steep] };
    const found = limitVerdicts({ ...LIMITS, reads }).filter(({ target }) =>
      target.includes("1,000,000 hosts"),
    );
    expect(found).toEqual([
      {
        target: `${PAGE}, with 1,000,000 hosts: a p99 of at most 300 ms`,
        found: "301 (301–301)",
        isMet: false,
      },
    ]);
    const text = overview({ limits: { ...LIMITS, reads }, results: NOTHING, sizes: [tiny] });
    expect(text).toContain("1.00 ms of CPU time with 10 hosts and 1.40 ms with 1,000,000.");
    expect(text).toContain("| phpIPAM 13 ms, Directus 12.6 ms |");
  });

  test("that were not measured are missed", () => {
    const none: Limits = {
      reads: noReads(),
      writes: noWrites(),
      files: fileRows(),
      inventory: inventoryCost(),
      memory: undefined,
    };
    const verdicts = limitVerdicts(none);
    expect(verdicts.length).toBe(limitVerdicts(LIMITS).length);
    for (const { target, found, isMet } of verdicts) {
      expect([target, found, isMet]).toEqual([target, "not measured", false]);
    }
    expect(overview({ limits: none, results: NOTHING, sizes: [tiny] })).not.toContain("NaN");
    expect(limitsText(none)).not.toContain("NaN");
  });

  test("name the slowest list right after a write", () => {
    const after = Array.from({ length: 100 }, (_, at) => at);
    const list = { path: "/slow", as: "reader" as const, after, quiet: [1] };
    const lists = new Map([[10, [...LIMITS.reads.lists.get(10)!, list]]]);
    const limits = { ...LIMITS, reads: { ...LIMITS.reads, lists } };
    expect(limitVerdicts(limits).filter(({ isMet }) => !isMet)).toEqual([
      {
        target: "Lists right after a write, 10 hosts: a p99 of at most 75 ms",
        found: "98.0 ms, the slowest is /slow, for a reader",
        isMet: false,
      },
    ]);
    expect(percentile([], 0.99)).toBeNaN();
  });
});

async function refusal(args: string[], env: Record<string, string>) {
  const bench = Bun.spawn([process.execPath, "bench/main.ts", ...args], {
    env: { ...process.env, ...env },
    stdout: "ignore",
    stderr: "pipe",
  });
  return [await bench.exited, (await new Response(bench.stderr).text()).trim()];
}

/** The users of requests, and an item as a model for others. */
async function fill(sql: SQL): Promise<void> {
  const hash = await passwords.hash(PASSWORD, passwords.queueTurnOf(consoleCaller));
  await sql`update users set password_hash = ${hash}`;
  await sql`insert into users (username, password_hash) values (${"carol"}, ${hash})`;
  await sql`insert into models (name, qrcode) values ('PowerEdge R650', '')`;
  await sql`insert into statuses (name, qrcode) values ('In stock', '')`;
  await sql`insert into items (ics_id, serial_number, model_id) select 'AAA000', 'S-1', id from models`;
}
