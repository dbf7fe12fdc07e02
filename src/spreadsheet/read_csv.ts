// Text with separators: commas, semicolons or tabs, whichever its first line has most of.
import type { Line } from "./read.ts";
import { unreadable } from "./unreadable.ts";

const SEPARATORS = [",", ";", "\t"] as const;

export function* readCsv(text: string): Generator<Line> {
  const separator = separatorOf(text);
  const field = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)"|([^"${separator}\\r\\n][^${separator}\\r\\n]*|))(${separator}|\\r\\n|\\n|\\r|$)`,
    "y",
  );
  let [line, cells, start]: [number, string[], number] = [1, [], 1];
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const found = field.exec(text);
    if (!found) throw unreadable(whyNot(text, at, line));
    const [whole, quoted, bare = "", end] = found;
    cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"').replace(/\r\n?/g, "\n"));
    line += (quoted ?? "").split(/\r\n|\n|\r/).length - 1;
    if (end === separator && at + whole.length < text.length) continue;
    yield { line: start, cells };
    line += 1;
    [cells, start] = [[], line];
  }
}

/** Outside of quotes, in the first line that says anything. */
function separatorOf(text: string): string {
  const bare = text
    .replace(/^\s+/, "")
    .slice(0, 10_000)
    .replace(/"[^"]*"/g, "");
  const first = bare.split(/[\r\n]/, 1)[0] ?? "";
  const count = (separator: string) => first.split(separator).length;
  return SEPARATORS.reduce((best, one) => (count(one) > count(best) ? one : best));
}

function whyNot(text: string, at: number, line: number): string {
  const isOpen = !/^"[^"]*(?:""[^"]*)*"/.test(text.slice(at));
  return isOpen
    ? `The quote that opens in line ${line} is never closed`
    : `In line ${line} something follows a closing quote; double the quotes that belong to the text`;
}
