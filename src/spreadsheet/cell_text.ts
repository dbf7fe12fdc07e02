// What a cell shows, as text: numbers as short as they go, dates as ISO has them.
import { LONGEST_NUMBER_FORMAT } from "../input/limits.ts";
import { unreadable } from "./unreadable.ts";

/** What cells refer to. */
export interface Book {
  strings: string[];
  /** The numbers of the styles that show a number as a date. */
  dates: Set<number>;
  /** Counts its days from 1904, as on old Macintoshes. */
  is1904: boolean;
}

interface Cell {
  type: string;
  style: number;
  /** C7, for sentences. */
  place: string;
  value: string;
}

export function cellText({ type, style, place, value }: Cell, book: Book): string {
  if (type === "e") {
    throw unreadable(
      `The cell ${place} holds the error ${value.slice(0, 40)}; mend it in the sheet`,
    );
  }
  if (type === "s") return book.strings[Number(value)] ?? "";
  if (type === "inlineStr" || type === "str") return spoken(value);
  if (type === "b") return value === "1" ? "true" : "false";
  const number = Number(value);
  if (type !== "n" || value.trim() === "" || !Number.isFinite(number)) return value;
  return book.dates.has(style) ? dateText(number, book.is1904) : String(number);
}

/** By its number, as the standard counts formats, or by what it says. */
export function isDateFormat(format: number | string): boolean {
  if (typeof format === "string") {
    if (format.length > LONGEST_NUMBER_FORMAT) return false;
    return /[dmyhs]/i.test(format.replace(/"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]|_.|general/gi, ""));
  }
  return (format >= 14 && format <= 22) || (format >= 45 && format <= 47);
}

const DAY = 86_400_000;

// Excel begins at the end of 1899, so that the 29th of February 1900, which there was not, has a number.
function dateText(days: number, is1904: boolean): string {
  const time = new Date(Math.round((days - (is1904 ? 24_107 : 25_569)) * DAY));
  if (Number.isNaN(time.getTime())) return String(days);
  const [day = "", clock = ""] = time.toISOString().split("T");
  if (Number.isInteger(days)) return day;
  return days < 1 ? clock.slice(0, 5) : `${day} ${clock.slice(0, 5)}`;
}

/** In a cell, _x0041_ stands for A: a carriage return comes as _x000D_. */
export function spoken(text: string): string {
  const said = text.replace(/_x([0-9a-f]{4})_/gi, (kept, code: string) =>
    code === "0000" ? kept : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return said.toWellFormed().replace(/\r\n?/g, "\n");
}
