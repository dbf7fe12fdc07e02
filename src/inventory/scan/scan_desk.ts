// The scan desk, as a pure function: what stands on it after each code. The whole of it follows from
// the list of what was scanned, so that a page can carry it along without scripting.
import type { ItemKind } from "../attributes/attribute.ts";
import type { Item } from "../items/item.ts";
import { isTemporary } from "../items/item_rules.ts";

export const ACTIONS = {
  Register: "What follows is new: a serial number, or a label and then its serial number",
  Update: "What follows is changed; what is on the list takes what is given now",
  "Set as parent": "The item scanned just before, or else the next one, holds those that follow",
  "Assign ICS id": "The last item with a temporary id gets the label that is scanned next",
  Fetch: "Shows the item scanned just before, or else the next one",
  "Clear attributes": "Forgets what is given; the list stays",
  "Clear all": "Begins anew, with nothing given and an empty list",
} as const;

export type Action = keyof typeof ACTIONS;

/** What items are given: names of attributes, and the key of the row or item that holds them. */
export type Given = Partial<Record<ItemKind | "parent", string>>;

export type ScannedItem = Pick<Item, "id" | "ics_id" | "serial_number" | ItemKind | "parent">;

/** What a scanned text means. */
export type Meaning =
  | { is: "action"; name: Action }
  | { is: "attribute"; kind: ItemKind; name: string }
  | { is: "item"; item: ScannedItem }
  /** A label that no item has. */
  | { is: "free"; ics_id: string }
  /** What may be the serial number of something new. */
  | { is: "serial"; serial_number: string }
  | { is: "removal"; key: string }
  | { is: "nothing"; text: string; why: string };

interface Scanned {
  /** The id on the label where there is one, else what was scanned. */
  key: string;
  given: Given;
  /** Scanned more than once. */
  isDouble?: boolean;
  fault?: string;
}
export type Found = Scanned & { is: "found"; item: ScannedItem; label?: string };
export type Fresh = Scanned & { is: "new"; ics_id?: string; serial_number?: string };
export type Row = Found | Fresh | (Scanned & { is: "unknown" });

export interface Desk {
  mode: "update" | "register";
  /** What the next item is for, if it is not for the list. */
  awaits?: "parent" | "fetch" | "label";
  given: Given;
  rows: Row[];
  /** The row that the scan before was about. */
  last?: string;
  shown?: ScannedItem;
  said: string;
  isTrouble: boolean;
}

export const emptyDesk: Desk = {
  mode: "update",
  given: {},
  rows: [],
  said: "Scan a location, a status or an item",
  isTrouble: false,
};

export function step(before: Desk, meaning: Meaning): Desk {
  const desk = { ...before, isTrouble: false };
  switch (meaning.is) {
    case "action":
      return deeds[meaning.name](desk);
    case "attribute":
      return give(desk, { [meaning.kind]: meaning.name }, `${meaning.kind} ${meaning.name}`);
    case "removal":
      return remove(desk, meaning.key);
    default:
      return desk.awaits ? awaited[desk.awaits](desk, meaning) : list(desk, meaning);
  }
}

/** What keeps a row from being applied. */
export function faultOf(row: Row): string | undefined {
  if (row.fault) return row.fault;
  const lacksSerial = row.is === "new" && !row.serial_number;
  return lacksSerial ? "Scan its serial number too" : undefined;
}

/** What an item is given that it has not got; of a new one, everything. */
export function changesOf(row: Row): Given {
  const item = row.is === "found" ? row.item : undefined;
  const changes = Object.entries(row.given).filter(([name, value]) => {
    return !item || item[name as keyof Given] !== value;
  });
  return Object.fromEntries(changes);
}

export type Verdict = "register" | "change" | "nothing" | "fault";

export function verdictOf(row: Row): Verdict {
  if (faultOf(row)) return "fault";
  if (row.is === "new") return "register";
  const isChanged = Object.keys(changesOf(row)).length > 0 || (row.is === "found" && row.label);
  return isChanged ? "change" : "nothing";
}

