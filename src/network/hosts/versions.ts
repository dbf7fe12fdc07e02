// A host as the fields of a form show it: now, and as somebody left it at an earlier version.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { Found } from "../../store/records.ts";

export const VALUES = ["name", "device_type", "is_ioc", "description", "automation_vars"] as const;

/** Texts, as they stand in the fields. */
export type Values = Record<(typeof VALUES)[number], string>;

export function valuesOf({ json }: Pick<Found, "json">): Values {
  const { name, device_type, is_ioc, description, automation_vars } = JSON.parse(json);
  return {
    name,
    device_type,
    is_ioc: String(is_ioc),
    description: description ?? "",
    automation_vars: writtenVars(automation_vars),
  };
}

/** Of a host that the caller may know of; undefined where nothing is known of that version. */
export async function valuesAt(id: number, version: number): Promise<Values | undefined> {
  const found = await database.row<{ json: string }>(sql`
    select json_build_object('name', after ->> 'name', 'is_ioc', after -> 'is_ioc',
      'description', after ->> 'description', 'automation_vars', after -> 'automation_vars',
      'device_type', coalesce(device_types.name,
        former_name('device_types', (after ->> 'device_type_id')::integer, 'name')))::text as json
    from changes left join device_types on device_types.id = (after ->> 'device_type_id')::integer
    where table_name = 'hosts' and row_id = ${id} and (after ->> 'version')::integer = ${version}
    order by changes.id desc limit 1`);
  return found && valuesOf(found);
}

/** One key on a line; nothing stands for no variables. */
export function writtenVars(vars: object): string {
  return Object.keys(vars).length === 0 ? "" : JSON.stringify(vars, null, 2);
}
