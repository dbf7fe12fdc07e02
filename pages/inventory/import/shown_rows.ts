// The rows of a file that are shown, and the totals of all rows.

import type { FieldError } from "../../../src/input/errors.ts";
import { formatNumber } from "../../../src/input/text.ts";
import type { ImportFile } from "../../../src/inventory/import/files.ts";
import type { Verdict } from "../../../src/inventory/import/import.ts";
import type { ItemChoices } from "../../../src/inventory/items/choices.ts";
import { type PageRange, readPage } from "../../../src/store/paging.ts";

/** In the order of the tabs. */
export const VERDICTS = ["refused", "new", "change", "same"] as const;
type RowKind = Verdict["verdict"];

interface Checked {
  file: ImportFile;
  params: URLSearchParams;
  /** Why it was not applied. */
  errors: FieldError[];
  verdicts: Verdict[];
  choices: ItemChoices;
  /** The result, once it is applied. */
  done: { change_set: number; registered: number; changed: number } | undefined;
}

export interface ImportPreview extends Checked {
  counts: Record<RowKind, number>;
  /** The rows of one verdict, or all. */
  tab: RowKind | "all";
  listed: PageRange & { total: number };
  rows: Verdict[];
}

export function previewOf(checked: Checked): ImportPreview {
  const { params, verdicts } = checked;
  const counts = { refused: 0, new: 0, change: 0, same: 0 };
  for (const { verdict } of verdicts) counts[verdict] += 1;
  const tab = tabOf(params.get("verdict"), counts);
  const matching = tab === "all" ? verdicts : verdicts.filter(({ verdict }) => verdict === tab);
  const listed = { ...pageOf(params), total: matching.length };
  const from = (listed.page - 1) * listed.per_page;
  const rows = matching.slice(from, from + listed.per_page);
  return { ...checked, counts, tab, listed, rows };
}

/** Starts with the rows that need correction. */
function tabOf(tab: string | null, counts: ImportPreview["counts"]): ImportPreview["tab"] {
  if (tab === "all") return "all";
  return VERDICTS.find((verdict) => verdict === tab) ?? (counts.refused > 0 ? "refused" : "all");
}

function pageOf(params: URLSearchParams): PageRange {
  const listParams = new URLSearchParams(params);
  if (!listParams.has("per_page")) listParams.set("per_page", "100");
  const errors: FieldError[] = [];
  const page = readPage(listParams, errors);
  return errors.length > 0 ? { page: 1, per_page: 100 } : page;
}

/** "412 new, 30 changed, 3 refused, 12 unchanged" */
export function inWords(counts: ImportPreview["counts"]): string {
  const words = { new: "new", change: "changed", refused: "refused", same: "unchanged" };
  const present = (["new", "change", "refused", "same"] as const).filter(
    (kind) => counts[kind] > 0,
  );
  return present.map((kind) => `${formatNumber(counts[kind])} ${words[kind]}`).join(", ");
}
