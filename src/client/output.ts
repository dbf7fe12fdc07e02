// What the client prints. Values come from the service: no control character in them reaches a terminal as it is.
import { once } from "node:events";
import { formatNumber, isObject } from "../input/text.ts";
import { csvLine } from "../spreadsheet/csv.ts";
import type { RemoteRecord } from "./service.ts";

export const FORMATS = ["table", "json", "csv", "yaml", "ndjson"] as const;
export type ClientFormat = (typeof FORMATS)[number];

// C0 and C1, and what changes the direction or the end of a line.
const CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** With control characters as JSON escapes them, but those that are allowed. */
export function visible(text: string, allowed = ""): string {
  return text.replace(CONTROL, (one) =>
    allowed.includes(one) ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Waits while the reader does not read. */
export async function print(text: string): Promise<void> {
  if (text !== "" && !process.stdout.write(text)) await once(process.stdout, "drain");
}

/** A message for people. */
export function say(message: string): void {
  // A progress bar may be there.
  const clear = process.stderr.isTTY ? "\r\x1b[K" : "";
  process.stderr.write(`${clear}${visible(message)}\n`);
}

/** Text of a feed: as it is for programs, without control characters for a terminal. */
export async function printChunks(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    await print(process.stdout.isTTY ? visible(text, "\n\t") : text);
  }
}

/** Of lists the elements, of records in them their names. */
export function cellText(value: unknown): string {
  if (Array.isArray(value)) return value.map(cellText).join(", ");
  if (isObject(value)) return String(value.name ?? JSON.stringify(value));
  return String(value ?? "");
}

/** The records of a list, as they come. A JSON list that broke off has no end, so nobody takes it for whole. */
export class ListWriter {
  private widths: number[] | undefined;
  private count = 0;

  constructor(
    readonly format: ClientFormat,
    readonly columns: string[],
    /** The list goes on after an earlier one, or is no list. */
    private readonly hasHead = true,
  ) {}

  async write(records: RemoteRecord[]): Promise<void> {
    const rows = records.map((record) => this.columns.map((name) => cellText(record[name])));
    const isFirst = this.count === 0 && this.hasHead;
    if (this.format === "table") await print(this.table(rows, isFirst));
    else if (this.format === "csv") {
      const lines = (isFirst ? [this.columns, ...rows] : rows).map((row) =>
        csvLine(row.map((cell) => visible(cell, "\n\t"))),
      );
      await print(lines.join(""));
    } else if (this.format === "yaml")
      await print(records.map((one) => yaml([one]).trimStart()).join(""));
    else {
      const [before, between] =
        this.format === "json" ? [this.count ? ",\n" : "[\n", ",\n"] : ["", "\n"];
      const text = records.map((one) => visible(JSON.stringify(one))).join(between);
      if (records.length > 0) await print(before + text + (this.format === "json" ? "" : "\n"));
    }
    this.count += records.length;
  }

  async end(): Promise<void> {
    if (this.format === "json") await print(this.count ? "\n]\n" : "[]\n");
  }

  private table(rows: string[][], hasHead: boolean): string {
    const cells = [this.columns, ...rows].map((row) => row.map((cell) => visible(cell)));
    this.widths ??= fitted(cells, process.stdout.columns ?? Number.POSITIVE_INFINITY);
    const [head = "", ...lines] = cells.map((row) => lineOf(row, this.widths ?? []));
    const isPlain = !process.stdout.isTTY || process.env.NO_COLOR || process.env.TERM === "dumb";
    const shown = isPlain ? head : `\x1b[1m${head}\x1b[0m`;
    return (hasHead ? [shown, ...lines] : lines).map((line) => `${line}\n`).join("");
  }
}

const GAP = 2;
/** A column is not made narrower to fit. */
const NARROWEST = 20;

/** The widths of columns, the widest made narrower first; the last ones are left out if all are narrow. */
function fitted(rows: string[][], available: number): number[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    rows.reduce((most, row) => Math.max(most, Bun.stringWidth(row[at] ?? "")), 0),
  );
  while (widths.reduce((sum, one) => sum + one + GAP, -GAP) > available && widths.length > 1) {
    const widest = Math.max(...widths);
    if (widest > NARROWEST) widths[widths.indexOf(widest)] = widest - 1;
    else widths.pop();
  }
  return widths;
}

