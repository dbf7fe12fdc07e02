// Delimited text. The separator is the one of comma, semicolon and tab that occurs most in the first line.
import type { TableLine, Tally } from "./tally.ts";
import { unreadable } from "./unreadable.ts";

const SEPARATORS = [",", ";", "\t"] as const;

export function* readCsv(text: string, tally: Tally): Generator<TableLine> {
  const separator = separatorOf(text);
  const unquoted = new RegExp(`[^${separator}\\r\\n]*`, "y");
  let [line, cells, start, column]: [number, string[], number, number] = [1, [], 1, 0];
  for (let at = 0; at < text.length; ) {
    const quoted = text[at] === '"' ? quotedCellAt(text, at, { line, separator }) : undefined;
    unquoted.lastIndex = at;
    const cell = quoted ?? {
      text: unquoted.exec(text)?.[0] ?? "",
      end: unquoted.lastIndex,
      breaks: 0,
    };
    tally.put(cells, column, cell.text);
    line += cell.breaks;
    at = cell.end + 1;
    const end = text[cell.end];
    if (end === separator && at < text.length) {
      column += 1;
      continue;
    }
    if (end === "\r" && text[at] === "\n") at += 1;
    tally.line();
    yield { line: start, cells };
    line += 1;
    [cells, start, column] = [[], line, 0];
  }
}

interface ParsedCell {
  text: string;
  /** The index of the character after it. */
  end: number;
  /** The number of line breaks inside it. */
  breaks: number;
}

interface CsvPosition {
  line: number;
  separator: string;
}

function quotedCellAt(text: string, at: number, { line, separator }: CsvPosition): ParsedCell {
  let end = text.indexOf('"', at + 1);
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  if (end < 0) throw unreadable(`The quote that opens in line ${line} is never closed`);
  const next = text[end + 1];
  if (next !== undefined && next !== separator && next !== "\r" && next !== "\n") {
    throw unreadable(
      `In line ${line} something follows a closing quote; double the quotes that belong to the text`,
    );
  }
  const inside = text
    .slice(at + 1, end)
    .replaceAll('""', '"')
    .replace(/\r\n?/g, "\n");
  return { text: inside, end: end + 1, breaks: inside.split("\n").length - 1 };
}

/** Counted outside of quotes, in the first line that is not blank. */
function separatorOf(text: string): string {
  const unquoted = text
    .replace(/^\s+/, "")
    .slice(0, 10_000)
    .replace(/"[^"]*"/g, "");
  const first = unquoted.split(/[\r\n]/, 1)[0] ?? "";
  const count = (separator: string) => first.split(separator).length;
  return SEPARATORS.reduce((best, one) => (count(one) > count(best) ? one : best));
}
