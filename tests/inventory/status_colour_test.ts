import { describe, expect, test } from "bun:test";
import { reference } from "../support/api.ts";
import { api, aStatus, bob, carol, fieldsOf, namesOf } from "../support/mod.ts";
import { latest, undoing } from "../support/undo.ts";

const PATH = "/inventory/statuses";

describe("the colour of a status", () => {
  test("is one of a palette, or none", async () => {
    const { id, colour } = await aStatus({ name: "In use" });
    expect(colour).toBeNull();
    const blue = await api(bob).patch(`${PATH}/${id}`, { colour: "blue" });
    expect([blue.status, blue.body.colour]).toEqual([200, "blue"]);
    const unknown = await api(bob).patch(`${PATH}/${id}`, { colour: "crimson" });
    expect([unknown.status, fieldsOf(unknown.body)]).toEqual([422, ["colour"]]);
    expect(unknown.body.errors[0].message).toStartWith("Use grey, red, orange,");
    expect((await api(bob).patch(`${PATH}/${id}`, { colour: null })).body.colour).toBeNull();
  });

  test("filters and sorts the list, and is in the reference and in the history", async () => {
    const { id } = await aStatus({ name: "Spare", colour: "teal" });
    await aStatus({ name: "Broken" });
    const named = async (query: string) => namesOf((await api(carol).get(`${PATH}?${query}`)).body);
    expect(await named("colour=teal")).toEqual(["Spare"]);
    expect(await named("colour__isnull=true")).toEqual(["Broken"]);
    expect(await named("q=colour:teal")).toEqual(["Spare"]);
    expect(JSON.stringify((await reference()).paths[`/api/v1${PATH}`])).toContain('"violet"');
    await api(bob).patch(`${PATH}/${id}`, { colour: "pink" });
    const { body } = await api(carol).get("/changes?q=pink");
    expect(body[0].events[0]).toMatchObject({ table_name: "statuses", row_id: id });
  });

  test("is restored by undo", async () => {
    const { id } = await aStatus({ colour: "teal" });
    await api(bob).patch(`${PATH}/${id}`, { colour: null });
    expect((await undoing(await latest())).status).toBe(201);
    expect((await api(carol).get(`${PATH}/${id}`)).body.colour).toBe("teal");
  });

  test("is a field of statuses only", async () => {
    const { status, body } = await api(bob).post("/inventory/models", { name: "M", colour: "red" });
    expect([status, fieldsOf(body)]).toEqual([422, ["colour"]]);
  });
});
