// Statements consist of fragments that are mostly the same each time. Fragments without values are rendered once,
// because rendering them for each request costs more than the rest of the request.
import type { SQL } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { type Caller, seesAll } from "../auth/auth.ts";
import type { FieldSql, FieldsSql } from "./filters.ts";
import type { RecordQuery } from "./records.ts";

/** A query made once for callers who see everything and once for the others: nothing else of the caller matters. */
export function cachedByVisibility<Row>(
  make: (caller: Caller) => RecordQuery<Row>,
): (caller: Caller) => RecordQuery<Row> {
  const cache = new Map<boolean, RecordQuery<Row>>();
  return (caller) => {
    const query = cache.get(seesAll(caller)) ?? precompiled(make(caller));
    cache.set(seesAll(caller), query);
    return query;
  };
}

function precompiled<Row>(resource: RecordQuery<Row>): RecordQuery<Row> {
  const { from, joins, id, version, order, fields, visible } = resource;
  const written = Object.entries(fields).map(([name, field]) => [name, ofField(field)]);
  return {
    ...resource,
    from: database.precompile(from),
    joins: database.precompile(joins),
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
