// The scan desk as a pure reducer: the state after each scanned code. The state is computed from the list of scanned
// codes alone, so that a page can carry it without scripting.
import type { ItemKind } from "../attributes/attribute.ts";
import type { Item } from "../items/item.ts";
import { isTemporary } from "../items/item_rules.ts";

export const SCAN_ACTIONS = {
  Register: "The next scans are new items: a serial number, or a label and then its serial number",
  Update: "The next scans change existing items; items on the list get the current values",
  "Set as parent":
    "The last scanned item, or else the next one, becomes the parent of the items after it",
  "Assign ICS id": "The last item with a temporary id gets the next scanned label",
  Fetch: "Shows the last scanned item, or the next one that you scan",
  "Clear attributes": "Clears the current values and keeps the list",
  "Clear all": "Clears the current values and the list",
} as const;

export type ScanAction = keyof typeof SCAN_ACTIONS;

/** Values that scanned items get: names of attributes, and the key of the row or item that is the parent. */
export type GivenValues = Partial<Record<ItemKind | "parent", string>>;

export type ScannedItem = Pick<Item, "id" | "ics_id" | "serial_number" | ItemKind | "parent">;

/** What a scanned text means. */
export type ScanMeaning =
  | { is: "action"; name: ScanAction }
  | { is: "attribute"; kind: ItemKind; name: string }
  | { is: "item"; item: ScannedItem }
  /** An ICS id that no item has. */
  | { is: "free"; ics_id: string }
  /** Possibly the serial number of a new item. */
  | { is: "serial"; serial_number: string }
  | { is: "removal"; key: string }
  /** Whether items that move away stay in their parents. */
  | { is: "parents"; keep: boolean }
  | { is: "nothing"; text: string; why: string };

interface RowBase {
  /** The ICS id if there is one, else the scanned text. */
  key: string;
  given: GivenValues;
  /** Scanned more than once. */
  isDouble?: boolean;
  error?: string;
}
type ExistingRow = RowBase & { is: "found"; item: ScannedItem; label?: string };
type NewRow = RowBase & { is: "new"; ics_id?: string; serial_number?: string };
export type ScanRow = ExistingRow | NewRow | (RowBase & { is: "unknown" });

export interface Desk {
  mode: "update" | "register";
  /** What the next scanned item is used for, unless it is added to the list. */
  awaits?: "parent" | "fetch" | "label";
  given: GivenValues;
  keepsParents?: boolean;
  rows: ScanRow[];
  /** The row that the previous scan added or changed. */
  last?: string;
  fetched?: ScannedItem;
  said: string;
  isError: boolean;
}

export const emptyDesk: Desk = {
  mode: "update",
  given: {},
  rows: [],
  said: "",
  isError: false,
};

export function step(before: Desk, meaning: ScanMeaning): Desk {
  const desk = { ...before, isError: false };
  switch (meaning.is) {
    case "action":
      return actionHandlers[meaning.name](desk);
    case "attribute":
      return giveValues(desk, { [meaning.kind]: meaning.name }, `${meaning.kind} ${meaning.name}`);
    case "removal":
      return removeRow(desk, meaning.key);
    case "parents":
      return withMessage({ ...desk, keepsParents: meaning.keep }, "Set for items that move away");
    default:
      return desk.awaits ? awaitedHandlers[desk.awaits](desk, meaning) : addToList(desk, meaning);
  }
}

/** Why a row cannot be applied. */
export function errorOf(row: ScanRow): string | undefined {
  if (row.error) return row.error;
  const lacksSerial = row.is === "new" && !row.serial_number;
  return lacksSerial ? "Scan its serial number too" : undefined;
}

/** The given values that differ from those of the item; all of them for a new item. */
export function changedValues(row: ScanRow): GivenValues {
  const item = row.is === "found" ? row.item : undefined;
  const changes = Object.entries(row.given).filter(([name, value]) => {
    return !item || item[name as keyof GivenValues] !== value;
  });
  return Object.fromEntries(changes);
}

export type ScanVerdict = "register" | "change" | "nothing" | "fault";

export function verdictOf(row: ScanRow): ScanVerdict {
  if (errorOf(row)) return "fault";
  if (row.is === "new") return "register";
  const isChanged = Object.keys(changedValues(row)).length > 0 || (row.is === "found" && row.label);
  return isChanged ? "change" : "nothing";
}

