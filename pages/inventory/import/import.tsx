// The pages of the import of items: see pages/import/import.tsx.

import { INVENTORY_EDITORS as EDITORS } from "../../../src/auth/rights.ts";
import type { ImportFile } from "../../../src/import/files.ts";
import { ITEM_KINDS } from "../../../src/inventory/attributes/attribute.ts";
import { type ItemVerdict, itemImporter } from "../../../src/inventory/import/import.ts";
import { choices } from "../../../src/inventory/items/choices.ts";
import { item } from "../../../src/inventory/items/item.ts";
import * as scan_apply from "../../../src/inventory/scan/apply.ts";
import { importRoutes } from "../../import/import.tsx";
import { type ImportPageRow, type ImportPages, SITE, TAGS } from "../../import/kind.ts";
import type { Column } from "../../parts/list.tsx";
import { labelIn } from "../../parts/resource_fields.tsx";
import { appliedItems } from "../../texts.ts";
import { ITEMS, itemPath } from "../items/paths.ts";

const MEANINGS: Record<string, string> = {
  ics_id: "An existing label changes that item; a blank one adds an item",
  serial_number: "Required for a new item",
  quantity: "Default 1",
  parent: "The label of the parent, which may be in the same file",
  stack_member: "0 to 9; only for network devices",
  macs: "Separated by commas or spaces, in any notation",
  comments: "One per line; existing comments are not added again",
  tags: TAGS,
  site: SITE,
};
const BY_NAME = "An existing name";

type ImportedItem = ImportPageRow<ItemVerdict>;

const items: ImportPages<ItemVerdict> = {
  importer: itemImporter,
  list: ITEMS,
  crumbs: [{ label: "Inventory" }, { label: "Items", href: ITEMS }],
  lead: "Add and change items from a spreadsheet",
  rules: "You can edit an export and import it again.",
  meaningOf: (column) => MEANINGS[column] ?? BY_NAME,
  labelOf: (column) => labelIn(item, column),
  tableOf: (column) => item.fields[column as keyof typeof item.fields]?.shows,
  nameOf: ({ ics_id }) => ics_id,
  columnsOf,
  suggest: Object.fromEntries(
    ITEM_KINDS.map((kind) => [kind, `/inventory/_retrieve_attributes/${kind}`]),
  ),
  namesFor: choices,
  appliedBy: async (caller, change_set) => {
    const outcome = await scan_apply.outcome(caller, change_set);
    return outcome && appliedItems(outcome);
  },
};

export const itemImportPages = importRoutes(items, EDITORS);

function columnsOf({ rows }: ImportFile): Column<ImportedItem>[] {
  const fields = new Map(rows.map((row) => [row.line, row.fields]));
  const of = (row: ImportedItem, name: string) => String(fields.get(row.line)?.[name] ?? "");
  return [
    {
      name: "ics_id",
      label: "Label",
      class: "mono",
      cell: (row) => <Label row={row} text={of(row, "ics_id")} />,
    },
    {
      name: "serial_number",
      label: "Serial number",
      cell: (row) => of(row, "serial_number") || serialIn(row),
    },
  ];
}

function Label({ row: { verdict, ics_id }, text }: { row: ImportedItem; text: string }) {
  if (verdict === "refused") return text ? <span class="muted">{text}</span> : null;
  if (ics_id === null) return <span class="muted">temporary</span>;
  return verdict === "new" ? <span>{ics_id}</span> : <a href={itemPath(ics_id)}>{ics_id}</a>;
}

function serialIn({ changes }: ImportedItem): string {
  return changes.find(({ field }) => field === "serial_number")?.now ?? "";
}
