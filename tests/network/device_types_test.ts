import { describe, expect, test } from "bun:test";
import { aHost, alice, api, carol, dave, namesOf } from "../support/mod.ts";

const PATH = "/network/device_types";

describe("device types", () => {
  test("exist from the beginning, and more can be added", async () => {
    const { body } = await api(carol).get(PATH);
    expect(namesOf(body)).toEqual([
      "MTCA-AMC",
      "MTCA-IFC",
      "MTCA-MCH",
      "MTCA-RTM",
      "Network",
      "Physical",
      "PLC",
      "Virtual",
      "VME",
    ]);
    const made = await api(alice).post(PATH, { name: "Camera" });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({ id: made.body.id, name: "Camera" });
    expect((await api(alice).post(PATH, { name: "CAMERA" })).status).toBe(422);
    expect((await api(dave).post(PATH, { name: "Other" })).status).toBe(403);
  });

  test("are not deleted while hosts use them", async () => {
    const { body } = await api(alice).post(PATH, { name: "Camera" });
    const host = await aHost({ device_type: "camera" });
    expect(host.device_type).toBe("Camera");
    const { status, body: refusal } = await api(alice).delete(`${PATH}/${body.id}`);
    expect(status).toBe(422);
    expect(refusal.detail).toBe("id: This device type is in use by 1 host");
    await api(alice).delete(`/network/hosts/${host.id}`);
    expect((await api(dave).delete(`${PATH}/${body.id}`)).status).toBe(403);
    expect((await api(alice).delete(`${PATH}/${body.id}`)).status).toBe(204);
  });
});