type ScannedThing = Extract<ScanMeaning, { is: "item" | "free" | "serial" | "nothing" }>;

const actionHandlers: Record<ScanAction, (desk: Desk) => Desk> = {
  Register: (desk) =>
    withMessage({ ...desk, mode: "register", awaits: undefined }, SCAN_ACTIONS.Register),
  Update: (desk) => withMessage(startUpdate(desk), SCAN_ACTIONS.Update),
  "Set as parent": (desk) => (desk.last ? setParent(desk, desk.last) : awaitNext(desk, "parent")),
  "Assign ICS id": (desk) => awaitNext(desk, "label"),
  Fetch: fetchItem,
  "Clear attributes": (desk) =>
    withMessage({ ...desk, given: {}, last: undefined }, "Values cleared"),
  "Clear all": () => ({ ...emptyDesk, said: "Values and list cleared" }),
};

const awaitedHandlers: Record<
  NonNullable<Desk["awaits"]>,
  (desk: Desk, thing: ScannedThing) => Desk
> = {
  parent: (desk, thing) => {
    if (thing.is === "item") return setParent(stopAwaiting(desk), thing.item.ics_id);
    const after = desk.mode === "register" ? addToList(stopAwaiting(desk), thing) : desk;
    return after.last ? setParent(after, after.last) : withError(desk, whyNoItem(thing));
  },
  fetch: (desk, thing) =>
    thing.is === "item"
      ? showItem(stopAwaiting(desk), thing.item)
      : withError(desk, whyNoItem(thing)),
  label: (desk, thing) => {
    if (thing.is === "free") return assignLabel(desk, thing.ics_id);
    if (thing.is !== "item") return withError(desk, `${keyOfThing(thing)} ${NO_LABEL}`);
    return isTemporary(thing.item.ics_id)
      ? { ...addToList({ ...desk, mode: "update" }, thing), mode: desk.mode }
      : withError(desk, `${thing.item.ics_id} is in use; scan a free label`);
  },
};

const NO_LABEL = "is not a label, which has three letters and three digits; scan the new label";

const PROMPTS = {
  parent: "Scan the parent of the next items",
  fetch: "Scan the item to show",
  label: "Scan the new label",
};

function awaitNext(desk: Desk, awaits: NonNullable<Desk["awaits"]>): Desk {
  return withMessage({ ...desk, awaits }, PROMPTS[awaits]);
}

function stopAwaiting(desk: Desk): Desk {
  return { ...desk, awaits: undefined };
}

function withMessage(desk: Desk, said: string): Desk {
  return { ...desk, said };
}

function withError(desk: Desk, said: string): Desk {
  return { ...desk, said, isError: true };
}

function giveValues(desk: Desk, given: GivenValues, said: string): Desk {
  return { ...desk, last: undefined, given: { ...desk.given, ...given }, said: `Set ${said}` };
}

function addToList(desk: Desk, thing: ScannedThing): Desk {
  const known = desk.rows.find((row) => matches(row, thing));
  if (known) return scanAgain(desk, known);
  const waiting = desk.rows.find((row): row is NewRow => row.is === "new" && row.key === desk.last);
  const isItsSerial = thing.is === "serial" && waiting && !waiting.serial_number;
  if (isItsSerial) return replaceRow(desk, { ...waiting, serial_number: thing.serial_number });
  const row = rowFor(desk, thing);
  const rows = [...desk.rows, { ...row, given: valuesFor(desk, row) }];
  const said = row.error ? `${row.key}: ${row.error}` : row.key;
  return {
    ...desk,
    rows,
    last: row.is === "unknown" ? undefined : row.key,
    said,
    isError: !!row.error,
  };
}

function rowFor({ mode }: Desk, thing: ScannedThing): ScanRow {
  const fresh = { is: "new", given: {} } as const;
  const isNew = mode === "register";
  if (thing.is === "item") {
    const error = isNew ? "Already registered; scan Update to change it" : undefined;
    return { is: "found", key: thing.item.ics_id, item: thing.item, given: {}, error };
  }
  if (thing.is === "free" && isNew) return { ...fresh, key: thing.ics_id, ics_id: thing.ics_id };
  if (thing.is === "serial" && isNew) {
    return { ...fresh, key: thing.serial_number, serial_number: thing.serial_number };
  }
  return { is: "unknown", key: keyOfThing(thing), given: {}, error: whyNoItem(thing) };
}

