// Statements are put together from parts that are the same each time. What has no values in it is written out
// once, because to do that for each request costs more than everything else that we do for one.
import type { SQL } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { type Caller, seesAll } from "../auth/auth.ts";
import type { Field, Fields } from "./filters.ts";
import type { Resource } from "./records.ts";

/** A resource made once for those who see all and once for the others: of a caller it knows nothing else. */
export function settled(make: (caller: Caller) => Resource): (caller: Caller) => Resource {
  const made = new Map<boolean, Resource>();
  return (caller) => {
    const known = made.get(seesAll(caller)) ?? writtenOut(make(caller));
    made.set(seesAll(caller), known);
    return known;
  };
}

function writtenOut(resource: Resource): Resource {
  const { from, id, version, order, fields, visible } = resource;
  const written = Object.entries(fields).map(([name, field]) => [name, ofField(field)]);
  return {
    ...resource,
    from: database.written(from),
    id: database.written(id),
    version: database.written(version),
    order: database.written(order),
    ...(visible && { visible: database.written(visible) }),
    fields: Object.fromEntries(written) as Fields,
  };
}

const PARTS = ["column", "shown", "nested", "absent", "among", "key", "keys"] as const;

function ofField(field: Field): Field {
  const parts = PARTS.flatMap((name): Array<[string, SQL]> => {
    const part = field[name];
    return part ? [[name, database.written(part)]] : [];
  });
  return { ...field, ...Object.fromEntries(parts) };
}
