import process from "node:process";
import { run } from "./child.mjs";

const CHECKS = [
  { name: "Format and rules", program: "node_modules/@biomejs/biome/bin/biome", args: ["check"] },
  { name: "Types", program: "node_modules/typescript/bin/tsc", args: ["--noEmit"] },
];

/** The checks that do not run the service: formatting, lint, types. */
export async function runStatic() {
  const results = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, program, args } of CHECKS) {
    const code = await run(process.execPath, [program, ...args]);
    console.log(`${name}: ${code === 0 ? "passed" : "failed"}`);
    results[code === 0 ? "passed" : "failed"]++;
  }
  return results;
}

/** Prints the closing line and returns the exit code. */
export function printed({ passed, failed, skipped }) {
  const rest = skipped > 0 ? `, ${skipped} skipped` : "";
  console.log(`${passed} passed, ${failed} failed${rest}`);
  return failed === 0 ? 0 : 1;
}
