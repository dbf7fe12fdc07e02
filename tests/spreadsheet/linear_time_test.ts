// Files take linear time: eight times the size takes about eight times as long, whatever the content.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Refusal } from "../../src/input/errors.ts";
import * as limits from "../../src/input/limits.ts";
import { readLines } from "../../src/spreadsheet/table.ts";
import { Tally } from "../../src/spreadsheet/tally.ts";
import { allChecks } from "../support/checks.ts";
import { anArchive, aWorkbook } from "../support/sheets.ts";

setDefaultTimeout(300_000);

const LIMITS = { rows: limits.MOST_ROWS, columns: limits.MOST_COLUMNS };
const DOUBLINGS = 3;
// Quadratic time would be 64 times as long. One doubling alone may take more: about 4 MB, strings leave the caches.
const GROWTH = 2.6 ** DOUBLINGS;
const MOST_LOOKS = 12;

/** The result for a file: its rows, or why it is refused. */
function outcome(file: Uint8Array | string): Promise<string> {
  const bytes = typeof file === "string" ? Buffer.from(file) : file;
  return readLines(bytes, LIMITS).then(
    (lines) => `${lines.length} lines`,
    ({ message }: Refusal) => message,
  );
}

/** The CPU time in milliseconds. Garbage of what ran before does not count. */
async function effort(file: Uint8Array | string): Promise<number> {
  Bun.gc(true);
  const before = process.cpuUsage();
  await outcome(file);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const cell = (text: string, place = "") =>
  `<c${place && ` r="${place}"`} t="inlineStr"><is><t>${text}</t></is></c>`;
const texts = (shared: string) => ({ "xl/sharedStrings.xml": `<sst>${shared}</sst>` });
const parts = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`xl/media/${at}`, ""]));

/** Files by their size; the first is large enough to be timed. */
const FILES: Array<[string, number, (size: number) => Uint8Array | string]> = [
  ["newlines", 12_000, (size) => `a\n${"\n".repeat(size)}`],
  ["commas", 120_000, (size) => `a\n${",".repeat(size)}`],
  ["quoted cells", 1_000, (size) => `${'"a ""b""\nc",'.repeat(9)}\n`.repeat(size)],
  ["quotes", 500_000, (size) => '"'.repeat(size)],
  ["an open quote", 500_000, (size) => `a\n"${"b\n".repeat(size / 2)}`],
  ["words", 1_250, (size) => `${"some words,".repeat(9)}end\n`.repeat(size)],
  [
    "rows with one blank cell far to the right",
    3_000,
    (size) => aWorkbook(`<row>${cell(" ", "XFD1")}</row>`.repeat(size)),
  ],
  [
    "rows with one cell at the last column",
    1_200,
    (size) => aWorkbook(`<row>${cell("a", "CV1")}</row>`.repeat(size)),
  ],
  ["nested texts", 6_000, (size) => aWorkbook(`<row><c><is>${"<t>a".repeat(size)}`)],
  ["nested elements", 6_000, (size) => aWorkbook(`<row>${"<a>".repeat(size)}`)],
  ["shared texts", 6_000, (size) => aWorkbook("", texts("<si><t>a &amp; b</t></si>".repeat(size)))],
  [
    "one long shared text in pieces",
    6_000,
    (size) => aWorkbook("", texts(`<si>${"<r><t>a</t></r>".repeat(size)}</si>`)),
  ],
  ["cells", 75, (size) => aWorkbook(`<row>${cell("a").repeat(50)}</row>`.repeat(size))],
  ["blank cells", 100, (size) => aWorkbook(`<row>${'<c s="1"/>'.repeat(100)}</row>`.repeat(size))],
  ["attributes", 10_000, (size) => aWorkbook(`<row ${'a="b" '.repeat(size)}/>`)],
  ["attributes that do not end", 10_000, (size) => aWorkbook(`<row ${'a="b" '.repeat(size)}`)],
  [
    "blanks in an element that does not end",
    500_000,
    (size) => aWorkbook(`<row${" ".repeat(size)}`),
  ],
  ["entities", 20_000, (size) => aWorkbook(cell("&lt;".repeat(size)))],
  ["ampersands", 20_000, (size) => aWorkbook(cell("&".repeat(size)))],
  ["comments", 10_000, (size) => aWorkbook("<!-- a -->".repeat(size))],
  ["a comment that does not end", 500_000, (size) => aWorkbook(`<!--${"--".repeat(size)}`)],
  ["parts", 1_200, (size) => anArchive(parts(size))],
  [
    "a format of numbers",
    100_000,
    (size) =>
      aWorkbook("", { "xl/styles.xml": `<a><numFmt formatCode="${"[".repeat(size)}"/></a>` }),
  ],
];

