import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SQL } from "bun";
import { addHosts, type BenchServer, PASSWORD, start } from "../bench/data.ts";
import { load } from "../bench/load.ts";
import { loadOf, measure, measurePgbench } from "../bench/measure.ts";
import { ratio } from "../bench/numbers.ts";
import { write } from "../bench/page.ts";
import { hasPgbench } from "../bench/pgbench.ts";
import type { OperationRow } from "../bench/run.ts";
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
    const names = ["Items, first page", "One host", "Hosts, filtered by device type"];
    for (const name of names) {
      const operation = largest.operations.find((one) => one.name === name)!;
      const ours = await fetch(largest.served.origin + operation.path, {
        headers: largest.credentials.admin,
      });
      const theirs = await fetch(`${bare.origin}/${[...statements.keys()].indexOf(name)}`);
      expect(await theirs.json(), name).toEqual(await ours.json());
    }
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
      rollbacks: 0,
    };
    await write(directory, {
      results,
      sizes: [tiny],
      rounds: 1,
      machine: [["Bun", Bun.version]],
      seconds: 1,
    });
    const page = readFileSync(join(directory, "README.md"), "utf8");
    for (const { operation } of rows) expect(page).toContain(operation.name);
    expect(readFileSync(join(directory, "growth_hosts.svg"), "utf8")).toContain("</svg>");
  });

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
