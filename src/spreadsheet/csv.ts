// Writes CSV as RFC 4180 says, for spreadsheets.

/** Spreadsheets take a file without it for another encoding. */
export const BYTE_ORDER_MARK = "\uFEFF";
export const CSV_TYPE = "text/csv; charset=utf-8";

/** What a spreadsheet takes for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** A line with its end. Text that looks like a formula gets the apostrophe that people type before it. */
export function csvLine(cells: ReadonlyArray<string | number | null>): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
