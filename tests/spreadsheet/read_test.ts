import { describe, expect, test } from "bun:test";
import type { Refusal } from "../../src/input/errors.ts";
import { readLines } from "../../src/spreadsheet/table.ts";
import { anArchive, aWorkbook, type Parts } from "../support/sheets.ts";

const LIMITS = { rows: 100, columns: 20 };

/** The cells of each line, after its number. */
async function read(file: Uint8Array | string): Promise<Array<[number, ...string[]]>> {
  const bytes = typeof file === "string" ? Buffer.from(file) : file;
  const lines = await readLines(bytes, LIMITS);
  return lines.map(({ line, cells }) => [line, ...cells]);
}

async function refusal(file: Uint8Array | string): Promise<string> {
  return read(file).then(
    (lines) => `it was read: ${JSON.stringify(lines)}`,
    (refused: Refusal) =>
      refused.errors?.map(({ field, message }) => `${field}: ${message}`).join(),
  );
}

describe("a text with separators", () => {
  const EXAMPLES: Array<[string, string, Array<[number, ...string[]]>]> = [
    [
      "commas",
      "a,b\n1,2\n",
      [
        [1, "a", "b"],
        [2, "1", "2"],
      ],
    ],
    [
      "semicolons",
      "a;b\r\n1,5;2\r\n",
      [
        [1, "a", "b"],
        [2, "1,5", "2"],
      ],
    ],
    [
      "tabs",
      "a\tb\n1\t2,3;4",
      [
        [1, "a", "b"],
        [2, "1", "2,3;4"],
      ],
    ],
    [
      "quotes",
      'a,b\n"x, ""y""","line\r\ntwo"\nlast,one',
      [
        [1, "a", "b"],
        [2, 'x, "y"', "line\ntwo"],
        [4, "last", "one"],
      ],
    ],
    [
      "a quote within a text",
      'a,b\n5" disk,2\n',
      [
        [1, "a", "b"],
        [2, '5" disk', "2"],
      ],
    ],
    [
      "a heading with a separator in quotes",
      '"a;b;c",d\n1,2',
      [
        [1, "a;b;c", "d"],
        [2, "1", "2"],
      ],
    ],
    [
      "blank lines and blanks",
      " a , b \n\n , \n 1 ,\n",
      [
        [1, "a", "b"],
        [4, "1"],
      ],
    ],
    [
      "one column",
      "a\n007\n",
      [
        [1, "a"],
        [2, "007"],
      ],
    ],
    [
      "old Macintosh lines",
      "a,b\r1,2\r",
      [
        [1, "a", "b"],
        [2, "1", "2"],
      ],
    ],
    [
      "a mark of UTF-8",
      "\ufeffa\nÄ",
      [
        [1, "a"],
        [2, "Ä"],
      ],
    ],
    [
      "what looks like a formula",
      "a\n=1+1",
      [
        [1, "a"],
        [2, "=1+1"],
      ],
    ],
  ];
  test.each(EXAMPLES)("is read with %s", async (_, text, lines) => {
    expect(await read(text)).toEqual(lines);
  });

  test("is read as Windows writes it, and in UTF-16", async () => {
    const windows = Buffer.from([0x61, 0x0a, 0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72, 0x20, 0x80]);
    expect(await read(windows)).toEqual([
      [1, "a"],
      [2, "Müller €"],
    ]);
    const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("a\nÜ", "utf16le")]);
    expect(await read(wide)).toEqual([
      [1, "a"],
      [2, "Ü"],
    ]);
  });
});

describe("a workbook", () => {
  test("is read as other programs write it: shared texts, numbers, booleans, results, dates", async () => {
    const styles = `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="dd/mm/yyyy"/><numFmt numFmtId="171" formatCode="0 &quot;days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></styleSheet>`;
    const shared = `<sst><si><t>serial_number</t></si><si><r><t>Wie</t></r><r><t xml:space="preserve">ner &amp; Söhne</t></r><rPh sb="0" eb="1"><t>sound</t></rPh></si><si><t>007</t></si><si/></sst>`;
    const rows = `
      <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>status</t></is></c></row>
      <row r="3"><c r="A3" t="s"><v>2</v></c><c r="B3" t="s"><v>1</v></c><c r="C3" t="s"><v>3</v></c></row>
      <row r="4"><c r="A4"><v>7</v></c><c r="B4" t="b"><v>1</v></c><c r="D4" t="str"><f>1+1</f><v>2</v></c></row>
      <row r="5"><c r="A5" s="1"><v>46347</v></c><c r="B5" s="2"><v>46347.5</v></c><c r="C5" s="3"><v>46347</v></c><c r="D5"><v>1.10</v></c></row>
      <row r="6" spans="1:3"/>
      <row r="7"><c r="AB7"/><c r="A7" t="inlineStr"><is><t>a_x000D_&#10;b_x005F_x0041_</t></is></c></row>`;
    const parts: Parts = { "xl/sharedStrings.xml": shared, "xl/styles.xml": styles };
    expect(await read(aWorkbook(rows, parts))).toEqual([
      [1, "serial_number", "status"],
      [3, "007", "Wiener & Söhne"],
      [4, "7", "true", "", "2"],
      [5, "2026-11-21", "2026-11-21 12:00", "46347", "1.1"],
      [7, "a\nb_x0041_"],
    ]);
  });

  test("is read without cell references, with prefixes, from any sheet path", async () => {
    const sheet =
      '<x:worksheet xmlns:x="main"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c><x:c><x:v>2</x:v></x:c></x:row><x:row><x:c><x:v>3</x:v></x:c></x:row></x:sheetData></x:worksheet>';
    const parts = {
      "xl/_rels/workbook.xml.rels":
        "<Relationships><Relationship Target='/xl/worksheets/other.xml' Id='rId1'/></Relationships>",
      "xl/worksheets/other.xml": sheet,
    };
    expect(await read(aWorkbook("", parts))).toEqual([
      [1, "a", "2"],
      [2, "3"],
    ]);
  });
});

