// Writes an Excel workbook of one sheet as a stream. Text stays text: no cell is ever a formula, and 007 keeps its
// zeros.
import { type ZipEntry, zip } from "./zip.ts";

export type Cell = string | number | Date | null;

interface SheetColumn {
  title: string;
  /** In characters. */
  width: number;
}

export interface Sheet {
  name: string;
  columns: readonly SheetColumn[];
  /** In batches. */
  rows: AsyncIterable<Cell[][]>;
}

/** Below the row of titles. */
export const MOST_SHEET_ROWS = 1_048_575;
export const WORKBOOK_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

export function workbook(sheet: Sheet): AsyncGenerator<Uint8Array> {
  return zip(entriesOf(sheet));
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml";

function entriesOf(sheet: Sheet): ZipEntry[] {
  const part = (name: string, xml: string): ZipEntry => ({ name, text: [XML + xml] });
  return [
    part(
      "[Content_Types].xml",
      `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPES}.worksheet+xml"/></Types>`,
    ),
    part("_rels/.rels", relationships({ officeDocument: "xl/workbook.xml" })),
    part(
      "xl/workbook.xml",
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${escapeCellText(sheet.name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ),
    part(
      "xl/_rels/workbook.xml.rels",
      relationships({ worksheet: "worksheets/sheet1.xml", styles: "styles.xml" }),
    ),
    part("xl/styles.xml", STYLES),
    { name: "xl/worksheets/sheet1.xml", text: sheetText(sheet) },
  ];
}

function relationships(targets: Record<string, string>): string {
  const each = Object.entries(targets).map(
    ([type, target], at) =>
      `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}/relationships">${each.join("")}</Relationships>`;
}

/** The indexes of the formats in STYLES. */
const [TEXT, QUOTED, TIME, TITLE] = [1, 2, 3, 4] as const;

// Format 49 ("@") keeps text as text when the cell is edited; quotePrefix is the apostrophe that people type before
// text that looks like a formula.
const STYLES = `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5">${[
  'numFmtId="0" fontId="0"',
  'numFmtId="49" fontId="0" applyNumberFormat="1"',
  'numFmtId="49" fontId="0" applyNumberFormat="1" quotePrefix="1"',
  'numFmtId="164" fontId="0" applyNumberFormat="1"',
  'numFmtId="49" fontId="1" applyNumberFormat="1" applyFont="1"',
]
  .map((format) => `<xf ${format} fillId="0" borderId="0" xfId="0"/>`)
  .join(
    "",
  )}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

async function* sheetText({ columns, rows }: Sheet): AsyncGenerator<string> {
  const widths = columns.map(
    ({ width }, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  );
  const titles = columns.map(({ title }, at) => textCell(`${letters(at)}1`, title, TITLE));
  yield `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.join("")}</cols><sheetData><row r="1">${titles.join("")}</row>`;
  const columnLetters = columns.map((_, at) => letters(at));
  let last = 1;
  for await (const batch of rows) {
    let text = "";
    for (const row of batch) {
      last += 1;
      const cells = row.map((value, at) => cell(`${columnLetters[at]}${last}`, value));
      text += `<row r="${last}">${cells.join("")}</row>`;
    }
    yield text;
  }
  yield `</sheetData><autoFilter ref="A1:${columnLetters.at(-1)}${last}"/></worksheet>`;
}

function cell(reference: string, value: Cell): string {
  if (value === null || value === "") return "";
  if (typeof value === "number") return `<c r="${reference}"><v>${value}</v></c>`;
  if (value instanceof Date) return `<c r="${reference}" s="${TIME}"><v>${daysOf(value)}</v></c>`;
  return textCell(reference, value, /^[=+\-@]/.test(value) ? QUOTED : TEXT);
}

const LONGEST_TEXT = 32_767;

function textCell(reference: string, text: string, style: number): string {
  const fitting = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text;
  return `<c r="${reference}" t="inlineStr" s="${style}"><is><t xml:space="preserve">${escapeCellText(fitting)}</t></is></c>`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: no XML may hold them, not even escaped
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

// Excel reads _xHHHH_ as an escape, so the underscore of text that looks like one is escaped itself.
function escapeCellText(text: string): string {
  const clean = text.toWellFormed().replace(NOT_IN_XML, "");
  return Bun.escapeHTML(
    clean.replace(/_(?=x[0-9a-f]{4}_)/gi, "_x005F_").replaceAll("\r", "_x000D_"),
  );
}

/** Days as Excel counts them: from the end of 1899, because it takes 1900 for a leap year. */
function daysOf(time: Date): number {
  return Math.round((time.getTime() / 86_400_000 + 25_569) * 1e8) / 1e8;
}

/** A, B … Z, AA … */
function letters(at: number): string {
  const own = String.fromCharCode(65 + (at % 26));
  return at < 26 ? own : letters(Math.floor(at / 26) - 1) + own;
}
