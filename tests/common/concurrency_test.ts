import { describe, expect, test } from "bun:test";
import { concurrently, counted } from "../support/concurrently.ts";
import { changes } from "../support/history.ts";
import { aLocation, alice, api, bob, namesOf, service } from "../support/mod.ts";

const PATH = "/inventory/locations";

describe("concurrent requests", () => {
  test("of thirty-two creates with one name one succeeds, and the rest report that it is taken", async () => {
    const answers = await concurrently(32, (number) =>
      api(number % 2 ? alice : bob).post(PATH, { name: number % 3 ? "Hall" : "HALL" }),
    );
    expect(counted(answers)).toEqual({ 201: 1, 422: 31 });
    expect((await api(bob).get(PATH)).body).toHaveLength(1);
    expect(await changes()).toHaveLength(1);
  });

  test("one after the other use a connection that is warm", async () => {
    await concurrently(12, (number) => api(bob).post(PATH, { name: `Hall ${number}` }));
    const { sql } = await service();
    const [{ since }] = await sql`select clock_timestamp()::text as since`;
    for (let number = 0; number < 8; number += 1) {
      await api(bob).post(PATH, { name: `Room ${number}` });
    }
    const used = await sql`select pid from pg_stat_activity
      where state_change >= ${since}::timestamptz and lower(query) = 'commit' and datname = current_database()`;
    expect(used.length).toBeLessThan(4);
  });

  test("that only read do not wait for those that write and wait for a lock", async () => {
    const { sql } = await service();
    const writing = await sql.begin(async (tx) => {
      await tx`lock table locations in share row exclusive mode`;
      const started = concurrently(12, (number) => api(bob).post(PATH, { name: `Hall ${number}` }));
      const blocked = async () =>
        (await tx`select from pg_locks where not granted and relation = 'locations'::regclass`)
          .length;
      while ((await blocked()) < 4) await Bun.sleep(5);
      const read = await Promise.all(Array.from({ length: 12 }, () => api(bob).get(PATH)));
      expect(counted(read)).toEqual({ 200: 12 });
      return { started };
    });
    expect(counted(await writing.started)).toEqual({ 201: 12 });
  });

  test("forty different names are all created", async () => {
    const answers = await concurrently(40, (number) =>
      api(bob).post(PATH, { name: `Hall ${number}` }),
    );
    expect(counted(answers)).toEqual({ 201: 40 });
    const { headers } = await api(bob).get(PATH);
    expect(headers.get("x-total-count")).toBe("40");
    const sets = (await changes()).map(({ change_set }) => change_set);
    expect(new Set(sets).size).toBe(40);
  });

  test("of sixteen renames to one name one succeeds", async () => {
    const made = await concurrently(16, (number) =>
      api(bob).post(PATH, { name: `Hall ${number}` }),
    );
    const answers = await concurrently(16, (number) =>
      api(bob).patch(`${PATH}/${made[number]!.body.id}`, { name: "The hall" }),
    );
    expect(counted(answers)).toEqual({ 200: 1, 422: 15 });
  });

  test("two that swap two names are both refused or wait, and nothing breaks", async () => {
    const one = await aLocation({ name: "One" });
    const two = await aLocation({ name: "Two" });
    const answers = await concurrently(20, (number) =>
      number % 2
        ? api(bob).patch(`${PATH}/${one.id}`, { name: "Two" })
        : api(bob).patch(`${PATH}/${two.id}`, { name: "One" }),
    );
    expect(counted(answers)).toEqual({ 422: 20 });
    expect(namesOf((await api(bob).get(PATH)).body)).toEqual(["One", "Two"]);
  });

  test("of sixteen deletions of one record one succeeds", async () => {
    const { id } = await aLocation();
    const answers = await concurrently(16, () => api(alice).delete(`${PATH}/${id}`));
    expect(counted(answers)).toEqual({ 204: 1, 404: 15 });
  });

  test("changes of one record are applied one after the other, each with its version", async () => {
    const { id } = await aLocation();
    const answers = await concurrently(20, (number) =>
      api(bob).patch(`${PATH}/${id}`, { description: `Number ${number}` }),
    );
    expect(counted(answers)).toEqual({ 200: 20 });
    const versions = (await changes()).map(({ after }) => after.version);
    expect(versions).toEqual(Array.from({ length: 21 }, (_, number) => number + 1));
  });

  test("a record is not deleted while an item starts to use it", async () => {
    const { sql } = await service();
    for (let round = 0; round < 5; round += 1) {
      const { id } = await aLocation();
      const ics_id = `AAA00${round}`;
      const [removed] = await Promise.all([
        api(alice).delete(`${PATH}/${id}`),
        sql`insert into items (ics_id, serial_number, location_id) values (${ics_id}, 'x', ${id})`.catch(
          () => undefined,
        ),
      ]);
      const [used] = await sql`select location_id from items where ics_id = ${ics_id}`;
      expect(removed.status, `round ${round}`).toBe(used ? 422 : 204);
    }
  });
});
