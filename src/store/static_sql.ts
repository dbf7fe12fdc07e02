// Statements are put together from parts that are the same each time. What has no values in it is written out
// once, because to do that for each request costs more than everything else that we do for one.
import type { SQL } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { type Caller, seesAll } from "../auth/auth.ts";
import type { FieldSql, FieldsSql } from "./filters.ts";
import type { RecordQuery } from "./records.ts";

/** A resource made once for those who see all and once for the others: of a caller it knows nothing else. */
export function settled<Row>(
  make: (caller: Caller) => RecordQuery<Row>,
): (caller: Caller) => RecordQuery<Row> {
  const made = new Map<boolean, RecordQuery<Row>>();
  return (caller) => {
    const known = made.get(seesAll(caller)) ?? precompiled(make(caller));
    made.set(seesAll(caller), known);
    return known;
  };
}

export function precompiled<Row>(resource: RecordQuery<Row>): RecordQuery<Row> {
  const { from, id, version, order, fields, visible } = resource;
  const written = Object.entries(fields).map(([name, field]) => [name, ofField(field)]);
  return {
    ...resource,
    from: database.precompile(from),
    id: database.precompile(id),
    version: database.precompile(version),
    order: database.precompile(order),
    ...(visible && { visible: database.precompile(visible) }),
    fields: Object.fromEntries(written) as FieldsSql,
  };
}

const PARTS = ["column", "shown", "nested", "absent", "among", "key", "keys"] as const;

function ofField(field: FieldSql): FieldSql {
  const parts = PARTS.flatMap((name): Array<[string, SQL]> => {
    const part = field[name];
    return part ? [[name, database.precompile(part)]] : [];
  });
  return { ...field, ...Object.fromEntries(parts) };
}
