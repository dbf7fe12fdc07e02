import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { changes, everything } from "../support/history.ts";
import { elements, texts } from "../support/html.ts";
import { aLocation, aManufacturer, anItem, api, bob, inOrder, service } from "../support/mod.ts";
import {
  action,
  apply,
  code,
  fieldsOf,
  itemsBy,
  rowsOf,
  SCANNER,
  scanAll,
} from "../support/scan_desk.ts";

describe("applying the scan desk", () => {
  test("moves the scanned items, as one change set, with a link to it", async () => {
    await aLocation({ name: "Hall A" });
    const serials = Array.from({ length: 40 }, (_, index) => `S${index}`);
    const items = await inOrder(serials.map((serial_number) => () => anItem({ serial_number })));
    const own = await browser(bob);
    const log = [code("location", "Hall A"), ...items.map(({ ics_id }) => ics_id)];
    const { text } = await own.submit(SCANNER, { scan: log.join("\n") });
    expect(texts(text, "#apply p")).toEqual(["40 items to change"]);
    const first = (await changes()).length;
    const applied = await apply(own, text);
    expect(applied.status).toBe(303);
    const made = (await changes()).slice(first);
    expect(made.map(({ table_name, action }) => `${table_name} ${action}`)).toEqual(
      Array(40).fill("items update"),
    );
    expect(new Set(made.map(({ change_set }) => change_set)).size).toBe(1);
    const moved = await itemsBy(serials);
    expect(moved.every(({ location }: { location: string }) => location === "Hall A")).toBe(true);
    const after = await own.get(applied.headers.get("location")!);
    expect(texts(after.text, ".note.good")[0]).toStartWith("Changed 40 items");
    expect(elements(after.text, ".note.good a")[0]!.attributes.href).toBe(
      `/changes/${made[0]!.change_set}`,
    );
    const ids = items.map(({ ics_id }) => ics_id).toSorted();
    expect(texts(after.text, ".note.good li")).toEqual(ids);
    const [print] = elements(after.text, ".note.good a.button");
    expect(texts(after.text, ".note.good a.button")).toEqual(["Print 40 labels"]);
    const labels = await own.get(print!.attributes.href!.replaceAll("&amp;", "&"));
    expect(elements(labels.text, ".paper svg.qr")).toHaveLength(40);
    expect(rowsOf(after.text)).toEqual([]);
  });

  test("counts what moves along in a crate, everywhere alike, and each item once", async () => {
    for (const name of ["Hall A", "Store"]) await aLocation({ name });
    const crate = await anItem({ serial_number: "CRATE", location: "Store" });
    const inside = await inOrder(
      ["I1", "I2", "I3", "I4"].map(
        (serial_number) => () => anItem({ serial_number, parent_id: crate.id }),
      ),
    );
    const [first, second] = inside;
    await anItem({ serial_number: "DEEP", parent_id: first!.id });
    const loose = await inOrder(
      ["L1", "L2"].map((serial_number) => () => anItem({ serial_number, location: "Store" })),
    );
    const own = await browser(bob);
    const scanned = [crate, first!, second!, ...loose].map(({ ics_id }) => ics_id);
    const { text } = await scanAll(own, [code("location", "Hall A"), ...scanned]);
    expect(texts(text, "#apply p")).toEqual(["8 items to change, 3 of them inside others"]);
    const { headers } = await apply(own, text);
    const after = await own.get(headers.get("location")!);
    expect(texts(after.text, ".note.good")[0]).toStartWith("Changed 8 items");
    const change = elements(after.text, ".note.good a")[0]!.attributes.href!;
    const told = await own.get(change);
    expect(texts(told.text, "main").join()).toContain("Changed 8 items");
    for (const { ics_id } of [first!, second!]) {
      const { text: page } = await own.get(`/inventory/items/view/${ics_id}`);
      const entries = elements(page, ".timeline > li");
      expect([ics_id, entries.length]).toEqual([ics_id, 2]);
    }
    const undone = await api(bob).post(`${change}/undo`, {});
    expect([undone.status, undone.body.total, undone.body.detail]).toEqual([201, 8, undefined]);
  });

  test("says what leaves its parent, and takes it out unless the desk keeps it inside", async () => {
    for (const name of ["Hall A", "Hall B"]) await aLocation({ name });
    const rack = await anItem({ ics_id: "AAA000", serial_number: "R", location: "Hall A" });
    const crate = await anItem({ ics_id: "AAA001", serial_number: "C", parent_id: rack.id });
    for (const ics_id of ["AAA002", "AAA003"]) await anItem({ ics_id, parent_id: crate.id });
    await anItem({ ics_id: "AAA004", serial_number: "L" });
    const own = await browser(bob);
    const toHall = (name: string, ...scanned: string[]) =>
      scanAll(own, [code("location", name), ...scanned]);
    const choiceIn = (html: string) => {
      const choice = "#apply button[value^='CSE:parents:']";
      return [texts(html, choice)[0], elements(html, choice)[0]?.attributes.value];
    };
    const place = async () => {
      const [{ parent, location }] = await itemsBy(["C"]);
      return [parent, location];
    };
    const asked = await toHall("Hall B", "AAA001");
    expect(rowsOf(asked.text)).toEqual([
      "AAA001 C: location Hall B (was Hall A), leaves AAA000, and 2 items inside move along",
    ]);
    const [label, scan] = choiceIn(asked.text);
    expect(label).toBe("Leave it in AAA000");
    const kept = await own.submit(SCANNER, { ...fieldsOf(asked.text), scan: scan! });
    const stays = "moves away from, but stays in, AAA000, and 2 items inside move along";
    expect(rowsOf(kept.text)).toEqual([`AAA001 C: location Hall B (was Hall A), ${stays}`]);
    expect(choiceIn(kept.text)[0]).toBe("Take it out of AAA000");
    const more = await own.submit(SCANNER, { ...fieldsOf(kept.text), scan: "AAA004" });
    expect(rowsOf(more.text)).toEqual([
      "AAA004 L: location Hall B",
      `AAA001 C: location Hall B (was Hall A), ${stays}`,
    ]);
    expect((await apply(own, more.text)).status).toBe(303);
    expect(await place()).toEqual(["AAA000", "Hall B"]);
    const back = await toHall("Hall A", "AAA001");
    expect(rowsOf(back.text)).toEqual(["AAA001 C: location Hall A (was Hall B)"]);
    await apply(own, back.text);
    const again = await toHall("Hall A", "AAA001");
    expect(rowsOf(again.text)).toEqual(["AAA001 C: Already there: Hall A"]);
    const both = await toHall("Hall B", "AAA001", "AAA000");
    expect([rowsOf(both.text), choiceIn(both.text)[0]]).toEqual([
      ["AAA000 R: location Hall B (was Hall A)", "AAA001 C: location Hall B (was Hall A)"],
      undefined,
    ]);
    const first = (await changes()).length;
    await apply(own, (await toHall("Hall B", "AAA001")).text);
    expect(await place()).toEqual([null, "Hall B"]);
    const made = (await changes()).slice(first).map(({ table_name }) => table_name);
    expect(made).toEqual(["items", "items", "items"]);
  });

  test("creates a crate and its contents", async () => {
    await aLocation({ name: "Store" });
    await aManufacturer({ name: "Acme" });
    const own = await browser(bob);
    const { text } = await scanAll(own, [
      code("location", "Store"),
      code("manufacturer", "Acme"),
      action("Register"),
      "BBB001",
      "CRATE-1",
      action("Set as parent"),
      "CARD-1",
      "CARD-2",
    ]);
    expect(texts(text, "#apply p")).toEqual(["3 items to add"]);
    expect((await apply(own, text)).status).toBe(303);
    const [crate, ...cards] = await itemsBy(["CRATE-1", "CARD-1", "CARD-2"]);
    expect(crate).toMatchObject({ ics_id: "BBB001", location: "Store", manufacturer: "Acme" });
    expect(crate.children).toEqual(["ZZA000", "ZZA001"]);
    expect(cards).toMatchObject([
      { ics_id: "ZZA000", parent: "BBB001", location: "Store" },
      { ics_id: "ZZA001", parent: "BBB001", location: "Store" },
    ]);
  });

  test("sets a parent, whose location the items take, and assigns a label", async () => {
    await aLocation({ name: "Hall A" });
    await anItem({ serial_number: "R", ics_id: "AAA001", location: "Hall A" });
    await anItem({ serial_number: "C" });
    const own = await browser(bob);
    const { text } = await scanAll(own, [
      "AAA001",
      action("Set as parent"),
      "ZZA000",
      action("Assign ICS id"),
      "ccc001",
    ]);
    expect(rowsOf(text)).toEqual(["CCC001 C: replaces ZZA000, parent AAA001"]);
    await apply(own, text);
    expect((await itemsBy(["C"]))[0]).toMatchObject({
      ics_id: "CCC001",
      parent: "AAA001",
      location: "Hall A",
    });
  });

  test("applies a location to the contents of an item", async () => {
    await aLocation({ name: "Hall A" });
    const crate = await anItem({ serial_number: "C", ics_id: "AAA001" });
    await anItem({ serial_number: "D", parent_id: crate.id });
    const own = await browser(bob);
    const { text } = await scanAll(own, [code("location", "Hall A"), "AAA001"]);
    const { headers } = await apply(own, text);
    expect((await itemsBy(["D"]))[0].location).toBe("Hall A");
    const after = await own.get(headers.get("location")!);
    expect(texts(after.text, ".note.good")[0]).toStartWith("Changed 2 items");
  });

  test("applies nothing while a row has an error, unless only the valid ones are requested", async () => {
    await aLocation({ name: "Hall A" });
    await anItem({ serial_number: "S1", ics_id: "AAA001" });
    const own = await browser(bob);
    const { text } = await scanAll(own, [code("location", "Hall A"), "AAA001", "WHAT"]);
    expect(rowsOf(text)).toEqual([
      "WHAT: No item, serial or location has this name",
      "AAA001 S1: location Hall A",
    ]);
    expect(texts(text, "#apply .buttons button")[0]).toBe("Apply valid rows");
    const before = await everything();
    const refused = await apply(own, text);
    expect(refused.status).toBe(422);
    expect(rowsOf(refused.text)).toEqual([
      "WHAT: No item, serial or location has this name",
      "AAA001 S1: location Hall A",
    ]);
    expect(await everything()).toBe(before);
    const applied = await apply(own, text, "apply_good");
    expect(applied.status).toBe(303);
    expect((await itemsBy(["S1"]))[0].location).toBe("Hall A");
    const after = await own.get(applied.headers.get("location")!);
    expect(rowsOf(after.text)).toEqual(["WHAT: No item, serial or location has this name"]);
  });

  test("shows an error that only the database can find beside its row", async () => {
    await aLocation({ name: "Hall A" });
    const crate = await anItem({ serial_number: "C", ics_id: "AAA001" });
    await anItem({ serial_number: "D", ics_id: "AAA002", parent_id: crate.id });
    await anItem({ serial_number: "E", ics_id: "AAA003" });
    const own = await browser(bob);
    const { text } = await scanAll(own, [action("Set as parent"), "AAA002", "AAA003", "AAA001"]);
    const refused = await apply(own, text);
    expect(refused.status).toBe(422);
    expect(rowsOf(refused.text)).toEqual([
      "AAA001 C: An item cannot be inside itself or its own contents",
      "AAA003 E: parent AAA002",
    ]);
    expect((await itemsBy(["E"]))[0].parent).toBeNull();
    await apply(own, refused.text, "apply_good");
    expect((await itemsBy(["E"]))[0].parent).toBe("AAA002");
  });

  test("refuses a label that was assigned meanwhile", async () => {
    const own = await browser(bob);
    const { text } = await scanAll(own, [action("Register"), "BBB001", "S1"]);
    await anItem({ ics_id: "BBB001", serial_number: "Other" });
    const refused = await apply(own, text);
    expect(refused.status).toBe(422);
    expect(await itemsBy(["S1"])).toEqual([]);
  });

  test("assigns a label once to two concurrent desks, and loses no other row", async () => {
    const own = await browser(bob);
    const lists = await Promise.all(
      ["S1", "S2"].map((serial) =>
        scanAll(own, [action("Register"), "BBB001", serial, `${serial}-OTHER`]),
      ),
    );
    const { sql } = await service();
    // Both read before either writes.
    const applying = await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended('item tree', 0))`;
      const both = lists.map(({ text }) => apply(own, text, "apply_good"));
      for (let waiting = 0; waiting < 2; await Bun.sleep(10)) {
        [{ waiting }] = await tx`
          select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
      }
      return { both };
    });
    const applied = await Promise.all(applying.both);
    expect(applied.map(({ status }) => status)).toEqual([303, 303]);
    expect(await itemsBy(["S1", "S2"])).toMatchObject([{ ics_id: "BBB001" }]);
    expect(await itemsBy(["S1-OTHER", "S2-OTHER"])).toHaveLength(2);
  });

  test("creates nothing twice when the form is sent twice", async () => {
    const own = await browser(bob);
    const { text } = await scanAll(own, [action("Register"), "S1", "S2"]);
    const both = await Promise.all([apply(own, text), apply(own, text)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([303, 303]);
    expect(await itemsBy(["S1", "S2"])).toHaveLength(2);
  });
});