/** An item that is scanned again gets the values that are given now. */
function scanAgain(desk: Desk, row: ScanRow): Desk {
  const given = { ...row.given, ...valuesFor(desk, row) };
  const isSame = JSON.stringify(given) === JSON.stringify(row.given);
  const after = replaceRow(desk, { ...row, given, isDouble: isSame || row.isDouble });
  return isSame ? withMessage(after, `${row.key} is already on the list`) : after;
}

function replaceRow(desk: Desk, row: ScanRow): Desk {
  const rows = desk.rows.map((one) => (one.key === row.key ? row : one));
  return { ...desk, rows, last: row.is === "unknown" ? undefined : row.key, said: row.key };
}

function removeRow(desk: Desk, key: string): Desk {
  const left = desk.rows.filter((row) => row.key !== key);
  const isGone = desk.rows.some((row) => row.key === key && row.is === "new");
  const without = (given: GivenValues): GivenValues => {
    const { parent, ...others } = given;
    return isGone && parent === key ? others : given;
  };
  const rows = left.map((row) => ({ ...row, given: without(row.given) }));
  return { ...desk, rows, given: without(desk.given), last: undefined, said: `Removed ${key}` };
}

function startUpdate(desk: Desk): Desk {
  const rows = desk.rows.map((row) =>
    row.is === "found"
      ? { ...row, given: { ...row.given, ...valuesFor(desk, row) }, error: undefined }
      : row,
  );
  return { ...desk, mode: "update", awaits: undefined, rows };
}

/** An item that was scanned only as the parent is removed from the list. */
function setParent(desk: Desk, parent: string): Desk {
  const row = desk.rows.find(({ key }) => key === parent);
  const isOnlyParent = row?.is === "found" && ["fault", "nothing"].includes(verdictOf(row));
  const rows = isOnlyParent ? desk.rows.filter((one) => one !== row) : desk.rows;
  return giveValues({ ...desk, rows, awaits: undefined }, { parent }, `parent ${parent}`);
}

function fetchItem(desk: Desk): Desk {
  const row = desk.rows.find(({ key }) => key === desk.last);
  return row?.is === "found" ? showItem(desk, row.item) : awaitNext(desk, "fetch");
}

function showItem(desk: Desk, item: ScannedItem): Desk {
  return { ...desk, fetched: item, last: undefined, said: `Showing ${item.ics_id}` };
}

function assignLabel(desk: Desk, ics_id: string): Desk {
  const isTaken = desk.rows.some((row) => scanLabel(row) === ics_id);
  if (isTaken) return withError(desk, `${ics_id} is already on the list; scan a free label`);
  const row = desk.rows.findLast((one) => isUnlabelled(one));
  if (row?.is === "found") return stopAwaiting(replaceRow(desk, { ...row, label: ics_id }));
  if (row?.is === "new") return stopAwaiting(replaceRow(desk, { ...row, ics_id }));
  return withError(desk, "Scan the item with a temporary id first, then its new label");
}

function isUnlabelled(row: ScanRow): boolean {
  if (row.is === "found") return isTemporary(row.item.ics_id) && !row.label;
  return row.is === "new" && !row.ics_id;
}

/** The ICS id that the item of a row has or will have. */
export function scanLabel(row: ScanRow): string | undefined {
  if (row.is === "found") return row.label ?? row.item.ics_id;
  return row.is === "new" ? row.ics_id : undefined;
}

function matches(row: ScanRow, thing: ScannedThing): boolean {
  if (row.key === keyOfThing(thing)) return true;
  if (thing.is === "free") return scanLabel(row) === thing.ics_id;
  return thing.is === "serial" && row.is === "new" && row.serial_number === thing.serial_number;
}

function keyOfThing(thing: ScannedThing): string {
  if (thing.is === "item") return thing.item.ics_id;
  if (thing.is === "free") return thing.ics_id;
  return thing.is === "serial" ? thing.serial_number : thing.text;
}

/** An item is never its own parent. */
function valuesFor(desk: Desk, row: ScanRow): GivenValues {
  const { parent, ...others } = desk.given;
  if (row.is === "unknown") return {};
  return parent === undefined || parent === row.key ? others : desk.given;
}

export const UNKNOWN_CODE = "No item, serial or location has this name";

function whyNoItem(thing: ScannedThing): string {
  if (thing.is === "nothing") return thing.why;
  return thing.is === "free" ? "No item has this id; scan Register to add one" : UNKNOWN_CODE;
}
