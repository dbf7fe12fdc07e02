import { describe, expect, test } from "bun:test";
import {
  type Desk,
  emptyDesk,
  errorOf,
  SCAN_ACTIONS,
  type ScanAction,
  type ScanMeaning,
  type ScannedItem,
  scanLabel,
  step,
  verdictOf,
} from "../../src/inventory/scan/scan_desk.ts";
import { alice, api, namesOf } from "../support/mod.ts";

const rack: ScannedItem = anItem({ ics_id: "AAA001", location: "Hall A" });
const crate: ScannedItem = anItem({ ics_id: "AAA002", location: "Store" });
const card: ScannedItem = anItem({ ics_id: "ZZA000" });

const hall = given("location", "Hall A");
const yard = given("location", "Yard");
const broken = given("status", "Broken");
const unknown: ScanMeaning = {
  is: "nothing",
  text: "???",
  why: "No item, serial or location has this name",
};

function anItem(fields: Partial<ScannedItem>): ScannedItem {
  const none = { manufacturer: null, model: null, location: null, status: null, parent: null };
  return { id: 1, ics_id: "AAA000", serial_number: "S0", ...none, ...fields };
}

function given(kind: "location" | "status", name: string): ScanMeaning {
  return { is: "attribute", kind, name };
}

function action(name: ScanAction): ScanMeaning {
  return { is: "action", name };
}

function item(one: ScannedItem): ScanMeaning {
  return { is: "item", item: one };
}

function serial(serial_number: string): ScanMeaning {
  return { is: "serial", serial_number };
}

function free(ics_id: string): ScanMeaning {
  return { is: "free", ics_id };
}

/** One line for each row: ICS id or key, serial number of a new item, given values, verdict. */
function messagesOf({ rows }: Desk): string[] {
  return rows.map((row) => {
    const own =
      row.is === "new" ? `${row.ics_id ?? "new"} ${row.serial_number ?? "?"}` : scanLabel(row);
    const gets = Object.entries(row.given).map(([name, value]) => `${name}=${value}`);
    return [own ?? row.key, ...gets, verdictOf(row)].join(" ");
  });
}

