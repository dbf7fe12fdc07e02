// What the pages of an import need to know of the records that are imported.
import type { ComponentChildren } from "preact";
import type { Caller } from "../../src/auth/auth.ts";
import type { ImportFile } from "../../src/import/files.ts";
import type { Importer } from "../../src/import/import.ts";
import type { RowVerdict } from "../../src/import/verdicts.ts";
import type { Crumb } from "../layout/layout.tsx";
import type { Column } from "../parts/list.tsx";

export type ImportPageRow<Verdict extends RowVerdict> = Verdict & { id: number };

/** What was applied. */
export interface AppliedImport {
  change_set: number;
  /** Added 3 items, changed 1 item. */
  text: string;
}

export interface ImportSubject {
  importer: Importer;
  /** The path of the list of the records; the import is below it. */
  list: string;
  crumbs: Crumb[];
  lead: string;
  /** How rows and cells are read, above the columns. */
  rules: ComponentChildren;
  /** What a column holds. */
  meaningOf: (column: string) => string;
  labelOf: (column: string) => string;
  /** The table of the records whose names a column holds, one in each cell. */
  tableOf: (column: string) => string | undefined;
  /** The columns with names to suggest, and the addresses of further ones; "" if there are none. */
  suggest: Record<string, string>;
  /** The first names of them. */
  namesFor: (caller: Caller) => Promise<Record<string, string[]>>;
  /** What a change set of the caller did; undefined if it was another change. */
  appliedBy: (caller: Caller, change_set: number) => Promise<string | undefined>;
}

export interface ImportPages<Verdict extends RowVerdict = RowVerdict> extends ImportSubject {
  importer: Importer<Verdict>;
  /** The name of the record of a row, if it is known. */
  nameOf: (verdict: Verdict) => string | null;
  /** The columns of the preview between the result and the changes. */
  columnsOf: (file: ImportFile) => Column<ImportPageRow<Verdict>>[];
}

/** What columns hold that several kinds have. */
export const TAGS = "Separated by commas";
export const SITE = "A JSON object with fields of the site";

export function importPath({ list }: Pick<ImportSubject, "list">): string {
  return `${list}/import`;
}