type Thing = Extract<Meaning, { is: "item" | "free" | "serial" | "nothing" }>;

const deeds: Record<Action, (desk: Desk) => Desk> = {
  Register: (desk) => say({ ...desk, mode: "register", awaits: undefined }, ACTIONS.Register),
  Update: (desk) => say(update(desk), ACTIONS.Update),
  "Set as parent": (desk) => (desk.last ? holdBy(desk, desk.last) : wait(desk, "parent")),
  "Assign ICS id": (desk) => wait(desk, "label"),
  Fetch: fetchOne,
  "Clear attributes": (desk) => say({ ...desk, given: {}, last: undefined }, "Nothing is given"),
  "Clear all": () => ({ ...emptyDesk, said: "The desk is clear" }),
};

const awaited: Record<NonNullable<Desk["awaits"]>, (desk: Desk, thing: Thing) => Desk> = {
  parent: (desk, thing) => {
    if (thing.is === "item") return holdBy(done(desk), thing.item.ics_id);
    const after = desk.mode === "register" ? list(done(desk), thing) : desk;
    return after.last ? holdBy(after, after.last) : trouble(desk, whyNoItem(thing));
  },
  fetch: (desk, thing) =>
    thing.is === "item" ? show(done(desk), thing.item) : trouble(desk, whyNoItem(thing)),
  label: (desk, thing) => {
    if (thing.is === "free") return label(desk, thing.ics_id);
    if (thing.is !== "item") return trouble(desk, whyNoItem(thing));
    return isTemporary(thing.item.ics_id)
      ? { ...list({ ...desk, mode: "update" }, thing), mode: desk.mode }
      : trouble(desk, `${thing.item.ics_id} is taken; scan a label that is free`);
  },
};

const WAITS = {
  parent: "Scan the item that holds those that follow",
  fetch: "Scan the item to show",
  label: "Scan the new label",
};

function wait(desk: Desk, awaits: NonNullable<Desk["awaits"]>): Desk {
  return say({ ...desk, awaits }, WAITS[awaits]);
}

function done(desk: Desk): Desk {
  return { ...desk, awaits: undefined };
}

function say(desk: Desk, said: string): Desk {
  return { ...desk, said };
}

function trouble(desk: Desk, said: string): Desk {
  return { ...desk, said, isTrouble: true };
}

function give(desk: Desk, given: Given, said: string): Desk {
  return { ...desk, last: undefined, given: { ...desk.given, ...given }, said: `Given: ${said}` };
}

function list(desk: Desk, thing: Thing): Desk {
  const known = desk.rows.find((row) => isOf(row, thing));
  if (known) return again(desk, known);
  const waiting = desk.rows.find((row): row is Fresh => row.is === "new" && row.key === desk.last);
  const isItsSerial = thing.is === "serial" && waiting && !waiting.serial_number;
  if (isItsSerial) return replace(desk, { ...waiting, serial_number: thing.serial_number });
  const row = rowOf(desk, thing);
  const rows = [...desk.rows, { ...row, given: givenTo(desk, row) }];
  const said = row.fault ? `${row.key}: ${row.fault}` : row.key;
  return {
    ...desk,
    rows,
    last: row.is === "unknown" ? undefined : row.key,
    said,
    isTrouble: !!row.fault,
  };
}

function rowOf({ mode }: Desk, thing: Thing): Row {
  const fresh = { is: "new", given: {} } as const;
  const isNew = mode === "register";
  if (thing.is === "item") {
    const fault = isNew ? "It is registered already; scan Update to change it" : undefined;
    return { is: "found", key: thing.item.ics_id, item: thing.item, given: {}, fault };
  }
  if (thing.is === "free" && isNew) return { ...fresh, key: thing.ics_id, ics_id: thing.ics_id };
  if (thing.is === "serial" && isNew) {
    return { ...fresh, key: thing.serial_number, serial_number: thing.serial_number };
  }
  return { is: "unknown", key: keyOf(thing), given: {}, fault: whyNoItem(thing) };
}

