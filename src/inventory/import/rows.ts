// Rows as they came, texts of a sheet or values of JSON, read by the shapes of an item's fields.
import { type Static, Type } from "@sinclair/typebox";
import { type Fault, Refusal } from "../../input/errors.ts";
import { closed, line, read } from "../../input/shape.ts";
import { newComment } from "../comments/comments.ts";
import { ICS_ID } from "../items/ics_ids.ts";
import * as items from "../items/items.ts";
import { newMac } from "../macs/macs.ts";

export interface Row {
  line: number;
  /** By the API's names: texts from a sheet, or JSON values. */
  fields: Record<string, unknown>;
  /** What is wrong with it already, such as a line that is no JSON. */
  faults?: Fault[];
}

const { serial_number, quantity, manufacturer, model, location, status, stack_member } =
  items.changedItem.properties;

/** What a filled cell may hold; blanks are told apart before. */
export const importedItem = Type.Partial(
  closed({
    ics_id: ICS_ID,
    serial_number,
    quantity,
    manufacturer,
    model,
    location,
    status,
    parent: ICS_ID,
    host: line(63, "Use the name of a host"),
    stack_member,
    macs: Type.Array(newMac.properties.address, {
      maxItems: 100,
      description: "Use at most 100 MAC addresses, as a list or separated by commas or blanks",
    }),
    comments: Type.Array(newComment.properties.body, {
      maxItems: 1_000,
      description: "Use at most 1000 comments, as a list or each on a line of its own",
    }),
  }),
);

export const COLUMNS: readonly string[] = Object.keys(importedItem.properties);

type Shape = Static<typeof importedItem>;
type Filled = { [Name in keyof Shape]: Exclude<Shape[Name], null> };
export type Column = keyof Shape;

/** A row as it is understood: what is filled in, what is blank, and what cannot be understood. */
export interface Entry {
  line: number;
  /** The id on the label, in upper case. */
  label: string | null;
  filled: Filled;
  blank: ReadonlySet<string>;
  faults: Fault[];
}

export function readRow({ line, fields, faults = [] }: Row): Entry {
  const given = COLUMNS.flatMap(
    (name): Array<[string, unknown]> =>
      Object.hasOwn(fields, name) ? [[name, readable(name, fields[name])]] : [],
  );
  const blank = new Set(given.filter(([, value]) => isBlank(value)).map(([name]) => name));
  const found = readGood(Object.fromEntries(given.filter(([name]) => !blank.has(name))));
  const label = found.filled.ics_id?.toUpperCase() ?? null;
  return { line, label, filled: found.filled, blank, faults: [...faults, ...found.faults] };
}

function readable(name: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (name === "macs") return value.split(/[\s,;]+/).filter((one) => one !== "");
  if (name === "comments") return value.split("\n").filter((one) => one.trim() !== "");
  const isNumber = name === "quantity" || name === "stack_member";
  return isNumber && /^\s*-?[0-9]{1,15}\s*$/.test(value) ? Number(value) : value;
}

function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value == null || (typeof value === "string" && value.trim() === "");
}

/** A field that is wrong does not keep the others from being looked at. */
function readGood(given: Record<string, unknown>): Pick<Entry, "filled" | "faults"> {
  try {
    return { filled: read(importedItem, given) as Filled, faults: [] };
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    const faults = refusal.faults.map((fault) => naming(fault, given));
    const wrong = new Set(faults.map(({ field }) => field));
    const rest = Object.entries(given).filter(([name]) => !wrong.has(name));
    if (rest.length === Object.keys(given).length) return { filled: {}, faults };
    const others = readGood(Object.fromEntries(rest));
    return { filled: others.filled, faults: [...faults, ...others.faults] };
  }
}

/** Of a list, which of its elements is meant. */
function naming({ field, message }: Fault, given: Record<string, unknown>): Fault {
  const [name = "", at] = field.split(".");
  const list = given[name];
  if (name !== "macs" || at === undefined || !Array.isArray(list)) return { field: name, message };
  return { field: name, message: `'${list[Number(at)]}' is not a MAC address` };
}
