// Records for tests that need some, made through the front door with what a person would give.
import { api } from "./api.ts";
import { alice, PASSWORD } from "./cast.ts";

let made = 0;

function number(): number {
  made += 1;
  return made;
}

export function aManufacturer(fields: object = {}) {
  return create("/inventory/manufacturers", { name: `Manufacturer ${number()}`, ...fields });
}

export function aModel(fields: object = {}) {
  return create("/inventory/models", { name: `Model ${number()}`, ...fields });
}

export function aLocation(fields: object = {}) {
  return create("/inventory/locations", { name: `Location ${number()}`, ...fields });
}

export function aStatus(fields: object = {}) {
  return create("/inventory/statuses", { name: `Status ${number()}`, ...fields });
}

export function aUser(fields: object = {}) {
  return create("/user/users", { username: `user${number()}`, password: PASSWORD, ...fields });
}

export function anItem(fields: object = {}) {
  return create("/inventory/items", { serial_number: `SN${number()}`, ...fields });
}

/** In the order in which they are named. */
export async function inOrder<T>(makers: Array<() => Promise<T>>): Promise<T[]> {
  const records: T[] = [];
  for (const make of makers) records.push(await make());
  return records;
}

async function create(path: string, fields: object) {
  const { status, body } = await api(alice).post(path, fields);
  if (status !== 201) throw new Error(`${path} was not made: ${JSON.stringify(body)}`);
  return body;
}
