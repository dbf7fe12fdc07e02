import { describe, expect, test } from "bun:test";
import { imports, inShort, verdictsOf } from "../support/imports.ts";
import { aLocation, anItem, api, aStatus, bob, carol, inOrder } from "../support/mod.ts";

const ITEMS = "/inventory/items";
const CIRCLE = "parent: An item cannot be inside itself or its own contents";

/** The parent, location and status of each item. */
async function places(...ids: string[]) {
  const found = await inOrder(ids.map((id) => () => api(carol).get(`${ITEMS}/${id}`)));
  return found.map(({ body }) => [body.parent, body.location, body.status]);
}

async function applied(rows: object[]) {
  const answer = await imports(bob, rows);
  expect([answer.status, inShort(answer).filter((one) => typeof one !== "string")]).toEqual([
    200,
    [],
  ]);
  return answer;
}

async function setting() {
  await inOrder(["Hall A", "Hall B"].map((name) => () => aLocation({ name })));
  await inOrder(["Used", "Spare"].map((name) => () => aStatus({ name })));
}

/** A card in a crate in a rack. */
async function aRack() {
  await setting();
  const rack = await anItem({ ics_id: "AAA001", location: "Hall A", status: "Used" });
  const crate = await anItem({ ics_id: "AAA002", parent_id: rack.id });
  await anItem({ ics_id: "AAA003", parent_id: crate.id });
}

describe("a parent", () => {
  test("may be a row of the same import, in any order, and gives its location and status", async () => {
    await setting();
    await applied([
      { ics_id: "AAA003", serial_number: "Card", parent: "aaa002" },
      { ics_id: "AAA002", serial_number: "Crate", parent: "AAA001", status: "Spare", location: "" },
      { ics_id: "AAA001", serial_number: "Rack", location: "Hall A", status: "Used" },
    ]);
    expect(await places("AAA001", "AAA002", "AAA003")).toEqual([
      [null, "Hall A", "Used"],
      ["AAA001", "Hall A", "Spare"],
      ["AAA002", "Hall A", "Spare"],
    ]);
    const [{ history }] = [(await api(carol).get(`${ITEMS}/AAA003`)).body];
    expect(history).toHaveLength(1);
  });

  test("passes its location and status to new children, and to all of their contents", async () => {
    await aRack();
    await anItem({ ics_id: "AAA009", location: "Hall B", status: "Spare" });
    const { body } = await imports(bob, [{ ics_id: "AAA002", parent: "AAA009" }]);
    expect(body[0].changes).toEqual([
      { field: "location", old: "Hall A", now: "Hall B" },
      { field: "status", old: "Used", now: "Spare" },
      { field: "parent", old: "AAA001", now: "AAA009" },
    ]);
    expect(await places("AAA002", "AAA003")).toEqual([
      ["AAA009", "Hall B", "Spare"],
      ["AAA002", "Hall B", "Spare"],
    ]);
    await applied([{ ics_id: "AAA002", parent: null }]);
    expect(await places("AAA002")).toEqual([[null, "Hall B", "Spare"]]);
  });

  test("with a blank location beside it leaves the item where it is, however often it is imported", async () => {
    await aRack();
    const row = {
      ics_id: "AAA004",
      serial_number: "SN",
      parent: "AAA001",
      location: "",
      status: "",
    };
    await applied([row]);
    expect(await places("AAA004")).toEqual([["AAA001", "Hall A", "Used"]]);
    expect(inShort(await imports(bob, [row]))).toEqual(["same"]);
  });

  test("that is refused makes the rows inside it refused, and no others", async () => {
    const rows = [
      { ics_id: "AAA003", serial_number: "Card", parent: "AAA002" },
      { ics_id: "AAA002", serial_number: "Crate", parent: "AAA001" },
      { ics_id: "AAA001", serial_number: "Rack", status: "Lost" },
      { ics_id: "AAA004", serial_number: "Other" },
    ];
    expect(inShort(await imports(bob, rows, "?apply=good"))).toEqual([
      ["parent: 'AAA002' is created by line 2, which is refused"],
      ["parent: 'AAA001' is created by line 3, which is refused"],
      ["status: 'Lost' is not a valid status"],
      "new",
    ]);
  });

  test("is never inside the item, not through several rows either", async () => {
    await aRack();
    const turned = [{ ics_id: "AAA001", parent: "AAA003" }];
    expect(inShort(await imports(bob, turned))).toEqual([[CIRCLE]]);
    expect(inShort(await imports(bob, [{ ics_id: "AAA001", parent: "AAA001" }]))).toEqual([
      [CIRCLE],
    ]);
    const rows = [
      { ics_id: "BBB001", serial_number: "SN", parent: "BBB002" },
      { ics_id: "BBB002", serial_number: "SN", parent: "BBB001" },
      { ics_id: "BBB003", serial_number: "SN", parent: "BBB002" },
    ];
    expect(inShort(await imports(bob, rows))).toEqual([
      [CIRCLE],
      [CIRCLE],
      ["parent: 'BBB002' is created by line 2, which is refused"],
    ]);
    await applied([...turned, { ics_id: "AAA002", parent: null }]);
    expect((await places("AAA001"))[0]![0]).toBe("AAA003");
  });

  test("is not partly swapped when a row that the swap depends on is refused", async () => {
    await aRack();
    const rows = [
      { ics_id: "AAA001", parent: "AAA003" },
      { ics_id: "AAA002", parent: null, status: "Lost" },
      { ics_id: "AAA003", quantity: 2 },
    ];
    expect(inShort(await imports(bob, rows, "?apply=good"))).toEqual([
      [CIRCLE],
      ["status: 'Lost' is not a valid status"],
      "change",
    ]);
    expect((await places("AAA001"))[0]![0]).toBeNull();
  });

  test("in a circle that shows only after another is broken moves nothing", async () => {
    const ids = ["AAA001", "AAA002", "AAA003"];
    const [one] = await inOrder(ids.map((ics_id) => () => anItem({ ics_id })));
    await api(bob).patch(`${ITEMS}/AAA003`, { parent: "AAA001" });
    await anItem({ ics_id: "AAA004", parent_id: one.id });
    const rows = [
      { ics_id: "AAA001", parent: "AAA002" },
      { ics_id: "AAA002", parent: "AAA003" },
      { ics_id: "AAA003", parent: "AAA005" },
      { ics_id: "AAA005", serial_number: "SN", parent: "AAA006" },
      { ics_id: "AAA006", serial_number: "SN", parent: "AAA005" },
      { ics_id: "AAA004", quantity: 2 },
    ];
    const answer = await imports(bob, rows, "?apply=good");
    expect(verdictsOf(answer).map(({ verdict }) => verdict)).toEqual([
      ...Array(5).fill("refused"),
      "change",
    ]);
  });
});

