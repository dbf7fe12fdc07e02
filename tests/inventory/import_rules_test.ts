import { describe, expect, test } from "bun:test";
import { aHiddenHost } from "../support/hidden.ts";
import { aHost, imports, inShort, verdictsOf } from "../support/imports.ts";
import {
  aLocation,
  alice,
  anItem,
  api,
  aStatus,
  bob,
  carol,
  inOrder,
  type Person,
  service,
} from "../support/mod.ts";

const ITEMS = "/inventory/items";
const MAC = "02:42:42:00:00:01";

async function shown(id: string, by: Person = carol) {
  return (await api(by).get(`${ITEMS}/${id}`)).body;
}

function halls() {
  return inOrder(["Hall A", "Hall B"].map((name) => () => aLocation({ name })));
}

async function applied(rows: object[]) {
  const answer = await imports(bob, rows);
  expect([answer.status, inShort(answer).filter((one) => typeof one !== "string")]).toEqual([
    200,
    [],
  ]);
  return answer;
}

describe("a row", () => {
  test.each<[object, string[]]>([
    [{}, ["serial_number: This field is required"]],
    [{ serial_number: " " }, ["serial_number: This field is required"]],
    [{ serial_number: 7 }, ["serial_number: Use 1 to 100 characters on one line"]],
    [{ serial_number: "a\u0000" }, ["serial_number: Leave out control characters"]],
    [{ serial_number: "x".repeat(101) }, ["serial_number: Use 1 to 100 characters on one line"]],
    [{ ics_id: "A1" }, ["ics_id: Use three letters and three digits, such as AAA001"]],
    [
      { ics_id: "ZZA001" },
      ["ics_id: Ids that begin with ZZ are temporary and assigned automatically"],
    ],
    [{ quantity: "0" }, ["quantity: Use a whole number from 1"]],
    [{ quantity: "many" }, ["quantity: Use a whole number from 1"]],
    [{ quantity: "99999999999" }, ["quantity: Use a whole number from 1"]],
    [{ location: "Nowhere" }, ["location: 'Nowhere' is not a valid location"]],
    [
      { manufacturer: "X", model: "Y" },
      ["manufacturer: 'X' is not a valid manufacturer", "model: 'Y' is not a valid model"],
    ],
    [{ parent: "AAA009" }, ["parent: 'AAA009' is not a valid parent"]],
    [{ host: "nobody" }, ["host: 'nobody' is not a valid host"]],
    [
      { stack_member: 1 },
      ["stack_member: Only a host of the device type Network has stack members"],
    ],
    [{ stack_member: "10" }, ["stack_member: Use a number from 0 to 9"]],
    [
      { macs: "02:42, 024242000001" },
      ["macs: '02:42' is not a MAC address such as 02:42:42:00:00:01"],
    ],
    [{ comments: ["x".repeat(10_001)] }, ["comments: Use 1 to 10000 characters"]],
  ])("with %j is refused", async (row, errors) => {
    const good = { serial_number: "SN", ...row };
    const filled = Object.keys(row).length === 0 ? {} : good;
    const answer = await imports(bob, [filled]);
    expect([answer.status, inShort(answer)]).toEqual([422, [errors]]);
  });

  test("reports all of its errors at once", async () => {
    const row = { quantity: "x", status: "Lost", parent: "AAA009", macs: ["1"], ics_id: "a\u0000" };
    const [errors] = inShort(await imports(bob, [row])) as string[][];
    const fields = errors!.map((error) => error.split(":")[0]);
    expect(fields.toSorted()).toEqual(["ics_id", "macs", "parent", "quantity", "status"]);
  });

  test("changes only the fields that have a value; null clears an optional one", async () => {
    await halls();
    await aStatus({ name: "Used" });
    await anItem({ ics_id: "AAA001", serial_number: "SN", quantity: 3, location: "Hall A" });
    await applied([{ ics_id: "AAA001", status: "used" }]);
    expect(await shown("AAA001")).toMatchObject({
      location: "Hall A",
      status: "Used",
      quantity: 3,
    });
    await applied([
      { ics_id: "AAA001", location: " ", status: null, serial_number: "", quantity: null },
    ]);
    expect(await shown("AAA001")).toMatchObject({
      location: "Hall A",
      status: null,
      serial_number: "SN",
      quantity: 3,
    });
  });

  test("adds comments that the item does not have, and removes none", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    await api(bob).post(`${ITEMS}/${id}/comments`, { body: "First\nof two lines" });
    const { body } = await imports(bob, [
      { ics_id: "AAA001", comments: "of two lines\r\nNew\n\nNew" },
    ]);
    expect(body[0].changes).toEqual([{ field: "comments", old: null, now: "New" }]);
    await applied([{ ics_id: "AAA001", comments: ["First\nof two lines", "Two\nlines"] }]);
    await applied([{ ics_id: "AAA001", comments: "" }]);
    expect((await shown("AAA001")).comments).toEqual(["First\nof two lines", "New", "Two\nlines"]);
  });

  test("of an item that already has a row is refused", async () => {
    await anItem({ ics_id: "AAA001" });
    const twice = await imports(
      bob,
      [
        { ics_id: "AAA001", quantity: 2 },
        { ics_id: "aaa001", quantity: 3 },
        { ics_id: "AAA002", serial_number: "SN" },
        { ics_id: "AAA002", serial_number: "SN" },
      ],
      "?apply=good",
    );
    expect(inShort(twice)).toEqual([
      "change",
      ["ics_id: AAA001 is already in line 1"],
      "new",
      ["ics_id: AAA002 is already in line 3"],
    ]);
    expect((await shown("AAA001")).quantity).toBe(2);
  });
});

