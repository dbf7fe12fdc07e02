import { describe, expect, test } from "bun:test";
import { browser } from "../support/browser.ts";
import { everything } from "../support/history.ts";
import { imports, inShort, summaryOf, verdictsOf } from "../support/imports.ts";
import { ended, fileAt, JSON_ONLY, working } from "../support/jobs.ts";
import {
  aLocation,
  aModel,
  anItem,
  api,
  aStatus,
  audrey,
  bob,
  carol,
  dave,
  fieldsOf,
  inOrder,
  stranger,
} from "../support/mod.ts";
import { recordsOf } from "../support/workbook.ts";

const ITEMS = "/inventory/items";
const MIB = 1024 * 1024;

async function shown(id: string) {
  return (await api(carol).get(`${ITEMS}/${id}`)).body;
}

async function total(): Promise<string | null> {
  return (await api(carol).get(ITEMS)).headers.get("x-total-count");
}

describe("POST /inventory/items/import", () => {
  test("registers new items and changes existing ones, as one change set", async () => {
    await inOrder([
      () => aLocation({ name: "Hall A" }),
      () => aStatus({ name: "Used" }),
      () => aModel({ name: "X1" }),
    ]);
    await anItem({ ics_id: "AAA001", serial_number: "Old", quantity: 2 });
    const rows = [
      { ics_id: "aaa002", serial_number: "SN2", location: "hall a", model: "X1", quantity: "3" },
      { serial_number: "SN3", macs: "02-42-42-00-00-01, 024242000002", comments: "One\nTwo" },
      { ics_id: "AAA001", serial_number: "SN1", status: "Used" },
    ];
    const { status, headers, text } = await imports(bob, rows);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toStartWith("application/x-ndjson");
    const lines = text.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        line: 1,
        verdict: "new",
        ics_id: "AAA002",
        changes: [
          { field: "serial_number", old: null, now: "SN2" },
          { field: "quantity", old: null, now: "3" },
          { field: "model", old: null, now: "X1" },
          { field: "location", old: null, now: "Hall A" },
        ],
        errors: [],
      },
      {
        line: 2,
        verdict: "new",
        ics_id: "ZZA000",
        changes: [
          { field: "serial_number", old: null, now: "SN3" },
          { field: "quantity", old: null, now: "1" },
          { field: "macs", old: null, now: "02:42:42:00:00:01, 02:42:42:00:00:02" },
          { field: "comments", old: null, now: "One\nTwo" },
        ],
        errors: [],
      },
      {
        line: 3,
        verdict: "change",
        ics_id: "AAA001",
        changes: [
          { field: "serial_number", old: "Old", now: "SN1" },
          { field: "status", old: null, now: "Used" },
        ],
        errors: [],
        warnings: [
          {
            field: "serial_number",
            message: "AAA001 has the serial number Old so far: check that the label is right",
          },
        ],
      },
      { applied: 3, refused: 0, change_set: expect.any(String) },
    ]);
    const { body } = await api(carol).get(ITEMS);
    expect(body.map((one: any) => [one.ics_id, one.serial_number, one.quantity, one.user])).toEqual(
      [
        ["AAA001", "SN1", 2, "bob"],
        ["AAA002", "SN2", 3, "bob"],
        ["ZZA000", "SN3", 1, "bob"],
      ],
    );
    expect(await shown("ZZA000")).toMatchObject({
      macs: ["02:42:42:00:00:01", "02:42:42:00:00:02"],
      comments: ["One", "Two"],
    });
    const { change_set } = JSON.parse(lines.at(-1)!);
    expect((await api(bob).post(`/changes/${change_set}/undo`, {})).status).toBe(201);
    expect(await total()).toBe("1");
    expect(await shown("AAA001")).toMatchObject({ serial_number: "Old", status: null });
  });

  test("writes nothing if a row is refused, and answers with an error status", async () => {
    const rows = [{ serial_number: "SN1" }, { serial_number: "SN2", status: "Lost" }, "{", "7"];
    const text = rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row)));
    const before = await everything();
    const answer = await imports(bob, `\n${text.join("\n")}\n`);
    expect(answer.status).toBe(422);
    expect(verdictsOf(answer).map(({ line }) => line)).toEqual([2, 3, 4, 5]);
    expect(inShort(answer)).toEqual([
      "new",
      ["status: 'Lost' is not a valid status"],
      ["row: This is not JSON"],
      ["row: Send a JSON object"],
    ]);
    expect(summaryOf(answer)).toEqual({ applied: 0, refused: 3, change_set: null });
    expect(await everything()).toBe(before);
  });

  test("applies only the valid rows with apply=good", async () => {
    const rows = [{ serial_number: "SN1" }, { serial_number: "SN2", status: "Lost" }];
    const answer = await imports(bob, rows, "?apply=good");
    expect(answer.status).toBe(200);
    expect(summaryOf(answer)).toMatchObject({ applied: 1, refused: 1 });
    expect(await total()).toBe("1");
    const none = await imports(bob, rows.slice(1), "?apply=good");
    expect([none.status, summaryOf(none).change_set]).toEqual([200, null]);
  });

  test("only reports the changes with dry_run=true", async () => {
    await anItem({ ics_id: "AAA001", quantity: 1 });
    const before = await everything();
    const rows = [{ ics_id: "AAA001", quantity: 2 }, { serial_number: "SN" }];
    const tried = await imports(bob, rows, "?dry_run=true");
    expect(tried.status).toBe(200);
    expect(inShort(tried)).toEqual(["change", "new"]);
    expect(verdictsOf(tried)[1].ics_id).toBeNull();
    expect(summaryOf(tried)).toEqual({ applied: 2, refused: 0, change_set: null });
    const refused = await imports(bob, [...rows, { quantity: 0 }], "?dry_run=true");
    expect([refused.status, summaryOf(refused).applied]).toEqual([422, 0]);
    expect(await everything()).toBe(before);
  });

  test("changes nothing when its own JSON or Excel export is imported", async () => {
    await inOrder([() => aLocation({ name: "Hall A" }), () => aLocation({ name: "Hall B" })]);
    const rack = await anItem({ ics_id: "AAA001", location: "Hall A", serial_number: "007" });
    const { id } = await anItem({ parent_id: rack.id, quantity: 4 });
    await api(bob).patch(`${ITEMS}/${id}`, { location: "Hall B" });
    await anItem({ parent_id: rack.id, location: null });
    await api(bob).post(`${ITEMS}/${id}/comments`, { body: "First\nof two lines" });
    await api(bob).post(`${ITEMS}/${id}/comments`, { body: "Second" });
    for (const address of ["024242000002", "024242000001"]) {
      await api(bob).post("/inventory/macs", { address, item_id: id });
    }
    const { body: records } = await api(bob).get(ITEMS);
    const own = await browser(bob);
    const file = await working(async () => {
      const { body } = await own.get(`${ITEMS}/_generate_excel_file`, JSON_ONLY);
      return fileAt(own, (await ended(own, body.id)).result!);
    });
    for (const [kind, rows] of Object.entries({ JSON: records, Excel: recordsOf(file) })) {
      const before = await everything();
      const answer = await imports(bob, rows);
      expect([answer.status, inShort(answer)], kind).toEqual([200, ["same", "same", "same"]]);
      expect(summaryOf(answer), kind).toEqual({ applied: 0, refused: 0, change_set: null });
      expect(await everything(), kind).toBe(before);
    }
  });

  test("is done once and answered again under its Idempotency-Key", async () => {
    const key = { "idempotency-key": "once" };
    const first = await imports(bob, [{ serial_number: "SN" }], "", key);
    const again = await imports(bob, [{ serial_number: "SN" }], "", key);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.text).toBe(first.text);
    expect(await total()).toBe("1");
    expect((await imports(bob, [{ serial_number: "Other" }], "", key)).status).toBe(422);
  });

  test("refuses an unknown column, and ignores columns that cannot be set", async () => {
    const row = { serial_number: "SN", colour: "red" };
    const { status, body } = await imports(bob, [{ serial_number: "SN" }, row], "?apply=good");
    expect([status, fieldsOf(body)]).toEqual([422, ["colour"]]);
    expect((await imports(bob, '{"serial_number":"SN","__proto__":1}')).status).toBe(422);
    const readOver = { id: 7, children: ["AAA009"], user: "eve", created_at: 1, history: [] };
    expect(inShort(await imports(bob, [{ serial_number: "SN", ...readOver }]))).toEqual(["new"]);
    expect(await shown("ZZA000")).toMatchObject({ user: "bob", children: [] });
  });

  test("refuses invalid input: nothing, too much, another type, meaningless parameters", async () => {
    for (const text of ["", "\n \n"]) {
      expect(fieldsOf((await imports(bob, text)).body)).toEqual(["rows"]);
    }
    const many = await imports(bob, '{"serial_number":"SN"}\n'.repeat(10_001));
    expect([many.status, many.body.message]).toEqual([
      422,
      "rows: Import at most 10,000 rows at once",
    ]);
    for (const type of ["application/json", "text/plain", ""]) {
      const other = await imports(bob, "{}", "", { "content-type": type });
      expect([type, other.status]).toEqual([type, 415]);
    }
    for (const query of ["?apply=some", "?apply=", "?apply=all&apply=good", "?apply=ALL"]) {
      const { status, body } = await imports(bob, [{ serial_number: "SN" }], query);
      expect([query, status, fieldsOf(body)]).toEqual([query, 422, ["apply"]]);
    }
    expect(await total()).toBe("0");
  });

  test("accepts larger bodies than other routes, up to a limit of its own", async () => {
    const padded = (size: number) => `{"serial_number":"SN"}${" ".repeat(size)}`;
    expect((await imports(bob, padded(3 * MIB))).status).toBe(200);
    const chunks = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < 65; sent += 1) controller.enqueue(Buffer.alloc(MIB, 32));
        controller.close();
      },
    });
    const headers = { "content-type": "application/x-ndjson" };
    const { status } = await api(bob).post(`${ITEMS}/import`, chunks, { headers });
    expect(status).toBe(413);
  });

  test("refuses a line that is too long, with its number", async () => {
    const long = `{"serial_number":"${"x".repeat(2 * MIB)}"}`;
    const answer = await imports(bob, `{"serial_number":"SN"}\n\n${long}\n`, "?apply=good");
    expect(inShort(answer)).toEqual(["new", ["row: Send at most 1 MiB on a line"]]);
    expect(verdictsOf(answer).map(({ line }) => line)).toEqual([1, 3]);
  });

  test("refuses invalid UTF-8, wherever it is", async () => {
    const text = Buffer.from(`{"serial_number":"SN"}\n${"\n".repeat(1_000)}{"serial_number":"ä"}`);
    const headers = { "content-type": "application/x-ndjson" };
    const { status, body } = await api(bob).post(`${ITEMS}/import`, text.subarray(0, -3), {
      headers,
    });
    expect([status, fieldsOf(body), body.detail]).toEqual([
      422,
      ["body"],
      "body: Send text in UTF-8",
    ]);
    expect(await total()).toBe("0");
  });

  test("recognises different rows under the same Idempotency-Key, however many there are", async () => {
    const blanks = Buffer.alloc(2 * MIB, " ");
    const rows = (serial: string) =>
      Buffer.concat([blanks, Buffer.from(`{"serial_number":"${serial}"}`)]);
    const headers = { "content-type": "application/x-ndjson", "idempotency-key": "rows" };
    const send = (serial: string) => api(bob).post(`${ITEMS}/import`, rows(serial), { headers });
    const [first, again, other] = [await send("SN1"), await send("SN1"), await send("SN2")];
    expect([first.status, again.text, other.status]).toEqual([200, first.text, 422]);
    expect(fieldsOf(other.body)).toEqual(["Idempotency-Key"]);
  });

  test("is allowed for those who may change items, and reads no rows of others", async () => {
    const text = '{"serial_number":"SN"}';
    expect((await imports(stranger, text)).status).toBe(401);
    for (const person of [carol, audrey, dave]) {
      expect((await imports(person, text)).status).toBe(403);
      expect((await imports(person, "{", "", { "content-type": "text/plain" })).status).toBe(403);
    }
    expect(await total()).toBe("0");
  });
});