describe("any other file", () => {
  const row = '<row><c t="inlineStr"><is><t>a</t></is></c></row>';
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><worksheet>${row}</worksheet>`;
  const nothing = "\0".repeat(65 * 1024 * 1024);
  const sheet = "xl/worksheets/sheet1.xml";
  const parts = { "xl/workbook.xml": "<workbook/>" };
  const DAMAGED = "file: This file is damaged; save it again as .xlsx";
  const TOO_LARGE = "file: This file is too large once it is unpacked; split it";
  const old = (text: string) =>
    Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), Buffer.from(text, "utf16le")]);
  const EXAMPLES: Array<[string, () => Uint8Array | string, string]> = [
    ["nothing", () => "", "file: This file is empty"],
    ["blanks", () => " \r\n,,\n", "file: This file is empty"],
    [
      "a picture",
      () => Buffer.from("89504e470d0a1a0a0000000d", "hex"),
      "file: This is neither an .xlsx nor a .csv file",
    ],
    ["an old workbook", () => old("Workbook"), "file: This is an old .xls file; save it as .xlsx"],
    [
      "one with a password",
      () => old("EncryptedPackage"),
      "file: This file is encrypted; save it without a password",
    ],
    [
      "another archive",
      () => anArchive({ "content.xml": "<a/>" }),
      "file: This is not an Excel workbook; save it as .xlsx",
    ],
    ["an open quote", () => 'a\nb\n"c', "file: The quote that opens in line 3 is never closed"],
    [
      "a broken quote",
      () => 'a\n"b"c',
      "file: In line 2 something follows a closing quote; double the quotes that belong to the text",
    ],
    ["too many columns", () => "x,".repeat(21), "file: Use at most 20 columns"],
    ["too many rows", () => "a\n".repeat(102), "file: Import at most 100 rows at once"],
    [
      "a cell with an error",
      () => aWorkbook('<row r="1"><c r="C1" t="e"><v>#N/A</v></c></row>'),
      "file: The cell C1 holds the error #N/A; fix it in the sheet",
    ],
    [
      "an encrypted entry",
      () => anArchive(parts, { flags: 1 }),
      "file: This file is encrypted; save it without a password",
    ],
    ["a wrong checksum", () => anArchive(parts, { sum: 1 }), DAMAGED],
    ["a wrong size", () => anArchive(parts, { plain: 1 }), DAMAGED],
    ["half of a workbook", () => aWorkbook(row).subarray(0, 500), DAMAGED],
    [
      "a directory that is none",
      () =>
        Buffer.concat([
          Buffer.from("PK\x03\x04"),
          Buffer.from("504b0506", "hex"),
          Buffer.alloc(18, 0x11),
        ]),
      DAMAGED,
    ],
    ["what says that it is large", () => anArchive(parts, { plain: 0xffff_fff0 }), TOO_LARGE],
    [
      "what is large and does not say so",
      () => anArchive({ "xl/workbook.xml": nothing }, { plain: 9 }),
      TOO_LARGE,
    ],
    ["entities of its own", () => aWorkbook("", { [sheet]: bomb }), DAMAGED],
    ["an entity that nobody declared", () => aWorkbook("", { [sheet]: "<a>&xxe;</a>" }), DAMAGED],
    ["elements that do not end", () => aWorkbook("", { [sheet]: "<a><b>" }), DAMAGED],
    ["no XML", () => aWorkbook("", { [sheet]: "<a b=c>" }), DAMAGED],
    [
      "a cell beyond the last column",
      () => aWorkbook('<row><c r="ZZZ1"><v>1</v></c></row>'),
      DAMAGED,
    ],
    [
      "a cell far to the right",
      () => aWorkbook('<row><c r="XFD1"><v>1</v></c></row>'),
      "file: Use at most 20 columns",
    ],
  ];
  test.each(EXAMPLES)("is refused with a reason: %s", async (_, file, sentence) => {
    expect(await refusal(file())).toBe(sentence);
  });
});