describe("MAC addresses", () => {
  test("replace those of the item, which stay registered", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    await api(bob).post("/inventory/macs", { address: MAC, item_id: id });
    await api(bob).post("/inventory/macs", { address: "024242000002" });
    await applied([{ ics_id: "AAA001", macs: ["0242.4200.0002", "02-42-42-00-00-03"] }]);
    expect((await shown("AAA001")).macs).toEqual(["02:42:42:00:00:02", "02:42:42:00:00:03"]);
    const { body } = await api(carol).get(`/inventory/macs?address=${MAC}`);
    expect(body).toMatchObject([{ address: MAC, item: null }]);
    await applied([{ ics_id: "AAA001", macs: null }]);
    expect((await shown("AAA001")).macs).toEqual([]);
  });

  test("belong to one item only, in the register and among the rows", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    await anItem({ ics_id: "AAA002" });
    await api(bob).post("/inventory/macs", { address: MAC, item_id: id });
    const other = "02:42:42:00:00:02";
    const answer = await imports(bob, [
      { ics_id: "AAA002", macs: MAC },
      { serial_number: "SN", macs: other },
      { serial_number: "SN", macs: other.replaceAll(":", "-") },
    ]);
    expect(inShort(answer)).toEqual([
      [`macs: ${MAC} is on the item AAA001`],
      "new",
      [`macs: ${other} is already in line 2`],
    ]);
  });

  test("move from the item of one row to that of another, if both rows are valid", async () => {
    const { id } = await anItem({ ics_id: "AAA001" });
    await api(bob).post("/inventory/macs", { address: MAC, item_id: id });
    const take = { ics_id: "AAA002", serial_number: "SN", macs: MAC };
    const bad = await imports(
      bob,
      [take, { ics_id: "AAA001", macs: null, status: "Lost" }],
      "?apply=good",
    );
    expect(inShort(bad)).toEqual([
      [`macs: ${MAC} is on the item AAA001`],
      ["status: 'Lost' is not a valid status"],
    ]);
    await applied([take, { ics_id: "AAA001", macs: null }]);
    expect((await shown("AAA001")).macs).toEqual([]);
    expect((await shown("AAA002")).macs).toEqual([MAC]);
  });
});

