// What a constraint that keeps rows from returning means to the person who wants them back.
import {
  CHECK,
  EXCLUSION,
  FOREIGN_KEY,
  QueryRejected,
  translate,
  UNIQUE,
} from "../../db/errors.ts";
import { invalid, taken } from "../input/errors.ts";
import type { Reversal } from "./reversals.ts";

/** Does what concerns rows of one table; its refusals name the row. */
export async function saying<T>(rows: Reversal[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    const said = translate(fault);
    throw said instanceof QueryRejected ? inWords(said, rows) : said;
  }
}

function inWords(refused: QueryRejected, rows: Reversal[]): Error {
  const { code, key } = refused;
  const row = meant(rows, key);
  const name = row?.name ?? "A record";
  const column = Object.keys(key).at(-1) ?? "";
  if (code === UNIQUE || code === EXCLUSION) {
    const isMember = row?.table === "group_hosts" || row?.table === "group_children";
    if (isMember) return invalid("id", `${name} is there again by now`);
    const message = `${name} cannot have its old ${wordFor(column)} back: it is taken`;
    return taken("id", message, { asked: Object.values(key).at(-1) ?? "" });
  }
  if (code === CHECK) return invalid("id", `${name} does not fit any more as it was`);
  if (code !== FOREIGN_KEY) return refused;
  return column === "id"
    ? invalid("id", `${name} is in use by now`)
    : invalid("id", `${name} cannot have its old ${wordFor(column)} back: it has gone`);
}

/** The row whose key it is; a broken check has none. */
function meant(rows: Reversal[], key: Record<string, string>): Reversal | undefined {
  const wanted = Object.entries(key).filter(([column]) => column !== "");
  const found = rows.find(({ was, left }) =>
    [was, left].some((state) =>
      wanted.every(
        ([column, value]) => String(state?.[column] ?? "").toLowerCase() === value.toLowerCase(),
      ),
    ),
  );
  return wanted.length > 0 ? found : rows.length === 1 ? rows[0] : undefined;
}

const WORDS: Record<string, string> = {
  ics_id: "ICS id",
  ip: "address",
  mac: "MAC address",
  vlan_id: "VLAN",
  vlan_name: "VLAN name",
  stack_member: "place in the stack",
};

function wordFor(column: string): string {
  return WORDS[column] ?? column.replace(/_id$/, "").replaceAll("_", " ");
}
