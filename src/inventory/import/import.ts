// The import of items.
import { importer } from "../../import/import.ts";
import { withSearchPlans } from "../../import/statements.ts";
import { readIn } from "../../store/read.ts";
import { loadExisting } from "./existing_records.ts";
import { planOf } from "./plan.ts";
import { COLUMNS, ITEM_HEADINGS, readRow } from "./rows.ts";
import { lockRows, writePlan } from "./write.ts";

export type { ItemVerdict } from "./plan.ts";
export { importedItem } from "./rows.ts";

export const itemImporter = importer({
  kind: "items",
  columns: COLUMNS,
  ignored: ["id", "children", "user", "created_at", "updated_at", "history"],
  headings: ITEM_HEADINGS,
  readRow,
  lock: (tx, _caller, entries) =>
    withSearchPlans(tx, { rows: entries.length, work: () => lockRows(tx, entries) }),
  plan: async (tx, caller, entries) => {
    const work = () => loadExisting(readIn(tx), caller, entries);
    return planOf(entries, await withSearchPlans(tx, { rows: entries.length, work }));
  },
  write: (tx, _caller, plan) => writePlan(tx, plan),
});