/** Later pages of a list may have wider cells, which only a terminal cuts. */
function lineOf(cells: string[], widths: number[]): string {
  const texts = widths.map((width, at) => {
    let cell = cells[at] ?? "";
    if (process.stdout.isTTY && Bun.stringWidth(cell) > width) {
      while (Bun.stringWidth(cell) >= width) cell = Array.from(cell).slice(0, -1).join("");
      cell += "…";
    }
    return cell + " ".repeat(Math.max(0, width - Bun.stringWidth(cell)));
  });
  return texts.join(" ".repeat(GAP)).trimEnd();
}

const PLAIN = /^(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z]([\w./ -]*[\w/])?$/i;

/** Texts that some reader takes for a number, a time or a boolean, as MAC addresses, are quoted: YAML contains JSON. */
function yaml(value: unknown, indent = ""): string {
  if (typeof value === "string" && PLAIN.test(value)) return ` ${value}\n`;
  const entries = isObject(value) ? Object.entries(value) : [];
  const parts = Array.isArray(value)
    ? value.map((one) => `${indent}-${yaml(one, `${indent}  `).replace(/^\n +/, " ")}`)
    : entries.map(([name, one]) => `${indent}${yaml(name).trim()}:${yaml(one, `${indent}  `)}`);
  if (parts.length === 0) return ` ${visible(JSON.stringify(value))}\n`;
  return `\n${parts.join("")}`;
}

/** An answer that is no list: in a table a line for each of its fields. */
export async function printValue(format: ClientFormat, value: unknown): Promise<void> {
  if (format === "yaml") return print(yaml(value).trimStart());
  if (format === "json") return print(`${visible(JSON.stringify(value, null, 2), "\n")}\n`);
  const records = [value].flat().map((one) => (isObject(one) ? one : { value: one }));
  if (format !== "table" || records.length !== 1)
    return new ListWriter(format, Object.keys(records[0] ?? {})).write(records);
  const fields = Object.entries(records[0] ?? {}).map(([field, one]) => ({ field, value: one }));
  return new ListWriter("table", ["field", "value"], false).write(fields);
}

const BAR = 20;

/** On a terminal that shows nothing else meanwhile. */
export function showsProgress(): boolean {
  return Boolean(process.stderr.isTTY) && !process.stdout.isTTY;
}

export function showProgress(count: number, total: number): void {
  const done = Math.floor((count / Math.max(total, count, 1)) * BAR);
  showBar({ from: 0, to: done }, `${formatNumber(count)} of ${formatNumber(total)}`);
  if (count >= total) process.stderr.write("\r\x1b[K");
}

/** The marks from one place to another. */
function showBar({ from, to }: { from: number; to: number }, text: string): void {
  const bar = "-".repeat(from) + "#".repeat(to - from) + "-".repeat(BAR - to);
  process.stderr.write(`\r\x1b[K[${bar}] ${text}`);
}

/** Marks of a bar that moves. */
const MOVING = 4;

/** Shows that the service works, and for how long it has: it tells no more until it has done all. */
export async function whileWaiting<T>(work: Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return work;
  let ticks = 0;
  const tick = () => {
    const from = ticks % (BAR - MOVING + 1);
    showBar({ from, to: from + MOVING }, `${Math.floor(ticks / 4)} s`);
    ticks += 1;
  };
  tick();
  const timer = setInterval(tick, 250);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    process.stderr.write("\r\x1b[K");
  }
}
