// The rows of a file that are shown, and the totals of all rows.
import type { ImportFile } from "../../src/import/files.ts";
import { fingerprintOf, type RowVerdict } from "../../src/import/verdicts.ts";
import type { FieldError } from "../../src/input/errors.ts";
import { formatNumber } from "../../src/input/text.ts";
import { type PageRange, readPage } from "../../src/store/paging.ts";
import type { AppliedImport, ImportPages } from "./kind.ts";

/** In the order of the tabs. */
export const VERDICTS = ["refused", "new", "change", "same"] as const;
type RowKind = RowVerdict["verdict"];

interface CheckedUpload<Verdict extends RowVerdict> {
  of: ImportPages<Verdict>;
  file: ImportFile;
  params: URLSearchParams;
  /** Why it was not applied. */
  errors: FieldError[];
  verdicts: Verdict[];
  /** Names to suggest, by column. */
  suggested: Record<string, string[]>;
  /** The result, once it is applied. */
  done: AppliedImport | undefined;
}

export interface ImportPreview<Verdict extends RowVerdict = RowVerdict>
  extends CheckedUpload<Verdict> {
  /** Of the verdicts: see fingerprintOf(). */
  seen: string;
  counts: Record<RowKind, number>;
  /** The rows of one verdict, or all. */
  tab: RowKind | "all";
  listed: PageRange & { total: number };
  rows: Verdict[];
}

export async function importPreview<Verdict extends RowVerdict>(
  checked: CheckedUpload<Verdict>,
): Promise<ImportPreview<Verdict>> {
  const { params, verdicts } = checked;
  const counts = { refused: 0, new: 0, change: 0, same: 0 };
  for (const { verdict } of verdicts) counts[verdict] += 1;
  const tab = tabOf(params.get("verdict"), counts);
  const matching = tab === "all" ? verdicts : verdicts.filter(({ verdict }) => verdict === tab);
  const listed = { ...pageOf(params), total: matching.length };
  const from = (listed.page - 1) * listed.per_page;
  const rows = matching.slice(from, from + listed.per_page);
  return { ...checked, seen: await fingerprintOf(verdicts), counts, tab, listed, rows };
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
export function countsInWords(counts: ImportPreview["counts"]): string {
  const words = { new: "new", change: "changed", refused: "refused", same: "unchanged" };
  const present = (["new", "change", "refused", "same"] as const).filter(
    (kind) => counts[kind] > 0,
  );
  return present.map((kind) => `${formatNumber(counts[kind])} ${words[kind]}`).join(", ");
}
