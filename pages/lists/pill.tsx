// Names as coloured pills, from a fixed palette whose contrast is known in both schemes: see static/pills.css.
import type { ComponentChildren } from "preact";
import type { Colour } from "../../src/inventory/attributes/attribute.ts";
import { RecordLink } from "../records/links.tsx";

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

/** The chosen colour, or one by the name. */
export function colourOfStatus(
  name: string | null,
  chosen: Colour | null | undefined,
): Colour | undefined {
  if (!name) return undefined;
  if (chosen) return chosen;
  return MEANINGS.find(([words]) => words.test(name))?.[1] ?? "grey";
}

/** The same name has the same colour everywhere. */
export function colourOfName(name: string | null): Colour | undefined {
  if (!name) return undefined;
  return HUES[Number(BigInt(Bun.hash(name.toLowerCase())) % BigInt(HUES.length))];
}

/** Longer names may take several lines; links to records know that by themselves. */
const LONGEST = 14;

export function Pill({ colour, children }: { colour: Colour; children: ComponentChildren }) {
  const isLong = typeof children === "string" && children.length > LONGEST;
  return <span class={`pill ${colour}${isLong ? " long" : ""}`}>{children}</span>;
}

/** A status as a pill, leading to its page. */
export function StatusPill({ name, chosen }: { name: string; chosen: Colour | null }) {
  return (
    <Pill colour={colourOfStatus(name, chosen) ?? "grey"}>
      <RecordLink table="statuses" name={name} />
    </Pill>
  );
}