/** Whatever is scanned again takes what is given by now. */
function again(desk: Desk, row: Row): Desk {
  const given = { ...row.given, ...givenTo(desk, row) };
  const isSame = JSON.stringify(given) === JSON.stringify(row.given);
  const after = replace(desk, { ...row, given, isDouble: isSame || row.isDouble });
  return isSame ? say(after, `${row.key} is on the list already`) : after;
}

function replace(desk: Desk, row: Row): Desk {
  const rows = desk.rows.map((one) => (one.key === row.key ? row : one));
  return { ...desk, rows, last: row.is === "unknown" ? undefined : row.key, said: row.key };
}

function remove(desk: Desk, key: string): Desk {
  const left = desk.rows.filter((row) => row.key !== key);
  const isGone = desk.rows.some((row) => row.key === key && row.is === "new");
  const without = (given: Given): Given => {
    const { parent, ...others } = given;
    return isGone && parent === key ? others : given;
  };
  const rows = left.map((row) => ({ ...row, given: without(row.given) }));
  return { ...desk, rows, given: without(desk.given), last: undefined, said: `${key} is removed` };
}

function update(desk: Desk): Desk {
  const rows = desk.rows.map((row) =>
    row.is === "found"
      ? { ...row, given: { ...row.given, ...givenTo(desk, row) }, fault: undefined }
      : row,
  );
  return { ...desk, mode: "update", awaits: undefined, rows };
}

/** An item that was scanned only to be the parent does not stay on the list. */
function holdBy(desk: Desk, parent: string): Desk {
  const row = desk.rows.find(({ key }) => key === parent);
  const isOnlyParent = row?.is === "found" && ["fault", "nothing"].includes(verdictOf(row));
  const rows = isOnlyParent ? desk.rows.filter((one) => one !== row) : desk.rows;
  return give({ ...desk, rows, awaits: undefined }, { parent }, `parent ${parent}`);
}

function fetchOne(desk: Desk): Desk {
  const row = desk.rows.find(({ key }) => key === desk.last);
  return row?.is === "found" ? show(desk, row.item) : wait(desk, "fetch");
}

function show(desk: Desk, item: ScannedItem): Desk {
  return { ...desk, shown: item, last: undefined, said: `${item.ics_id} is shown` };
}

function label(desk: Desk, ics_id: string): Desk {
  const isTaken = desk.rows.some((row) => labelOf(row) === ics_id);
  if (isTaken) return trouble(desk, `${ics_id} is on the list already; scan a label that is free`);
  const row = desk.rows.findLast((one) => isUnlabelled(one));
  if (row?.is === "found") return done(replace(desk, { ...row, label: ics_id }));
  if (row?.is === "new") return done(replace(desk, { ...row, ics_id }));
  return trouble(desk, "Scan the item with a temporary id first, then its new label");
}

function isUnlabelled(row: Row): boolean {
  if (row.is === "found") return isTemporary(row.item.ics_id) && !row.label;
  return row.is === "new" && !row.ics_id;
}

/** The id that a row's item has or is going to have. */
export function labelOf(row: Row): string | undefined {
  if (row.is === "found") return row.label ?? row.item.ics_id;
  return row.is === "new" ? row.ics_id : undefined;
}

function isOf(row: Row, thing: Thing): boolean {
  if (row.key === keyOf(thing)) return true;
  if (thing.is === "free") return labelOf(row) === thing.ics_id;
  return thing.is === "serial" && row.is === "new" && row.serial_number === thing.serial_number;
}

function keyOf(thing: Thing): string {
  if (thing.is === "item") return thing.item.ics_id;
  if (thing.is === "free") return thing.ics_id;
  return thing.is === "serial" ? thing.serial_number : thing.text;
}

/** Nothing holds itself. */
function givenTo(desk: Desk, row: Row): Given {
  const { parent, ...others } = desk.given;
  if (row.is === "unknown") return {};
  return parent === undefined || parent === row.key ? others : desk.given;
}

function whyNoItem(thing: Thing): string {
  if (thing.is === "nothing") return thing.why;
  return thing.is === "free" ? "No item has this id; scan Register to make one" : "Unknown code";
}
