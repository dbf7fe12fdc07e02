// Creates, reads and deletes network records as Alice.
import { expect } from "bun:test";
import { alice, api } from "./mod.ts";
import { latest } from "./undo.ts";

export async function aGroup(fields: object) {
  return (await api(alice).post("/network/groups", fields)).body;
}

export async function shown(path: string) {
  return (await api(alice).get(`/network/${path}`)).body;
}

/** Returns the change set of the deletion. */
export async function deleted(path: string): Promise<string> {
  expect((await api(alice).delete(`/network/${path}`)).status).toBe(204);
  return latest();
}
