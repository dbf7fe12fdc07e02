import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadOf, measure, measurePgbench } from "../bench/measure.ts";
import { ratio } from "../bench/numbers.ts";
import { write } from "../bench/page.ts";
import { hasPgbench } from "../bench/pgbench.ts";
import type { Row } from "../bench/run.ts";
import { build, type Stand, tryOut } from "../bench/stand.ts";
import { aDatabase } from "./support/cluster.ts";

// What a bench with tiny data and without any verdict can show: that it has not rotted.
const tiny = { label: "1x", items: 400, hosts: 40 };
const hasWrk = Bun.which("wrk") !== null;
const isLinux = process.platform === "linux";

describe.skipIf(!isLinux)("npm run bench", () => {
  let stand: Stand;
  let database: Awaited<ReturnType<typeof aDatabase>>;

  beforeAll(async () => {
    database = await aDatabase();
    stand = await build({ address: database.url, sizes: [tiny], fresh: false, say: () => {} });
  });

  afterAll(async () => {
    await stand?.close();
    await database?.drop();
  });

  test("asks for nothing that is refused, and not found by other statements than ours", async () => {
    for (const operation of stand.largest.operations.filter(({ makes }) => !makes)) {
      await tryOut(operation, stand.largest);
    }
    const silent = [...stand.statements].filter(([, statements]) => statements.length === 0);
    expect(stand.statements.size).toBeGreaterThan(20);
    expect(silent).toEqual([]);
  });

  test("answers the same by the route that it is compared with", async () => {
    const { largest, bare, statements } = stand;
    const names = ["Items, first page", "One host", "Hosts, found by a prefix"];
    for (const name of names) {
      const operation = largest.operations.find((one) => one.name === name)!;
      const ours = await fetch(largest.served.origin + operation.path, {
        headers: largest.askers.admin,
      });
      const theirs = await fetch(`${bare.origin}/${[...statements.keys()].indexOf(name)}`);
      expect(await theirs.json()).toEqual(await ours.json());
    }
  });

  test.skipIf(!hasWrk)(
    "measures, and writes a page with every operation and its plots",
    async () => {
      const { largest, server, statements, directory } = stand;
      const payers = { served: largest.served, postmaster: server.pid };
      const rows: Row[] = largest.operations.map((operation) => ({
        operation,
        ours: new Map(),
        bare: [],
        pgbench: [],
      }));
      const making = rows.find(({ operation }) => operation.makes && operation.clients > 8)!;
      const sample = await measure(
        loadOf(making.operation, largest.served, largest.askers.admin),
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
          seconds: 1,
          directory,
        };
        row!.pgbench.push(await measurePgbench(asking, payers));
      }
      const folder = mkdtempSync(join(tmpdir(), "cadastre-bench-page-"));
      const results = {
        rows,
        constant: [],
        crowds: [],
        exports: [],
        startups: [1],
        atRest: 1,
        rollbacks: 0,
      };
      await write(folder, {
        results,
        sizes: [tiny],
        rounds: 1,
        machine: [["Bun", Bun.version]],
        seconds: 1,
      });
      const page = readFileSync(join(folder, "README.md"), "utf8");
      for (const { operation } of rows) expect(page).toContain(operation.name);
      expect(readFileSync(join(folder, "growth.svg"), "utf8")).toContain("</svg>");
      rmSync(folder, { recursive: true });
    },
  );

  test("tells ratios by the rounds in which both were measured", () => {
    expect(ratio([10, 30, 20], [10, 10])).toEqual({ median: 2, least: 1, most: 3 });
    expect(ratio([1], [])).toBeUndefined();
  });
});
