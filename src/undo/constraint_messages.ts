// Messages for constraints of the database that prevent an undo.
import {
  CHECK,
  EXCLUSION,
  FOREIGN_KEY,
  QueryRejected,
  translate,
  UNIQUE,
} from "../../db/errors.ts";
import { invalid, unavailableValue } from "../input/errors.ts";
import type { Reversal } from "./reversals.ts";

/** Runs a write of rows of one table; a violated constraint becomes a refusal that names the row. */
export async function withRowMessages<T>(rows: Reversal[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const translated = translate(error);
    throw translated instanceof QueryRejected ? messageFor(translated, rows) : translated;
  }
}

function messageFor(refused: QueryRejected, rows: Reversal[]): Error {
  const { code, key } = refused;
  const row = rowWithKey(rows, key);
  const name = row?.name ?? "A record";
  const column = Object.keys(key).at(-1) ?? "";
  if (code === UNIQUE || code === EXCLUSION) {
    const isMember = row?.table === "group_hosts" || row?.table === "group_children";
    if (isMember) return invalid("id", `${name} has been added again since`);
    if (column === "") {
      const message = `${name} cannot be as it was: another record is in the way`;
      return unavailableValue("id", message, { value: "" });
    }
    const message = `${name} cannot have its old ${labelOf(column)} back: it is in use`;
    return unavailableValue("id", message, { value: Object.values(key).at(-1) ?? "" });
  }
  if (code === CHECK) return invalid("id", `${name} no longer fits`);
  if (code !== FOREIGN_KEY) return refused;
  return column === "id"
    ? invalid("id", `${name} is in use now`)
    : invalid("id", `${name} cannot have its old ${labelOf(column)} back: it has been deleted`);
}

/** The row that has the key; a violated check constraint reports no key. */
function rowWithKey(rows: Reversal[], key: Record<string, string>): Reversal | undefined {
  const wanted = Object.entries(key).filter(([column]) => column !== "");
  const found = rows.find(({ before, after }) =>
    [before, after].some((state) =>
      wanted.every(
        ([column, value]) => String(state?.[column] ?? "").toLowerCase() === value.toLowerCase(),
      ),
    ),
  );
  return wanted.length > 0 ? found : rows.length === 1 ? rows[0] : undefined;
}

const COLUMN_LABELS: Record<string, string> = {
  ics_id: "label",
  ip: "address",
  mac: "MAC address",
  vlan_id: "VLAN",
  vlan_name: "VLAN name",
  stack_member: "stack member",
};

function labelOf(column: string): string {
  return COLUMN_LABELS[column] ?? column.replace(/_id$/, "").replaceAll("_", " ");
}
