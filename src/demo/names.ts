// The current names of attributes: some are renamed in the course of the year.
import { consoleCaller } from "../auth/auth.ts";
import { kindNamed } from "../inventory/attributes/attribute.ts";
import * as attributes from "../inventory/attributes/attributes.ts";

export type CurrentNames = ReturnType<typeof currentNames>;

const KINDS = ["manufacturer", "model", "location", "status"] as const;

export function currentNames() {
  const ids = new Map<string, number>();

  /** Replaces final names of attributes by current ones; other values stay. */
  async function now<Fields extends object>(fields: Fields): Promise<Fields> {
    const named = await Promise.all(
      Object.entries(fields).map(async ([field, value]) => [field, await called(field, value)]),
    );
    return Object.fromEntries(named);
  }

  async function called(field: string, value: unknown): Promise<unknown> {
    const kind = KINDS.find((one) => one === field);
    const id = ids.get(String(value));
    if (!kind || id === undefined) return value;
    const found = await attributes.find(consoleCaller, kindNamed(kind), id);
    return JSON.parse(found.json).name;
  }

  return { ids, now };
}
