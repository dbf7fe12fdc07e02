// What kinds of devices hosts are: data, so that a site adds its own.
import { type Static, Type } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import { device_types } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { closed, line } from "../../input/shape.ts";
import * as records from "../../store/records.ts";
import { lock, type Transaction, write } from "../../store/write.ts";
import { removeUnused } from "../common/remove_unused.ts";
import { deviceTypeDocument } from "./search_document.ts";

export const newDeviceType = closed({ name: line(50) });
export const deviceType = Type.Object({ id: Type.Integer(), name: Type.String() });

export const resource: records.Resource = {
  from: sql`device_types`,
  id: sql`device_types.id`,
  version: sql`device_types.version`,
  fields: {
    id: { kind: "integer", column: sql`device_types.id` },
    name: { kind: "name", column: sql`device_types.name` },
  },
  document: deviceTypeDocument,
  order: sql`lower(device_types.name)`,
};

export function list(_caller: Caller, params: URLSearchParams): Promise<records.Listed> {
  return records.list(resource, params);
}

export function find(_caller: Caller, id: number): Promise<records.Found> {
  return read(id);
}

export function create(
  caller: Caller,
  input: Static<typeof newDeviceType>,
): Promise<records.Found> {
  return write(caller, async (tx) => {
    const [made] = await tx.insert(device_types).values(input).returning({ id: device_types.id });
    return read(made?.id ?? 0, tx);
  });
}

export function remove(caller: Caller, id: number): Promise<void> {
  const uses = [{ noun: "host", from: sql`hosts where device_type_id = ${id}` }];
  return removeUnused({ called: "device type", uses }, () =>
    write(caller, async (tx) => {
      await lock(tx, caller, { table: device_types, id });
      await tx.delete(device_types).where(eq(device_types.id, id));
    }),
  );
}

function read(id: number, tx?: Transaction): Promise<records.Found> {
  return records.find(resource, sql`device_types.id = ${id}`, tx);
}
