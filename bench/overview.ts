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
import { cpuTimes } from "./targets.ts";

export interface Measured {
  /** From the smallest to the largest, for which files and feeds are measured. */
  sizes: Size[];
  results: Results;
  limits: Limits;
}

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

${table(["", "Cadastre", "others, on another day"], rows(measured))}

Times are CPU time of the server and its database for one operation: a machine of two cores has 2,000 ms a second. Files and the inventory
have ${count(items)} items and ${count(hosts)} hosts. The figures of
phpIPAM, Directus and NetBox were measured on another day on the same kind of machine, beside Cadastre of that day. There,
reads of the three needed 13 to 760 times the CPU time of Cadastre. Where nothing is shown, there is no single figure.
`;
}

function sentences({ limits }: Measured): string[] {
  const page = ends(readGrowth(limits).find(({ name }) => name === PAGE)?.costs);
  const network = ends(networkGrowth(limits).costs);
  return [
    `A page of the hosts costs ${page.few} ms of CPU time with ${page.fewest} hosts and ${page.many} ms with ${page.most}.`,
    `A new host with an automatic address costs ${network.few} ms in an empty network and ${network.many} ms in one with ${network.most} addresses in use.`,
    `The ratios to the least that is possible are [below](#against-the-limit).`,
  ];
}

function ends(costs = new Map<number, number[]>()) {
  const all = [...costs];
  const [[fewest, few] = [0, []], [most, many] = [0, []]] = [all[0], all.at(-1)];
  return { fewest: count(fewest), few: figure(few), most: count(most), many: figure(many) };
}

function rows({ results, limits }: Measured): string[][] {
  const { memory } = limits;
  const [alone, together] = [CREATE_ALONE, CREATE_TOGETHER].map(
    (wanted) => limits.writes.writes.find(({ name }) => name === wanted)?.ours ?? [],
  );
  return [
    ...readGrowth(limits)
      .filter(({ name }) => name === PAGE)
      .flatMap(({ costs }) => [...costs])
      .map(([hosts, some]) => [`The page of the hosts, with ${count(hosts)}`, ms(some), ""]),
    ["Search hosts by a name", ms(operation(results, "Hosts, found by a name")), ""],
    ["Read one host", ms(operation(results, "One host")), ""],
    [CREATE_ALONE, ms((alone ?? []).map((one) => total(one) / 1_000)), OTHERS.create],
    [
      CREATE_TOGETHER,
      `${figure((together ?? []).map(({ rate }) => rate))} a second, ${limits.writes.twice} addresses twice`,
      OTHERS.together,
    ],
    ...limits.files.map(({ operation: { name }, service, postgres }) => [
      `${name}`,
      `${figure(sums({ service, postgres }))} s`,
      "",
    ]),
    ["Ansible inventory, made anew", ms(sums(limits.inventory.anew)), ""],
    ["The same, unchanged", ms(sums(limits.inventory.again)), ""],
    [
      "Memory after load, with PostgreSQL",
      memory ? `${inAll(memory.afterLoad).toFixed(0)} MB` : "not measured",
      OTHERS.memory,
    ],
    [
      "Start, to the first response",
      `${figure(results.starts.map(({ milliseconds }) => milliseconds))} ms, by the clock`,
      "",
    ],
  ];
}

function operation({ rows: all }: Results, name: string): number[] {
  const row = all.find(({ operation: one }) => one.name === name);
  return row ? cpuTimes(row).map((microseconds) => microseconds / 1_000) : [];
}

function figure(values: number[]): string {
  return formatNumber(median(values));
}

function ms(values: number[]): string {
  return `${figure(values)} ms`;
}
