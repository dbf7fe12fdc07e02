// The text of a cell as Excel shows it: numbers in their shortest form, dates in ISO format.
import { LONGEST_NUMBER_FORMAT } from "../input/limits.ts";
import { unreadable } from "./unreadable.ts";

/** The parts of a workbook that cells refer to. */
export interface Workbook {
  strings: string[];
  /** The numbers of the styles that show a number as a date. */
  dates: Set<number>;
  /** Days are counted from 1904, as on old Macintoshes. */
  is1904: boolean;
}

interface CellSource {
  type: string;
  style: number;
  /** Such as C7, for error messages. */
  reference: string;
  value: string;
}

export function cellText({ type, style, reference, value }: CellSource, book: Workbook): string {
  if (type === "e") {
    throw unreadable(
      `The cell ${reference} holds the error ${value.slice(0, 40)}; fix it in the sheet`,
    );
  }
  if (type === "s") return book.strings[Number(value)] ?? "";
  if (type === "inlineStr" || type === "str") return unescapeText(value);
  if (type === "b") return value === "1" ? "true" : "false";
  const number = Number(value);
  if (type !== "n" || value.trim() === "" || !Number.isFinite(number)) return value;
  return book.dates.has(style) ? dateText(number, book.is1904) : String(number);
}

/** By the number of a built-in format, or by the code of a custom one. */
export function isDateFormat(format: number | string): boolean {
  if (typeof format === "string") {
    if (format.length > LONGEST_NUMBER_FORMAT) return false;
    return /[dmyhs]/i.test(format.replace(/"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]|_.|general/gi, ""));
  }
  return (format >= 14 && format <= 22) || (format >= 45 && format <= 47);
}

const DAY = 86_400_000;

// Excel counts from the end of 1899, because it takes 1900 for a leap year.
function dateText(days: number, is1904: boolean): string {
  const time = new Date(Math.round((days - (is1904 ? 24_107 : 25_569)) * DAY));
  if (Number.isNaN(time.getTime())) return String(days);
  const [day = "", clock = ""] = time.toISOString().split("T");
  if (Number.isInteger(days)) return day;
  return days < 1 ? clock.slice(0, 5) : `${day} ${clock.slice(0, 5)}`;
}

/** Excel escapes characters as _xHHHH_: a carriage return is _x000D_. */
export function unescapeText(text: string): string {
  const unescaped = text.replace(/_x([0-9a-f]{4})_/gi, (whole, code: string) =>
    code === "0000" ? whole : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return unescaped.toWellFormed().replace(/\r\n?/g, "\n");
}
