// Names as coloured pills, from a fixed palette whose contrast is known in both schemes: see static/pills.css.
import type { ComponentChildren } from "preact";

export type Colour = (typeof HUES)[number] | "grey" | "green" | "red";

const HUES = ["teal", "blue", "violet", "pink", "orange", "yellow"] as const;

/** The colours of common status names; others are grey. */
const MEANINGS: Array<[words: RegExp, colour: Colour]> = [
  [/\b(broken|defect|defective|fail|failed|faulty|lost|stolen|missing)\b/i, "red"],
  [/\b(retired|disposed|scrap|scrapped|decommissioned|obsolete|discarded)\b/i, "grey"],
  [/\b(repair|maintenance|calibration|quarantine)\b/i, "orange"],
  [/\b(ordered|reserved|planned|expected)\b/i, "violet"],
  [/\b(test|testing|commissioning|staging)\b/i, "yellow"],
  [/\b(loan|lent)\b/i, "pink"],
  [/\b(stock|spare|store|stored|storage|available)\b/i, "blue"],
  [/\b(service|use|production|active|operational|installed|online)\b/i, "green"],
];

export function colourOfStatus(name: string | null): Colour | undefined {
  if (!name) return undefined;
  return MEANINGS.find(([words]) => words.test(name))?.[1] ?? "grey";
}

/** The same name has the same colour everywhere. */
export function colourOfName(name: string | null): Colour | undefined {
  if (!name) return undefined;
  return HUES[Number(BigInt(Bun.hash(name.toLowerCase())) % BigInt(HUES.length))];
}

export function Pill({ colour, children }: { colour: Colour; children: ComponentChildren }) {
  return <span class={`pill ${colour}`}>{children}</span>;
}