describe("hosts and stack members", () => {
  test("have to be a network device and one of its members, each used once", async () => {
    await aHost("switch");
    await aHost("server", "Physical");
    const answer = await imports(
      bob,
      [
        { serial_number: "SN", host: "SWITCH", stack_member: "0" },
        { serial_number: "SN", host: "switch", stack_member: 0 },
        { serial_number: "SN", host: "server", stack_member: 1 },
        { serial_number: "SN", host: "server" },
      ],
      "?apply=good",
    );
    expect(inShort(answer)).toEqual([
      "new",
      ["stack_member: This stack member is taken"],
      ["stack_member: Only a host of the device type Network has stack members"],
      "new",
    ]);
    const taken = await imports(bob, [{ serial_number: "SN", host: "switch", stack_member: 0 }]);
    expect(inShort(taken)).toEqual([["stack_member: This stack member is taken"]]);
    expect(await shown("ZZA000")).toMatchObject({ host: "switch", stack_member: 0 });
    await applied([{ ics_id: "ZZA000", host: null }]);
    expect(await shown("ZZA000")).toMatchObject({ host: null, stack_member: null });
  });

  test("can be swapped by two rows", async () => {
    const host_id = await aHost("switch");
    await anItem({ ics_id: "AAA001", host_id, stack_member: 1 });
    await anItem({ ics_id: "AAA002", host_id, stack_member: 2 });
    const one = { ics_id: "AAA001", stack_member: 2 };
    expect(inShort(await imports(bob, [one]))).toEqual([
      ["stack_member: This stack member is taken"],
    ]);
    await applied([one, { ics_id: "AAA002", stack_member: 1 }]);
    expect((await shown("AAA001")).stack_member).toBe(2);
    expect((await shown("AAA002")).stack_member).toBe(1);
  });

  test("that are hidden are neither disclosed nor cleared", async () => {
    const host_id = await aHiddenHost();
    const { id } = await anItem({ ics_id: "AAA001", quantity: 1 });
    await api(alice).patch(`${ITEMS}/${id}`, { host_id, stack_member: 4 });
    const named = await imports(bob, [{ serial_number: "SN", host: "canary" }]);
    expect(inShort(named)).toEqual([["host: 'canary' is not a valid host"]]);
    const { body: records } = await api(bob).get(ITEMS);
    expect(inShort(await imports(bob, records))).toEqual(["same"]);
    const blank = { ics_id: "AAA001", quantity: 2, host: null, stack_member: null };
    expect(verdictsOf(await applied([blank]))[0].changes).toEqual([
      { field: "quantity", old: "1", now: "2" },
    ]);
    expect(await shown("AAA001", alice)).toMatchObject({ host: "canary", stack_member: 4 });
    for (const stack_member of [3, 4]) {
      const guess = await imports(bob, [{ ics_id: "AAA001", stack_member }]);
      expect(inShort(guess), `stack member ${stack_member}`).toEqual([
        ["stack_member: Only a host of the device type Network has stack members"],
      ]);
    }
    await aHost("switch");
    const moved = await imports(bob, [{ ics_id: "AAA001", host: "switch" }]);
    expect(moved.text).not.toContain("canary");
    expect(inShort(moved)).toEqual([["host: This item is not available"]]);
    expect(await shown("AAA001", alice)).toMatchObject({ host: "canary", stack_member: 4 });
    const { sql } = await service();
    expect((await sql`select count(*)::int as n from items`)[0].n).toBe(1);
    const [{ count }] = await sql`
      select count(*)::int as count from audit_log where details ->> 'asked' = 'AAA001'`;
    expect(count).toBe(1);
  });
});

describe("temporary ids", () => {
  test("run out row by row", async () => {
    const { sql } = await service();
    await sql`
      insert into items (ics_id, serial_number)
      select 'ZZ' || chr(65 + number / 1000) || lpad((number % 1000)::text, 3, '0'), 'SN'
      from generate_series(0, 25998) number`;
    const rows = [
      { serial_number: "Last" },
      { serial_number: "None" },
      { ics_id: "AAA001", serial_number: "SN" },
    ];
    expect(inShort(await imports(bob, rows, "?apply=good"))).toEqual([
      "new",
      ["ics_id: All temporary ids are in use; enter a label"],
      "new",
    ]);
  }, 120_000);
});
