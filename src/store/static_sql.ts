// Statements consist of fragments that are mostly the same each time. Fragments without values are rendered once,
// because rendering them for each request costs more than the rest of the request.
import type { SQL } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { type Caller, limitedUser } from "../auth/auth.ts";
import { visibilityOf } from "../auth/visibility.ts";
import type { FieldSql, FieldsSql } from "./filters.ts";
import type { RecordQuery } from "./records.ts";

const MOST_CACHED = 100;

/** A query made once for all callers with the same visibility: of the caller, only whose search it is matters besides. */
export function cachedByVisibility<Row>(
  make: (caller: Caller) => RecordQuery<Row>,
): (caller: Caller) => RecordQuery<Row> {
  const cache = new Map<string, RecordQuery<Row>>();
  return (caller) => {
    const visibility = visibilityOf(caller);
    const query = cache.get(visibility) ?? precompiled(make(caller));
    if (cache.size >= MOST_CACHED) cache.clear();
    cache.set(visibility, query);
    return { ...query, document: { ...query.document, user: limitedUser(caller) } };
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
