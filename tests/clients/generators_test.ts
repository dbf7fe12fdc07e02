// The OpenAPI document by its linters, and clients that generators make of it: each does the same task.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { document } from "../../src/api/openapi.ts";
import { allChecks } from "../support/checks.ts";
import { alice, service, tokenOf } from "../support/mod.ts";
import { folder, run } from "../support/programs.ts";

const OWN = join(import.meta.dir, "generators");
/** They are installed where every check is made; see generators/package.json. */
const isInstalled = existsSync(join(OWN, "node_modules"));
const inFolder = folder();
setDefaultTimeout(240_000);

/** A program of node_modules, in the folder with the copies. */
async function program(...command: string[]) {
  const [name = "", ...others] = command;
  const path = join(inFolder, "node_modules", ".bin", name);
  const { code, said } = await run([
    "sh",
    "-c",
    `cd ${inFolder} && exec "$@"`,
    "sh",
    path,
    ...others,
  ]);
  expect([name, code, code === 0 ? "" : said]).toEqual([name, 0, ""]);
  return said;
}

describe.skipIf(!allChecks && !isInstalled)("the OpenAPI document", () => {
  beforeAll(async () => {
    cpSync(OWN, inFolder, { recursive: true });
    if (!isInstalled) {
      const { code, said } = await run(["npm", "ci", "--ignore-scripts", "--prefix", inFolder]);
      expect([code, code === 0 ? "" : said]).toEqual([0, ""]);
    }
    await Bun.write(join(inFolder, "openapi.json"), JSON.stringify(document()));
    await Bun.write(join(inFolder, ".spectral.yaml"), 'extends: ["spectral:oas"]\n');
  });

  test("has no error and no warning of Redocly and Spectral", async () => {
    // The paths of items and of their comments are ambiguous, and stay so.
    const lint = ["lint", "--skip-rule", "no-ambiguous-paths", "openapi.json"];
    expect(await program("redocly", ...lint)).not.toMatch(/You have \d+ warning/);
    const spectral = ["lint", "--fail-severity", "hint", "openapi.json"];
    await program("spectral", ...spectral);
  });

  test("makes clients that TypeScript accepts, and that do a typed task", async () => {
    await program("openapi-typescript", "openapi.json", "-o", "openapi_typescript.ts");
    await program(
      "openapi-ts",
      "-i",
      "openapi.json",
      "-o",
      "hey_api",
      "-c",
      "@hey-api/client-fetch",
    );
    await program(
      "orval",
      "--input",
      "openapi.json",
      "--output",
      "orval/client.ts",
      "--client",
      "fetch",
    );
    await program("tsc", "-p", ".");
    const { origin, sql } = await service();
    const env = { URL: origin, TOKEN: await tokenOf(alice) };
    for (const task of ["openapi_fetch", "hey_api", "orval"]) {
      const { code, out, err } = await run([process.execPath, join(inFolder, `${task}.ts`)], env);
      expect([task, code, code === 0 ? "" : err]).toEqual([task, 0, ""]);
      expect([task, JSON.parse(out)]).toEqual([
        task,
        { made: "Hall A", put: 200, found: ["Big"], code: "name_taken" },
      ]);
      await sql`delete from locations`;
    }
  });
});
