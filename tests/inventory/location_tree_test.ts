import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { concurrently } from "../support/concurrently.ts";
import { aLocation, alice, anItem, api, bob, carol, fieldsOf, namesOf } from "../support/mod.ts";
import { latest, undoing } from "../support/undo.ts";

setDefaultTimeout(120_000);

const PATH = "/inventory/locations";

/** A building, a hall in the building, and a rack in the hall. */
async function aBuilding() {
  const building = await aLocation({ name: "Building A" });
  const hall = await aLocation({ name: "Hall 1", parent: "building a" });
  const rack = await aLocation({ name: "Rack 7", parent: "Hall 1" });
  await aLocation({ name: "Yard" });
  return { building, hall, rack };
}

async function namesIn(query: string): Promise<string[]> {
  return namesOf((await api(carol).get(`${PATH}?${query}`)).body);
}

describe("a location", () => {
  test("has the name of its parent, or null", async () => {
    const { building, hall } = await aBuilding();
    expect([building.parent, hall.parent]).toEqual([null, "Building A"]);
    const whole = await api(carol).get(`${PATH}/${hall.id}?recursive=true`);
    expect(whole.body.parent).toEqual({ id: building.id, name: "Building A", description: null });
    const moved = await api(bob).patch(`${PATH}/${hall.id}`, { parent: null });
    expect([moved.status, moved.body.parent]).toEqual([200, null]);
  });

  test("is filtered by its parent, and by any location that contains it", async () => {
    const { building } = await aBuilding();
    expect(await namesIn("parent=Building+A")).toEqual(["Hall 1"]);
    expect(await namesIn(`parent_id=${building.id}`)).toEqual(["Hall 1"]);
    expect(await namesIn("parent__isnull=true")).toEqual(["Building A", "Yard"]);
    expect(await namesIn("parent__under=building+a")).toEqual(["Hall 1", "Rack 7"]);
    expect(await namesIn("parent__under=Hall+1&parent__under=Yard")).toEqual(["Rack 7"]);
    expect(await namesIn("parent__under=Nowhere")).toEqual([]);
    expect(await namesIn("q=parent:%22Hall+1%22")).toEqual(["Rack 7"]);
  });

  test("is not inside of a location that does not exist", async () => {
    const { status, body } = await api(bob).post(PATH, { name: "Rack 8", parent: "Nowhere" });
    expect(status).toBe(422);
    expect(fieldsOf(body)).toEqual(["parent"]);
  });

  test("is not inside of itself or of a location within it", async () => {
    const { building, rack } = await aBuilding();
    for (const parent of ["Building A", "Hall 1", "Rack 7"]) {
      const { status, body } = await api(bob).patch(`${PATH}/${building.id}`, { parent });
      expect([parent, status, body.errors]).toEqual([
        parent,
        422,
        [
          {
            field: "parent",
            message: "A location cannot be inside of itself or of a location within it",
          },
        ],
      ]);
    }
    expect((await api(bob).patch(`${PATH}/${rack.id}`, { parent: "Building A" })).status).toBe(200);
  });

  test("is not deleted while others are inside of it", async () => {
    const { building } = await aBuilding();
    const { status, body } = await api(alice).delete(`${PATH}/${building.id}`);
    expect([status, body.errors[0].message]).toEqual([
      422,
      "This location is in use by 1 location",
    ]);
  });

  test("is in no circle after several were moved at once", async () => {
    for (let round = 0; round < 6; round += 1) {
      const names = ["One", "Two", "Three"].map((name) => `${name} ${round}`);
      const made = await Promise.all(names.map((name) => aLocation({ name })));
      const answers = await concurrently(12, (number) =>
        api(number % 2 ? alice : bob).patch(`${PATH}/${made[number % 3]!.id}`, {
          parent: names[(number + 1) % 3],
        }),
      );
      expect(answers.filter(({ status }) => ![200, 422].includes(status))).toEqual([]);
      // A circle has no record without a parent.
      expect(await namesIn(`parent__isnull=true&name__contains=+${round}`)).not.toEqual([]);
    }
  });

  test("returns to its former parent by undo, unless that makes a circle", async () => {
    const { hall, rack } = await aBuilding();
    await api(bob).patch(`${PATH}/${rack.id}`, { parent: "Building A" });
    const move = await latest();
    const { body } = await api(carol).get(`/changes/${move}`);
    expect(body.events[0].differences).toEqual([
      { field: "parent", old: "Hall 1", now: "Building A" },
    ]);
    await api(bob).patch(`${PATH}/${hall.id}`, { parent: "Rack 7" });
    const refused = await undoing(move);
    expect([refused.status, refused.body.errors[0].message]).toEqual([
      422,
      "Rack 7: A location cannot be inside of itself or of a location within it",
    ]);
    await api(bob).patch(`${PATH}/${hall.id}`, { parent: "Building A" });
    expect((await undoing(move)).status).toBe(201);
    expect((await api(carol).get(`${PATH}/${rack.id}`)).body.parent).toBe("Hall 1");
  });
});

describe("an item", () => {
  test("is found in its location and in every location that contains it", async () => {
    await aBuilding();
    await anItem({ ics_id: "AAA001", location: "Rack 7" });
    await anItem({ ics_id: "AAA002", location: "Building A" });
    await anItem({ ics_id: "AAA003", location: "Yard" });
    const found = async (query: string) =>
      (await api(carol).get(`/inventory/items?sort=ics_id&${query}`)).body.map(
        ({ ics_id }: { ics_id: string }) => ics_id,
      );
    expect(await found("location=Building+A")).toEqual(["AAA002"]);
    expect(await found("location__under=Building+A")).toEqual(["AAA001", "AAA002"]);
    expect(await found("location__under=hall+1")).toEqual(["AAA001"]);
    expect(await found("location__under=Yard&location__under=Hall+1")).toEqual([
      "AAA001",
      "AAA003",
    ]);
  });

  test("is found in every item that contains it", async () => {
    const crate = await anItem({ ics_id: "AAA001" });
    const card = await anItem({ ics_id: "AAA002", parent_id: crate.id });
    await anItem({ ics_id: "AAA003", parent_id: card.id });
    const { body } = await api(carol).get("/inventory/items?sort=ics_id&parent__under=aaa001");
    expect(body.map(({ ics_id }: { ics_id: string }) => ics_id)).toEqual(["AAA002", "AAA003"]);
    const none = await api(carol).get("/inventory/items?manufacturer__under=x");
    expect(none.status).toBe(422);
  });
});
