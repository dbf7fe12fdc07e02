import { describe, expect, test } from "bun:test";
import { aHost, aLocation, anItem, api, bob } from "../support/mod.ts";

describe("all errors of an item", () => {
  test("are reported together when it is created", async () => {
    await anItem({ ics_id: "AAA001" });
    const { status, body } = await api(bob).post("/inventory/items", {
      serial_number: "S",
      ics_id: "AAA001",
      manufacturer: "Nobody",
      location: "Nowhere",
      parent_id: 999_999,
      host_id: 999_999,
    });
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      { field: "parent_id", message: "There is no item 999999" },
      { field: "manufacturer", message: "'Nobody' is not a valid manufacturer" },
      { field: "location", message: "'Nowhere' is not a valid location" },
      { field: "ics_id", message: "This id is taken" },
      { field: "host_id", message: "There is no host 999999" },
    ]);
  });

  test("are reported together when it is changed", async () => {
    await aLocation({ name: "Hall A" });
    const { id: host_id } = await aHost({ device_type: "Network" });
    await anItem({ ics_id: "AAA001", host_id, stack_member: 1 });
    await anItem({ ics_id: "AAA002" });
    const { status, body } = await api(bob).patch("/inventory/items/AAA002", {
      ics_id: "AAA003",
      parent: "AAA002",
      location: "Hall A",
      status: "Unheard of",
      host_id,
      stack_member: 1,
    });
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      { field: "ics_id", message: "The label AAA002 is not temporary and cannot be changed" },
      {
        field: "parent",
        message: "An item cannot be inside itself or its own contents",
      },
      { field: "status", message: "'Unheard of' is not a valid status" },
      { field: "stack_member", message: "This stack member is taken" },
    ]);
    expect((await api(bob).get("/inventory/items/AAA002")).body.location).toBeNull();
  });
});
