// The import of hosts with their interfaces.
import { importer } from "../../import/import.ts";
import { withSearchPlans } from "../../import/statements.ts";
import { readIn } from "../../store/read.ts";
import { loadExisting } from "./existing_records.ts";
import { planOf } from "./plan.ts";
import { COLUMNS, HEADINGS, readRow } from "./rows.ts";
import { lockRows, writePlan } from "./write.ts";

export type { HostVerdict } from "./plan.ts";
export { columnLabel, importedHost } from "./rows.ts";

export const hostImporter = importer({
  kind: "hosts",
  columns: COLUMNS,
  ignored: ["id", "fqdn", "model", "interfaces", "user", "created_at", "updated_at"],
  headings: HEADINGS,
  readRow,
  lock: (tx, _caller, entries) =>
    withSearchPlans(tx, { rows: entries.length, work: () => lockRows(tx, entries) }),
  plan: async (tx, caller, entries) => {
    const read = readIn(tx);
    const work = () => loadExisting(read, caller, entries);
    const known = await withSearchPlans(tx, { rows: entries.length, work });
    return planOf(read, caller, { entries, known });
  },
  write: (tx, _caller, plan) => writePlan(tx, plan),
});
