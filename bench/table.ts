import type { TargetResult } from "./targets.ts";

/** As Markdown writes it. */
export function table(headings: string[], rows: string[][]): string {
  const line = (some: string[]) => `| ${some.join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

/** With a heading only where one is needed. */
export function pairs(rows: Array<[string, string]>): string {
  return table(["", ""], rows);
}

export function judgements(judged: TargetResult[]): string {
  const rows = judged.map(({ target, found, isMet }) => [
    target,
    found,
    isMet ? "met" : "**missed**",
  ]);
  return table(["target", "found (least–most)", ""], rows);
}
