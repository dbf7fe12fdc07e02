import { expect, test } from "bun:test";
import { join } from "node:path";
import { run } from "./support/programs.ts";

const MAIN = join(import.meta.dir, "failover", "main.ts");

test.each([
  ["--help", { code: 0, out: expect.stringContaining("Usage: npm run failover") }],
  ["--failures=0", { code: 1, err: expect.stringContaining("must be a number from 1") }],
])("npm run failover -- %s", async (argument, expected) => {
  expect(await run([process.execPath, MAIN, argument])).toMatchObject(expected);
});
