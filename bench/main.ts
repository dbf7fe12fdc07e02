// npm run bench: measures Cadastre and writes README.md and the plots beside it.
import { parseArgs } from "node:util";
import type { Size } from "./data.ts";
import { requireWrk } from "./load.ts";
import { machine } from "./machine.ts";
import { write } from "./page.ts";
import { run } from "./run.ts";
import { Trouble } from "./say.ts";
import { build, type Options } from "./stand.ts";

const HELP = `Measures Cadastre against bare servers and pgbench, and writes bench/README.md.

Usage: npm run bench -- [--rounds N] [--fresh]

  --rounds N   how often everything is measured (5)
  --fresh      makes the data anew, instead of taking those of the last run

DATABASE_URL names a PostgreSQL whose user may create databases; without it an embedded one is made in data/bench.`;

const ROUNDS = 5;
const CLIENTS = [1, 4, 16, 64];
const SIZES: Size[] = [1, 4, 16].map((times) => ({
  label: `${times}x`,
  items: 6_250 * times,
  hosts: 1_250 * times,
}));

if (import.meta.main) {
  // What serves meanwhile ends with us; the copies of the data are dropped by the next run.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupted);
  process.exitCode = await main();
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: String(ROUNDS) },
      fresh: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  try {
    const address = process.env.DATABASE_URL;
    const options = { address, sizes: SIZES, fresh: values.fresh, say };
    await bench(Number(values.rounds) || ROUNDS, options);
    return 0;
  } catch (fault) {
    if (!(fault instanceof Trouble)) throw fault;
    console.error(fault.message);
    return 1;
  }
}

async function bench(rounds: number, options: Options): Promise<void> {
  requireWrk();
  const begun = performance.now();
  const stand = await build(options);
  try {
    const results = await run(stand, { rounds, crowds: CLIENTS, say });
    const judged = await write(import.meta.dir, {
      results,
      rounds,
      sizes: options.sizes,
      machine: await machine(stand.server.version),
      seconds: (performance.now() - begun) / 1_000,
    });
    for (const { target, found, isMet } of judged) {
      console.log(`${isMet ? "met   " : "missed"} ${target}: ${found}`);
    }
  } finally {
    await stand.close();
  }
}

function interrupted(signal: string): never {
  console.error(`Interrupted by ${signal}: nothing is written`);
  process.exit(1);
}

function say(line: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
}
