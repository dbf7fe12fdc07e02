import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allChecks } from "../support/checks.ts";
import { endAll, launch, until } from "./processes.ts";

setDefaultTimeout(1_200_000);

const ROOT = join(import.meta.dir, "..", "..");
const INSTALLED = "/usr/lib/postgresql";
/** Tests of the API and of the data, which send the statements of the pages as well. */
const SUITES = [
  ...["common", "inventory", "house_rules_data", "search/hosts_test"],
  ...["audit", "login", "passkeys", "rights", "service_accounts", "token", "users"].map(
    (name) => `user/${name}`,
  ),
  ...["hosts", "interfaces", "networks", "groups", "allocation", "free_addresses", "undo"].map(
    (name) => `network/${name}_test`,
  ),
];
const NOBODY = 65_534;

/** The installed PostgreSQL, if there is a supported one. */
const programs = (existsSync(INSTALLED) ? readdirSync(INSTALLED) : [])
  .filter((version) => Number(version) >= 15)
  .map((version) => join(INSTALLED, version, "bin"))
  .find((directory) => existsSync(join(directory, "initdb")));

describe.skipIf(!allChecks || !programs || Boolean(process.env.DATABASE_URL))(
  "on the machine's own PostgreSQL",
  () => {
    test("works as on the embedded one", async () => {
      const directory = mkdtempSync(join(tmpdir(), "cadastre-own-"));
      chownSync(directory, NOBODY, NOBODY);
      const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
      const data = join(directory, "data");
      const run = (program: string, ...args: string[]) =>
        launch([join(programs ?? "", program), "-D", data, ...args], { cwd: directory, ...as });
      expect(
        await run("initdb", "-E", "UTF8", "--locale=C", "--auth=trust", "-U", "tests").ended,
      ).toBe(0);
      const fast = [
        "fsync=off",
        "synchronous_commit=off",
        "full_page_writes=off",
        "listen_addresses=",
      ];
      const server = run(
        "postgres",
        "-k",
        directory,
        ...fast.flatMap((setting) => ["-c", setting]),
      );
      const socket = join(directory, ".s.PGSQL.5432");
      await until("its socket", () => existsSync(socket) && server.said().includes("ready"));
      const DATABASE_URL = `postgres://tests@localhost/postgres?host=${directory}`;
      const paths = SUITES.map((suite) => `tests/${suite}`);
      const tests = launch([process.execPath, "test", "--timeout", "120000", ...paths], {
        cwd: ROOT,
        // What proves speed or scale runs once, on the embedded one.
        env: { DATABASE_URL, CADASTRE_CHECKS: "" },
      });
      const code = await tests.ended;
      const failures = tests.said().match(/^(?:\(fail\)|error:|\s+at ).*$/gm) ?? [];
      expect([code, code === 0 ? [] : failures]).toEqual([0, []]);
      expect(tests.said()).toMatch(/^\s*[1-9]\d* pass$/m);
      endAll();
      rmSync(directory, { recursive: true, force: true });
    });
  },
);
