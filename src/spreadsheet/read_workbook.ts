// The first sheet of an Excel workbook, whoever wrote it. Formulas are not looked at: what they came to
// when the file was saved stands beside them.

import { MOST_CELLS } from "../input/limits.ts";
import { type Book, cellText, isDateFormat, spoken } from "./cell_text.ts";
import { type Line, requireShort, type Tally } from "./tally.ts";
import { unreadable } from "./unreadable.ts";
import { type Archive, unzip } from "./unzip.ts";
import { type Opened, pieces, type Text } from "./xml.ts";

export async function* readWorkbook(file: Uint8Array, tally: Tally): AsyncGenerator<Line> {
  const archive = unzip(file);
  const { sheet, is1904 } = await firstSheet(archive);
  const strings = stringsIn((await archive("xl/sharedStrings.xml")) ?? "");
  const dates = dateStyles((await archive("xl/styles.xml")) ?? "");
  yield* rowsOf(sheet, { strings, dates, is1904 }, tally);
}

async function firstSheet(archive: Archive): Promise<{ sheet: string; is1904: boolean }> {
  const workbook = (await archive("xl/workbook.xml")) ?? "";
  const first = opened(workbook, ({ name }) => name === "sheet");
  if (!first) throw unreadable("This is no Excel workbook; save it as .xlsx");
  const relations = (await archive("xl/_rels/workbook.xml.rels")) ?? "";
  const target = opened(relations, ({ attributes }) => attributes.Id === first.attributes.id)
    ?.attributes.Target;
  const path = target?.startsWith("/") ? target.slice(1) : `xl/${target}`;
  const sheet = await archive(path);
  if (sheet === undefined) throw unreadable("The first sheet of this workbook is missing");
  const properties = opened(workbook, ({ name }) => name === "workbookPr")?.attributes.date1904;
  return { sheet, is1904: properties === "1" || properties === "true" };
}

function opened(xml: string, isWanted: (element: Opened) => boolean): Opened | undefined {
  for (const piece of pieces(xml)) if (piece.is === "opened" && isWanted(piece)) return piece;
  return undefined;
}

/** Texts that cells share, as they are shown: each is made ready once, however many cells share it. */
function stringsIn(xml: string): string[] {
  const strings: string[] = [];
  let text = "";
  for (const piece of pieces(xml)) {
    if (piece.is === "text") text += saidIn(piece);
    else if (piece.name !== "si") continue;
    else if (piece.is === "opened") {
      text = "";
      if (piece.isEmpty) strings.push("");
    } else {
      requireShort(text);
      strings.push(spoken(text));
    }
    if (strings.length > MOST_CELLS) throw unreadable("This file has too many texts; split it");
  }
  return strings;
}

/** What a cell shows; not its formula, nor how a Japanese text sounds. */
function saidIn({ text, within }: Text): string {
  const isSaid = /^[tv]$/.test(within.at(-1) ?? "") && !within.includes("rPh");
  return isSaid ? text : "";
}

function dateStyles(xml: string): Set<number> {
  const custom = new Set<string>();
  const dates = new Set<number>();
  let [isOfCells, style] = [false, 0];
  for (const piece of pieces(xml)) {
    if (piece.is === "text") continue;
    if (piece.name === "cellXfs") isOfCells = piece.is === "opened";
    if (piece.is === "closed") continue;
    const { numFmtId = "", formatCode = "" } = piece.attributes;
    if (piece.name === "numFmt" && isDateFormat(formatCode)) custom.add(numFmtId);
    if (piece.name !== "xf" || !isOfCells) continue;
    if (custom.has(numFmtId) || isDateFormat(Number(numFmtId))) dates.add(style);
    style += 1;
  }
  return dates;
}

function* rowsOf(xml: string, book: Book, tally: Tally): Generator<Line> {
  let [line, at]: [number, number] = [0, -1];
  let cells: string[] = [];
  let cell: Opened | undefined;
  let value = "";
  for (const piece of pieces(xml)) {
    if (piece.is === "text") value += saidIn(piece);
    else if (piece.is === "opened" && piece.name === "row") {
      tally.line();
      line = lineOf(piece, line);
      [cells, at] = [[], -1];
    } else if (piece.is === "opened" && piece.name === "c") {
      at = columnOf(piece.attributes.r) ?? at + 1;
      cell = piece;
      value = "";
      if (piece.isEmpty) tally.put(cells, at, "");
    } else if (piece.is === "closed" && piece.name === "c" && cell) {
      const { t: type = "n", s: style, r: place = `${at + 1}/${line}` } = cell.attributes;
      const text = cellText({ type, style: Number(style), place, value }, book);
      if (at >= WIDEST) throw damaged();
      tally.put(cells, at, text);
    } else if (piece.is === "closed" && piece.name === "row") yield { line, cells };
  }
}

/** As Excel has it: XFD, and the last row. */
const WIDEST = 16_384;
const LOWEST = 1_048_576;

/** Rows come in their order, and none twice: they are told by their numbers. */
function lineOf({ attributes }: Opened, before: number): number {
  const line = Number(attributes.r ?? before + 1);
  if (Number.isInteger(line) && line > before && line <= LOWEST) return line;
  throw damaged();
}

/** A is 0, AA is 26. */
function columnOf(place: string | undefined): number | undefined {
  const letters = /^([A-Z]{1,3})[0-9]{1,7}$/.exec(place ?? "")?.[1];
  if (!letters) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function damaged(): Error {
  return unreadable("This file is damaged; save it again as .xlsx");
}
