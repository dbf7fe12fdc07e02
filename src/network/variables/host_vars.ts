// The variables of a host for Ansible: its own, and those that fields of the site give it. Its own come first.
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { recordQuery } from "../../store/resource.ts";
import { definitionsFor, SITE_FIELD } from "../../store/site/definitions.ts";
import { host } from "../hosts/host.ts";

/** An expression about a row of `hosts`; the caller sees no variable of a field that he may not know of. */
export function ownVars(caller: Caller): SQL {
  const { fields } = recordQuery(host, caller);
  const given = definitionsFor(caller, "hosts").flatMap(({ key, variable }) => {
    const field = fields[`${SITE_FIELD}.${key}`];
    return variable && field ? [sql`${variable}::text, ${field.recordValue ?? field.column}`] : [];
  });
  const own = sql`hosts.automation_vars`;
  if (given.length === 0) return own;
  return sql`(jsonb_strip_nulls(jsonb_build_object(${sql.join(given, sql`, `)})) || ${own})`;
}
