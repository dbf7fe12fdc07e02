import { describe, expect, test } from "bun:test";
import { allChecks } from "../support/checks.ts";
import { concurrently } from "../support/concurrently.ts";
import { imports, inShort, summaryOf, verdictsOf } from "../support/imports.ts";
import { aLocation, anItem, api, aStatus, bob, carol, service } from "../support/mod.ts";

const ITEMS = "/inventory/items";

async function total(query = ""): Promise<number> {
  const { headers } = await api(carol).get(`${ITEMS}?per_page=1${query}`);
  return Number(headers.get("x-total-count"));
}

/** The n-th of the ids that begin with a letter. */
function label(letter: string, number: number): string {
  const digits = String(number % 1_000).padStart(3, "0");
  return `${letter}A${String.fromCharCode(65 + Math.floor(number / 1_000))}${digits}`;
}

describe("concurrent imports", () => {
  test("never assign one temporary id twice, to each other or to created items", async () => {
    const answers = await concurrently(40, (number) =>
      number % 4 === 0
        ? api(bob).post(ITEMS, { serial_number: "SN" })
        : imports(bob, [{ serial_number: "One" }, { serial_number: "Two" }]),
    );
    const ids = answers.flatMap((answer) =>
      answer.status === 201 ? [answer.body.ics_id] : verdictsOf(answer).map((one) => one.ics_id),
    );
    expect(ids.toSorted()).toEqual(
      Array.from({ length: 70 }, (_, number) => label("Z", number).replace("ZAA", "ZZA")),
    );
    expect(await total()).toBe(70);
  }, 120_000);

  test("of the same new item create it once; the later ones find it", async () => {
    const rows = [{ ics_id: "AAA001", serial_number: "SN" }];
    const answers = await concurrently(6, () => imports(bob, rows));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(answers.map((one) => inShort(one)[0]).toSorted()).toEqual(
      ["new", ...Array(5).fill("same")].toSorted(),
    );
    expect(await total()).toBe(1);
  });

  test("and other writes to the same records end with a result for each row, never with a 500", async () => {
    for (let round = 0; round < 4; round += 1) {
      const ics_id = label("B", round);
      const address = `02424200000${round}`;
      const place = await aLocation();
      const both = [
        { ics_id, serial_number: "SN", macs: address, location: place.name },
        { serial_number: "Other" },
      ];
      const writes = [
        () => imports(bob, both),
        () => imports(bob, both),
        () => api(bob).post(ITEMS, { ics_id, serial_number: "SN" }),
        () => api(bob).post("/inventory/macs", { address }),
        () => api(bob).send("DELETE", `/inventory/locations/${place.id}`),
      ];
      const answers = await concurrently(writes.length, (at) => writes[at]!());
      for (const { status } of answers)
        expect([200, 201, 403, 422], `round ${round}`).toContain(status);
      expect(await total(`&ics_id=${ics_id}`), `round ${round}`).toBe(1);
    }
  });

  test("that violate a constraint name the row", async () => {
    const { sql } = await service();
    // An open transaction: its changes are not visible until it commits.
    const other = await sql.reserve();
    await other`begin`;
    await other`insert into items (ics_id, serial_number) values ('AAA002', 'SN')`;
    await other`insert into macs (address) values ('02:42:42:00:00:09')`;
    const waiting = imports(bob, [
      { ics_id: "AAA001", serial_number: "SN" },
      { ics_id: "AAA002", serial_number: "Mine", macs: "024242000009" },
    ]);
    await Bun.sleep(300);
    await other`commit`;
    other.release();
    const answer = await waiting;
    expect([answer.status, inShort(answer)]).toEqual([200, ["new", "change"]]);
    expect((await api(carol).get(`${ITEMS}/AAA002`)).body).toMatchObject({
      serial_number: "Mine",
      macs: ["02:42:42:00:00:09"],
    });
  });
});

describe.skipIf(!allChecks)("ten thousand rows", () => {
  test("are checked, applied, found unchanged and undone, each in time", async () => {
    await aLocation({ name: "Hall A" });
    await aStatus({ name: "Used" });
    await anItem({ ics_id: "RAC001", location: "Hall A" });
    // A hundred in each of a hundred crates, the crates in a rack.
    const rows = Array.from({ length: 10_000 }, (_, number) => ({
      ics_id: label("B", number),
      serial_number: `SN${number}`,
      status: "Used",
      parent: number % 100 === 0 ? "RAC001" : label("B", number - (number % 100)),
      comments: number % 10 === 0 ? "Delivered" : null,
    }));
    const checked = await timed("check", () => imports(bob, rows, "?dry_run=true"));
    expect(summaryOf(checked)).toMatchObject({ applied: 10_000, refused: 0 });
    const made = summaryOf(await timed("apply", () => imports(bob, rows)));
    expect(made).toMatchObject({ applied: 10_000, refused: 0 });
    expect(await total("&location=Hall A&status=Used")).toBe(10_000);
    const again = await timed("find unchanged", () => imports(bob, rows));
    expect(summaryOf(again)).toEqual({ applied: 0, refused: 0, change_set: null });
    await timed("undo", () => api(bob).post(`/changes/${made.change_set}/undo`, {}));
    expect(await total()).toBe(1);
  }, 180_000);
});

/** A request that timed out has changed nothing and is sent again, since the machine may be busy. */
async function timed(what: string, work: () => ReturnType<typeof imports>, tries = 3) {
  const begun = performance.now();
  const answer = await work();
  console.log(`${what} 10,000 rows: ${Math.round(performance.now() - begun)} ms`);
  if (answer.status === 503 && tries > 1) return timed(what, work, tries - 1);
  expect([what, answer.status < 300]).toEqual([what, true]);
  return answer;
}
