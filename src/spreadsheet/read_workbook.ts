// Reads the first sheet of an Excel workbook. Formulas are ignored: the file holds their values as of the last save.

import { MOST_CELLS } from "../input/limits.ts";
import { cellText, isDateFormat, unescapeText, type Workbook } from "./cell_text.ts";
import { requireShort, type TableLine, type Tally } from "./tally.ts";
import { damagedFile, unreadable } from "./unreadable.ts";
import { type Archive, unzip } from "./unzip.ts";
import { type OpeningTag, type TextToken, xmlTokens } from "./xml.ts";

export async function* readWorkbook(file: Uint8Array, tally: Tally): AsyncGenerator<TableLine> {
  const archive = unzip(file);
  const { sheet, is1904 } = await firstSheet(archive);
  const strings = readSharedStrings((await archive("xl/sharedStrings.xml")) ?? "");
  const dates = readDateStyles((await archive("xl/styles.xml")) ?? "");
  yield* readRows(sheet, { strings, dates, is1904 }, tally);
}

async function firstSheet(archive: Archive): Promise<{ sheet: string; is1904: boolean }> {
  const workbook = (await archive("xl/workbook.xml")) ?? "";
  const first = findTag(workbook, ({ name }) => name === "sheet");
  if (!first) throw unreadable("This is not an Excel workbook; save it as .xlsx");
  const relations = (await archive("xl/_rels/workbook.xml.rels")) ?? "";
  const target = findTag(relations, ({ attributes }) => attributes.Id === first.attributes.id)
    ?.attributes.Target;
  const path = target?.startsWith("/") ? target.slice(1) : `xl/${target}`;
  const sheet = await archive(path);
  if (sheet === undefined) throw unreadable("The first sheet of this workbook is missing");
  const properties = findTag(workbook, ({ name }) => name === "workbookPr")?.attributes.date1904;
  return { sheet, is1904: properties === "1" || properties === "true" };
}

function findTag(xml: string, isWanted: (element: OpeningTag) => boolean): OpeningTag | undefined {
  for (const token of xmlTokens(xml)) if (token.is === "opened" && isWanted(token)) return token;
  return undefined;
}

/** The shared strings, unescaped once instead of for each cell. */
function readSharedStrings(xml: string): string[] {
  const strings: string[] = [];
  let text = "";
  for (const token of xmlTokens(xml)) {
    if (token.is === "text") text += shownText(token);
    else if (token.name !== "si") continue;
    else if (token.is === "opened") {
      text = "";
      if (token.isEmpty) strings.push("");
    } else {
      requireShort(text);
      strings.push(unescapeText(text));
    }
    if (strings.length > MOST_CELLS) throw unreadable("This file has too many texts; split it");
  }
  return strings;
}

/** The text that a cell shows: neither its formula nor a phonetic guide (rPh). */
function shownText({ text, within }: TextToken): string {
  const isShown = /^[tv]$/.test(within.at(-1) ?? "") && !within.includes("rPh");
  return isShown ? text : "";
}

function readDateStyles(xml: string): Set<number> {
  const custom = new Set<string>();
  const dates = new Set<number>();
  let [isInCellFormats, style] = [false, 0];
  for (const token of xmlTokens(xml)) {
    if (token.is === "text") continue;
    if (token.name === "cellXfs") isInCellFormats = token.is === "opened";
    if (token.is === "closed") continue;
    const { numFmtId = "", formatCode = "" } = token.attributes;
    if (token.name === "numFmt" && isDateFormat(formatCode)) custom.add(numFmtId);
    if (token.name !== "xf" || !isInCellFormats) continue;
    if (custom.has(numFmtId) || isDateFormat(Number(numFmtId))) dates.add(style);
    style += 1;
  }
  return dates;
}

function* readRows(xml: string, book: Workbook, tally: Tally): Generator<TableLine> {
  let [line, at]: [number, number] = [0, -1];
  let cells: string[] = [];
  let cell: OpeningTag | undefined;
  let value = "";
  for (const token of xmlTokens(xml)) {
    if (token.is === "text") value += shownText(token);
    else if (token.is === "opened" && token.name === "row") {
      tally.line();
      line = lineOf(token, line);
      [cells, at] = [[], -1];
    } else if (token.is === "opened" && token.name === "c") {
      at = columnOf(token.attributes.r) ?? at + 1;
      cell = token;
      value = "";
      if (token.isEmpty) tally.put(cells, at, "");
    } else if (token.is === "closed" && token.name === "c" && cell) {
      const { t: type = "n", s: style, r: reference = `${at + 1}/${line}` } = cell.attributes;
      const text = cellText({ type, style: Number(style), reference, value }, book);
      if (at >= MAX_COLUMNS) throw damagedFile();
      tally.put(cells, at, text);
    } else if (token.is === "closed" && token.name === "row") yield { line, cells };
  }
}

/** The limits of Excel: column XFD, and the last row. */
const MAX_COLUMNS = 16_384;
const MAX_ROW = 1_048_576;

/** Row numbers have to increase: rows are identified by them. */
function lineOf({ attributes }: OpeningTag, before: number): number {
  const line = Number(attributes.r ?? before + 1);
  if (Number.isInteger(line) && line > before && line <= MAX_ROW) return line;
  throw damagedFile();
}

/** A is 0, AA is 26. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^([A-Z]{1,3})[0-9]{1,7}$/.exec(reference ?? "")?.[1];
  if (!letters) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
