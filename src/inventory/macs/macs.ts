import { type Static, Type } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import { FOREIGN_KEY, Refused } from "../../../db/faults.ts";
import { macs } from "../../../db/tables/inventory.ts";
import type { Caller } from "../../auth/auth.ts";
import { invalid } from "../../input/errors.ts";
import { closed, KEY, MAC_ADDRESS, nullable, some } from "../../input/shape.ts";
import * as records from "../../store/records.ts";
import { lock, write } from "../../store/write.ts";
import { macDocument } from "./search_document.ts";

const fields = { address: MAC_ADDRESS, item_id: nullable(KEY) };

export const newMac = closed({ address: fields.address, item_id: Type.Optional(fields.item_id) });
export const changedMac = some(fields);
export const mac = Type.Object({
  id: Type.Integer(),
  address: Type.String(),
  item: Type.Union([Type.String(), Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description: "The item's ICS id",
  }),
});

export const resource: records.Resource = {
  from: sql`macs left join items on items.id = macs.item_id`,
  id: sql`macs.id`,
  version: sql`macs.version`,
  fields: {
    id: { kind: "integer", column: sql`macs.id` },
    address: { kind: "mac", column: sql`macs.address` },
    item: {
      kind: "code",
      column: sql`items.ics_id`,
      nested: sql`case when items.id is not null then json_build_object(
        'id', items.id, 'ics_id', items.ics_id, 'serial_number', items.serial_number, 'quantity', items.quantity) end`,
    },
    item_id: { kind: "integer", column: sql`macs.item_id`, hidden: true },
  },
  document: macDocument,
  order: sql`macs.address`,
};

export function list(_caller: Caller, params: URLSearchParams): Promise<records.Listed> {
  return records.list(resource, params);
}

export function find(caller: Caller, id: number, isRecursive = false): Promise<records.Found> {
  return read(caller, id, { isRecursive });
}

export async function create(caller: Caller, input: Static<typeof newMac>): Promise<records.Found> {
  return knownItem(input.item_id, () =>
    write(caller, async (tx) => {
      const [made] = await tx.insert(macs).values(input).returning({ id: macs.id });
      return read(caller, made?.id ?? 0, { tx });
    }),
  );
}

export async function update(
  caller: Caller,
  id: number,
  input: Static<typeof changedMac>,
): Promise<records.Found> {
  return knownItem(input.item_id, () =>
    write(caller, async (tx) => {
      await lock(tx, caller, { table: macs, id });
      await tx.update(macs).set(input).where(eq(macs.id, id));
      return read(caller, id, { tx });
    }),
  );
}

export async function remove(caller: Caller, id: number): Promise<void> {
  await write(caller, async (tx) => {
    await lock(tx, caller, { table: macs, id });
    await tx.delete(macs).where(eq(macs.id, id));
  });
}

/** The reference decides whether there is such an item, not a look beforehand. */
async function knownItem<T>(item: number | null | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof Refused && fault.code === FOREIGN_KEY) {
      throw invalid("item_id", `There is no item ${item}`);
    }
    throw fault;
  }
}

function read(
  caller: Caller,
  id: number,
  { tx, isRecursive = records.nests(caller) }: records.Reading,
): Promise<records.Found> {
  return records.find({ ...resource, isRecursive }, sql`macs.id = ${id}`, tx);
}
