// What the values of the fields of a site have to keep: see store/rules.ts.
import { sql } from "drizzle-orm";
import { type DataRule, NOT_POSSIBLE, type Touched } from "../rules.ts";
import { fixedKeys, hiddenKeys, SITE_TABLES, type SiteRecord } from "./definitions.ts";
import { nameColumnOf } from "./field.ts";

/** The rules for the values of a kind of record. */
export function siteRules(record: SiteRecord): DataRule[] {
  const table = SITE_TABLES[record];
  const name = sql.raw(`${table}.${nameColumnOf(table)}`);
  const on = { [table]: record === "item" ? ["site", "model_id"] : ["site"] };
  const isOfModel =
    record === "item"
      ? sql`(models = '{}' or exists (
          select from models model where model.id = items.model_id and model.name = any(site_fields.models)))`
      : sql`true`;
  const from = (touched: Touched) => sql`
    from ${sql.raw(table)} join site_fields on site_fields.record = ${record}
    where ${touched(table, sql`${sql.raw(table)}.id`)}`;
  return [
    {
      on,
      tellsOf: "its records",
      broken: (touched) => sql`
        select ${name} as record, key, label ${from(touched)}
          and required and ${isOfModel} and not ${sql.raw(table)}.site ? key`,
      refuse: ({ key }) => ({
        field: `site.${key}`,
        message: "This field is required",
        code: "required",
      }),
    },
    {
      on,
      tellsOf: "its records",
      broken: (touched) => sql`
        select ${name} as record, key, array_to_string(models, ', ') as models ${from(touched)}
          and ${sql.raw(table)}.site ? key and not ${isOfModel}`,
      refuse: ({ key, models = "" }) => ({
        field: `site.${key}`,
        message: `Only items of these models have it: ${models}`,
      }),
    },
    {
      on,
      tellsOf: "its records",
      // By whatever way: also by an undo. What is hidden is refused in words that betray nothing.
      broken: (touched, caller) => sql`
        select ${name} as record, key, not key = any(${sql.param(hiddenKeys(caller, table))}::text[]) as known
        from changes
          join ${sql.raw(table)} on ${sql.raw(table)}.id = row_id
          join site_fields on site_fields.record = ${record}
        where change_set = current_setting('app.change_set')::bigint and table_name = ${table}
          and ${touched(table, sql`row_id`)}
          and (before -> 'site' -> key) is distinct from (after -> 'site' -> key)
          and not (before is null and (after -> 'site' ->> key) is not distinct from "default")
          and key = any(${sql.param(fixedKeys(caller, table))}::text[])`,
      refuse: ({ key, known }) =>
        known
          ? { field: `site.${key}`, message: "You may not change this field", code: "not_editable" }
          : { field: "id", message: NOT_POSSIBLE },
    },
  ];
}
