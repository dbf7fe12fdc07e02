// Writes CSV (RFC 4180) for spreadsheets.

export type CsvCell = string | number | null;

/** Spreadsheets take a file without it for another encoding. */
export const BYTE_ORDER_MARK = "\uFEFF";
export const CSV_TYPE = "text/csv; charset=utf-8";

/** What a spreadsheet takes for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** A line with its end. Text that looks like a formula gets the apostrophe that people type before it. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(quoted).join(",")}\r\n`;
}

function quoted(value: CsvCell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