const EXAMPLES: Array<[name: string, scanned: ScanMeaning[], rows: string[]]> = [
  ["an item alone changes nothing", [item(crate)], ["AAA002 nothing"]],
  [
    "a location goes to every item after it",
    [hall, item(crate), item(card)],
    ["AAA002 location=Hall A change", "ZZA000 location=Hall A change"],
  ],
  [
    "what an item has already changes nothing",
    [hall, item(rack)],
    ["AAA001 location=Hall A nothing"],
  ],
  [
    "a second location goes to those after it alone",
    [hall, item(crate), yard, item(card)],
    ["AAA002 location=Hall A change", "ZZA000 location=Yard change"],
  ],
  [
    "Update gives to those before it too",
    [item(crate), item(card), hall, action("Update")],
    ["AAA002 location=Hall A change", "ZZA000 location=Hall A change"],
  ],
  [
    "Clear attributes forgets what is given and keeps the list",
    [hall, item(crate), action("Clear attributes"), broken, item(card)],
    ["AAA002 location=Hall A change", "ZZA000 status=Broken change"],
  ],
  [
    "Clear all forgets everything",
    [hall, action("Register"), item(crate), action("Clear all"), item(card)],
    ["ZZA000 nothing"],
  ],
  [
    "an item that is scanned twice stands there once",
    [hall, item(crate), item(crate)],
    ["AAA002 location=Hall A change"],
  ],
  [
    "an item that is scanned again takes what is given by then",
    [hall, item(crate), yard, item(crate)],
    ["AAA002 location=Yard change"],
  ],
  ["an unknown code is a fault", [hall, unknown], ["??? fault"]],
  ["a serial number of nothing is a fault until Register", [serial("S1")], ["S1 fault"]],
  ["a free id is a fault until Register", [free("BBB001")], ["BBB001 fault"]],
  [
    "Register makes an item of each serial number",
    [hall, action("Register"), serial("S1"), serial("S2")],
    ["new S1 location=Hall A register", "new S2 location=Hall A register"],
  ],
  [
    "a label takes the serial number after it",
    [action("Register"), free("BBB001"), serial("S1"), free("BBB002"), serial("S2")],
    ["BBB001 S1 register", "BBB002 S2 register"],
  ],
  [
    "a label without a serial number is a fault",
    [action("Register"), free("BBB001"), free("BBB002"), serial("S2")],
    ["BBB001 ? fault", "BBB002 S2 register"],
  ],
  [
    "the same serial number twice makes one item",
    [action("Register"), serial("S1"), serial("S1")],
    ["new S1 register"],
  ],
  [
    "what is registered already is a fault under Register",
    [action("Register"), item(crate)],
    ["AAA002 fault"],
  ],
  [
    "and no more after Update",
    [hall, action("Register"), item(crate), action("Update")],
    ["AAA002 location=Hall A change"],
  ],
  [
    "Set as parent takes the item just before, which leaves the list",
    [item(rack), action("Set as parent"), item(crate), item(card)],
    ["AAA002 parent=AAA001 change", "ZZA000 parent=AAA001 change"],
  ],
  [
    "Set as parent takes the next item where none was just before",
    [action("Set as parent"), item(rack), item(crate)],
    ["AAA002 parent=AAA001 change"],
  ],
  [
    "a parent that is given something stays on the list",
    [yard, item(rack), action("Set as parent"), item(crate)],
    ["AAA001 location=Yard change", "AAA002 location=Yard parent=AAA001 change"],
  ],
  [
    "nothing is its own parent",
    [yard, action("Set as parent"), item(rack), item(rack)],
    ["AAA001 location=Yard change"],
  ],
  [
    "a new crate holds what is registered after it",
    [action("Register"), free("BBB001"), serial("S1"), action("Set as parent"), serial("S2")],
    ["BBB001 S1 register", "new S2 parent=BBB001 register"],
  ],
  [
    "Assign ICS id gives the last temporary id its label",
    [item(card), item(crate), action("Assign ICS id"), free("BBB001")],
    ["BBB001 change", "AAA002 nothing"],
  ],
  [
    "Assign ICS id may come first",
    [action("Assign ICS id"), item(card), free("BBB001")],
    ["BBB001 change"],
  ],
  [
    "Assign ICS id gives a new item its label",
    [action("Register"), serial("S1"), action("Assign ICS id"), free("BBB001"), serial("S2")],
    ["BBB001 S1 register", "new S2 register"],
  ],
  [
    "a label is given once",
    [
      action("Register"),
      serial("S1"),
      action("Assign ICS id"),
      free("BBB001"),
      serial("S2"),
      action("Assign ICS id"),
      free("BBB001"),
    ],
    ["BBB001 S1 register", "new S2 register"],
  ],
  [
    "what is removed is gone",
    [item(crate), item(card), { is: "removal", key: "AAA002" }],
    ["ZZA000 nothing"],
  ],
  [
    "a new parent that is removed holds nothing",
    [
      action("Register"),
      serial("S1"),
      action("Set as parent"),
      serial("S2"),
      { is: "removal", key: "S1" },
    ],
    ["new S2 register"],
  ],
  ["Fetch puts nothing on the list", [action("Fetch"), item(crate)], []],
];

function deskAfter(scanned: ScanMeaning[]): Desk {
  return scanned.reduce(step, emptyDesk);
}

describe("the scan desk", () => {
  test.each(EXAMPLES)("%s", (_name, scanned, rows) => {
    expect(messagesOf(deskAfter(scanned))).toEqual(rows);
  });

  test("shows the item that Fetch is applied to, scanned before it or after", () => {
    expect(deskAfter([action("Fetch"), item(crate)]).fetched).toEqual(crate);
    expect(deskAfter([item(crate), action("Fetch")]).fetched).toEqual(crate);
    expect(deskAfter([item(crate), hall, action("Fetch")]).fetched).toBeUndefined();
  });

  test("reports an error and keeps waiting", () => {
    const desk = deskAfter([action("Set as parent"), unknown]);
    expect(desk).toMatchObject({
      isError: true,
      said: "No item, serial or location has this name",
      awaits: "parent",
      rows: [],
    });
    const taken = deskAfter([item(card), action("Assign ICS id"), item(crate)]);
    expect(taken).toMatchObject({ isError: true, awaits: "label" });
    expect(taken.said).toBe("AAA002 is in use; scan a free label");
    const wrong = deskAfter([item(card), action("Assign ICS id"), unknown]);
    expect(wrong).toMatchObject({ isError: true, awaits: "label" });
    expect(wrong.said).toEndWith(
      " is not a label, which has three letters and three digits; scan the new label",
    );
  });

  test("reports each error in a sentence", () => {
    const desk = deskAfter([unknown, action("Register"), item(crate), free("BBB001")]);
    expect(desk.rows.map(errorOf)).toEqual([
      "No item, serial or location has this name",
      "Already registered; scan Update to change it",
      "Scan its serial number too",
    ]);
  });

  test("knows every action that has a code, and no other", async () => {
    const { body } = await api(alice).get("/inventory/actions");
    expect(namesOf(body)).toEqual(Object.keys(SCAN_ACTIONS).toSorted());
  });
});