describe("a change of location", () => {
  test("applies to everything inside, unless a row gives another", async () => {
    await aRack();
    const { id } = (await api(carol).get(`${ITEMS}/AAA002`)).body;
    await anItem({ ics_id: "AAA004", parent_id: id });
    const answer = await applied([
      { ics_id: "AAA001", location: "Hall B" },
      { ics_id: "AAA002", quantity: 2 },
      { ics_id: "AAA003", location: "Hall A", status: "Spare" },
    ]);
    expect(verdictsOf(answer)[1].changes).toEqual([
      { field: "quantity", old: "1", now: "2" },
      { field: "location", old: "Hall A", now: "Hall B" },
    ]);
    expect(await places("AAA001", "AAA002", "AAA003", "AAA004")).toEqual([
      [null, "Hall B", "Used"],
      ["AAA001", "Hall B", "Used"],
      ["AAA002", "Hall A", "Spare"],
      ["AAA002", "Hall B", "Used"],
    ]);
  });

  test("does not apply below a refused row, or to what leaves in the same import", async () => {
    await aRack();
    await anItem({ ics_id: "AAA009" });
    await imports(
      bob,
      [
        { ics_id: "AAA001", location: "Hall B", quantity: 0 },
        { ics_id: "AAA003", parent: "AAA009" },
      ],
      "?apply=good",
    );
    expect(await places("AAA002", "AAA003")).toEqual([
      ["AAA001", "Hall A", "Used"],
      ["AAA009", null, null],
    ]);
    await applied([
      { ics_id: "AAA001", location: "Hall B" },
      { ics_id: "AAA002", parent: null },
    ]);
    expect(await places("AAA002")).toEqual([[null, "Hall A", "Used"]]);
  });
});
