// The first section of the page: what a user would ask.
import type { Size } from "./data.ts";
import { count, networkGrowth, readGrowth, sums } from "./limits.ts";
import { PAGE } from "./limits_reads.ts";
import type { Limits } from "./limits_run.ts";
import { total } from "./measure.ts";
import { inAll } from "./memory.ts";
import { formatNumber, median } from "./numbers.ts";
import { CREATE_ALONE, CREATE_TOGETHER } from "./operations.ts";
import type { Results } from "./run.ts";
import { table } from "./table.ts";
import { largest } from "./targets.ts";

export interface Measured {
  /** From the smallest to the largest, for which files and feeds are measured. */
  sizes: Size[];
  results: Results;
  limits: Limits;
}

const NOT_MEASURED = "not measured";
/** Of other registers, on another day and a machine of the same kind: this run does not measure them. */
const OTHERS = {
  create: "phpIPAM 13 ms, Directus 12.6 ms",
  together: "phpIPAM 98 a second",
  memory: "phpIPAM 238 MB, Directus 219 MB",
};

export function overview(measured: Measured): string {
  const { items = 0, hosts = 0 } = measured.sizes.at(-1) ?? {};
  return `## How fast is it, how far does it go

${sentences(measured).join(" ")}

${table(["", "CPU time of each", "a second, here", "others, on another day"], rows(measured))}

CPU time is that of the server and its database together: two cores have 2,000 ms a second.
Unless a number is given, there are ${count(items)} items and ${count(hosts)} hosts. phpIPAM, Directus and NetBox
were measured on another day on the same kind of machine: their reads needed 13 to 760 times the CPU time of Cadastre.
`;
}

/** Clicks a second of a hundred people who each open a page every ten seconds. */
const CLICKS = 10;

function sentences({ limits }: Measured): string[] {
  const page = ends(readGrowth(limits).find(({ name }) => name === PAGE)?.costs);
  const network = ends(networkGrowth(limits).costs);
  return [
    ...(page
      ? [
          `A page of the hosts costs ${page.few} ms of CPU time with ${page.fewest} hosts and ${page.many} ms with ${page.most}.`,
          `A hundred people who each open one every ten seconds need ${formatNumber((page.cost * CLICKS) / 10)} % of a core.`,
        ]
      : []),
    ...(network
      ? [
          `A new host with an automatic address costs ${network.few} ms in an empty network and ${network.many} ms in one with ${network.most} addresses in use.`,
        ]
      : []),
    `How close this is to the least that is possible is [below](#against-the-limit), and so is [what grows](#how-far-it-goes).`,
  ];
}

function ends(costs = new Map<number, number[]>()) {
  const all = [...costs].filter(([, some]) => some.length > 0);
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last) return undefined;
  return {
    fewest: count(first[0]),
    few: figure(first[1]),
    most: count(last[0]),
    many: figure(last[1]),
    cost: median(last[1]),
  };
}

function rows(measured: Measured): string[][] {
  return [...reads(measured), ...writes(measured), ...wholes(measured)];
}

function reads({ results, limits }: Measured): string[][] {
  return [
    ...["One host", "Hosts, first page", "Hosts, found by a name"].map((name) =>
      operation(results, name),
    ),
    ...["One item", "Items, first page", "Page of the items", "Page of an item"].map((name) =>
      operation(results, name),
    ),
    ...readGrowth(limits)
      .filter(({ name }) => name === PAGE)
      .flatMap(({ costs }) => [...costs])
      .map(([hosts, some]) => [`Page of the hosts, with ${count(hosts)}`, ms(some), "", ""]),
  ];
}

function writes({ results, limits }: Measured): string[][] {
  const others = new Map([
    [CREATE_ALONE, OTHERS.create],
    [CREATE_TOGETHER, OTHERS.together],
  ]);
  return [
    operation(results, "Create an item"),
    ...limits.writes.writes.map(({ name, ours }) => [
      name,
      ms(ours.map((one) => total(one) / 1_000)),
      figure(ours.map(({ rate }) => rate)),
      others.get(name) ?? "",
    ]),
  ];
}

/** What has no rate. */
function wholes({ results, limits }: Measured): string[][] {
  const { memory, inventory } = limits;
  return [
    ...limits.files.map(({ operation: { name }, service, postgres }) => [
      name,
      withUnit(sums({ service, postgres }), "s"),
    ]),
    ["Ansible inventory, made anew", ms(sums(inventory.anew))],
    ["Ansible inventory, unchanged", ms(sums(inventory.again))],
    ["Ansible inventory, unchanged, with its ETag", ms(sums(inventory.unchanged))],
    [
      "Start, to the first response, by the clock",
      withUnit(
        results.starts.map(({ milliseconds }) => milliseconds),
        "ms",
      ),
    ],
    [
      "Memory after load, with PostgreSQL",
      memory ? `${inAll(memory.afterLoad).toFixed(0)} MB` : NOT_MEASURED,
      "",
      OTHERS.memory,
    ],
  ].map(([name = "", cost = "", rate = "", others = ""]) => [name, cost, rate, others]);
}

function operation({ rows: all }: Results, name: string): string[] {
  const row = all.find(({ operation: one }) => one.name === name);
  const samples = row?.ours.get(largest(row)) ?? [];
  return [
    name,
    ms(samples.map((one) => total(one) / 1_000)),
    figure(samples.map(({ rate }) => rate)),
    "",
  ];
}

function figure(values: number[]): string {
  return formatNumber(median(values));
}

function ms(values: number[]): string {
  return withUnit(values, "ms");
}

function withUnit(values: number[], unit: string): string {
  return values.length > 0 ? `${figure(values)} ${unit}` : NOT_MEASURED;
}
