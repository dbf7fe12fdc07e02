// Each parser of external input, with 1, 2, 4 and 8 times the size: its time must be linear,
// not quadratic.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { Refusal } from "../../src/input/errors.ts";
import { browser } from "../support/browser.ts";
import { allChecks } from "../support/checks.ts";
import { type ParserExample, several } from "../support/example.ts";
import { aGroup } from "../support/makers.ts";
import { alice } from "../support/mod.ts";
import { ADDRESSES, QUERIES } from "./linear_time_addresses.ts";
import { BODIES, VARIABLES } from "./linear_time_bodies.ts";
import { FORMS } from "./linear_time_forms.ts";

setDefaultTimeout(300_000);

const SIZES = [1, 2, 4, 8];
const STEEPEST = 2.6;
/** In milliseconds: below this time at the largest size, growth does not matter. */
const SHORT = 8;
/** The minimal duration of a measurement in milliseconds, because the CPU clock is coarse. */
const READING = 24;
/** Disturbances only prolong a measurement, so the shortest of several counts. */
const ROUNDS = 8;

describe.skipIf(!allChecks).each([
  ["a form", FORMS],
  ["a body", BODIES],
  ["variables", VARIABLES],
  ["an address", ADDRESSES],
  ["a query", QUERIES],
])("%s takes linear time", (_, examples) => {
  test.each(examples.map((one) => [one.name, one] as const))("%s", async (_name, example) => {
    expect(await growth(example)).toBeLessThan(STEEPEST);
  });
});

describe.skipIf(!allChecks)("a form of the pages takes linear time", () => {
  test("group form: names of hosts, before and after", async () => {
    await aGroup({ name: "birds" });
    const own = await browser(alice);
    const names = (n: number, first: string) => several(1_200 * n, (at) => `${first}${at}`, " ");
    const steepest = await growth({
      name: "group form",
      make: (n) => ({
        type: "static",
        hosts: names(n, "a"),
        hosts_before: names(n, "b"),
        preview: "true",
      }),
      parse: (fields) => own.submit("/network/groups/edit/birds", fields),
    });
    expect(steepest).toBeLessThan(STEEPEST);
  });
});

/** By how much a doubling of the input multiplies the time; 0 where it is too short to matter. */
async function growth({ make, parse }: ParserExample): Promise<number> {
  const inputs = SIZES.map(make);
  const largest = await shortestOf(3, () => elapsed(parse, inputs.at(-1)));
  if (largest < SHORT) return 0;
  const times = Math.ceil(READING / largest);
  const costs = inputs.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, input] of inputs.entries()) {
      // Smaller sizes are repeated more often: measurements of equal duration are disturbed alike.
      const count = (times * SIZES.at(-1)!) / SIZES[at]!;
      costs[at] = Math.min(costs[at]!, await cost(parse, { input, count }));
    }
    if (doubled(costs) < STEEPEST) break;
  }
  return doubled(costs);
}

/**
 * Over all sizes: a single doubling may fall together with a step of the caches, which on a busy machine are
 * shared. What grows with the square multiplies by 4.
 */
function doubled(costs: number[]): number {
  return (costs.at(-1)! / costs[0]!) ** (1 / (costs.length - 1));
}

/** Milliseconds of this thread alone, whatever else runs on the machine. */
async function cost(
  parse: ParserExample["parse"],
  { input, count }: { input: unknown; count: number },
) {
  const before = process.threadCpuUsage();
  for (let at = 0; at < count; at += 1) await tried(parse, input);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000 / count;
}

async function elapsed(parse: ParserExample["parse"], input: unknown): Promise<number> {
  const began = performance.now();
  await tried(parse, input);
  return performance.now() - began;
}

async function shortestOf(count: number, measure: () => Promise<number>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let at = 0; at < count; at += 1) shortest = Math.min(shortest, await measure());
  return shortest;
}

async function tried(parse: ParserExample["parse"], input: unknown): Promise<void> {
  try {
    await parse(input);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}