describe.skipIf(!allChecks)("a file is read in linear time", () => {
  test.each(FILES)("with %s", async (_, size, fileOf) => {
    const files = Array.from({ length: DOUBLINGS + 1 }, (_, at) => fileOf(size * 2 ** at));
    // The shortest time of each size counts. The first is mostly good; if it was disturbed, more are measured.
    const best = files.map(() => Number.POSITIVE_INFINITY);
    for (let look = 0; look < MOST_LOOKS && growthOf(best) > GROWTH; look += 1) {
      for (const [at, file] of files.entries()) {
        best[at] = Math.min(best[at] ?? 0, await effort(file));
      }
    }
    expect(growthOf(best)).toBeLessThanOrEqual(GROWTH);
  });
});

/** How many times as long the largest file takes. A few milliseconds cannot be distinguished from noise. */
function growthOf(times: number[]): number {
  if (times.includes(Number.POSITIVE_INFINITY)) return Number.POSITIVE_INFINITY;
  const noise = 2;
  return ((times.at(-1) ?? 0) + noise) / ((times[0] ?? 0) + noise);
}

describe("a small file that would expand is refused", () => {
  const EXAMPLES: Array<[string, () => Uint8Array | string, string]> = [
    [
      "texts in texts",
      () =>
        aWorkbook(`<row><c><is>${"<t>a".repeat(40_000)}${"</t>".repeat(40_000)}</is></c></row>`),
      "file: This file is damaged; save it again as .xlsx",
    ],
    [
      "a blank cell at the last column of every row",
      () => aWorkbook(`<row>${cell(" ", "XFD1")}</row>`.repeat(30_000)),
      "file: This file is empty",
    ],
    [
      "newlines",
      () => "\n".repeat(14_000_000),
      "file: This file has more than 100,000 lines; delete those that are blank, or split it",
    ],
    [
      "commas",
      () => ",".repeat(14_000_000),
      "file: This file has more than 1,000,000 cells, blank ones included; split it",
    ],
    [
      "blank rows",
      () => aWorkbook("<row/>".repeat(limits.MOST_SHEET_LINES + 1)),
      "file: This file has more than 100,000 lines; delete those that are blank, or split it",
    ],
    [
      "blank cells",
      () => aWorkbook(`<row>${"<c/>".repeat(limits.MOST_CELLS + 1)}</row>`),
      "file: This file has more than 1,000,000 cells, blank ones included; split it",
    ],
    [
      "a long text that many cells share",
      () =>
        aWorkbook(
          `<row>${'<c t="s"><v>0</v></c>'.repeat(90)}</row>`.repeat(9_000),
          texts(`<si><t>${"a".repeat(30_000)}</t></si>`),
        ),
      "file: The cells of this file hold more than 16 million characters; split it",
    ],
    [
      "a long cell",
      () => `a,b\n1,"${"x".repeat(limits.LONGEST_CELL + 1)}"`,
      'file: A cell has more than 32,767 characters, the one that begins with "xxxxxxxxxxxxxxxxxxxx"',
    ],
    [
      "parts that are large together",
      () => {
        const large = "\0".repeat(limits.LARGEST_UNPACKED_PART - 10_000);
        return aWorkbook(`<row>${cell("a")}</row>`, {
          "xl/sharedStrings.xml": `<a>${large}</a>`,
          "xl/styles.xml": `<a>${large}</a>`,
        });
      },
      "file: This file is too large once it is unpacked; split it",
    ],
    [
      "rows that come twice",
      () => aWorkbook(`<row r="2">${cell("a")}</row>`.repeat(2)),
      "file: This file is damaged; save it again as .xlsx",
    ],
  ];
  test.each(EXAMPLES)("with %s", async (_, file, sentence) => {
    expect(await outcome(file())).toBe(sentence);
  });

  test("for work in proportion to its cells", () => {
    const tally = new Tally(LIMITS);
    const row: string[] = [];
    tally.put(row, 16_383, " ");
    expect(row).toEqual([]);
    expect(() => tally.put(row, 16_383, "a")).toThrow("Use at most 100 columns");
    expect(row).toEqual([]);
  });
});
