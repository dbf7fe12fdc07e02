// The resource `site field`: the definition of a field that records have on this site alone. What it defines is in store/site/.
import { Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import { site_fields } from "../../db/tables/inventory.ts";
import { type Caller, GROUPS, seesAll } from "../auth/auth.ts";
import { line, nullable, orNull, paragraph, TRUE_OR_FALSE } from "../input/shape.ts";
import * as fields from "../store/fields.ts";
import { resource } from "../store/resource.ts";
import type { DataRule } from "../store/rules.ts";
import { SITE_LOCK, SITE_TABLES, SITE_TYPES } from "../store/site/definitions.ts";

export const MOST_FIELDS = 50;
export const MOST_CHOICES = 100;

function oneOf(words: readonly string[]) {
  return Type.Union(
    words.map((word) => Type.Literal(word)),
    { description: `Use one of ${words.join(", ")}` },
  );
}

const RECORDS = Object.keys(SITE_TABLES);
const KEY = Type.String({
  pattern: "^[a-z][a-z0-9_]{0,39}$",
  description: "Use 1 to 40 of a-z, 0-9 and underscore, with a letter first",
});
const VARIABLE = Type.String({
  // Those of Ansible itself can run programs.
  pattern: "^(?!ansible_)[a-z_][a-z0-9_]{0,99}$",
  description: "Use a name such as cost_centre, which does not begin with ansible_",
});
const groups = { description: `Use any of ${GROUPS.join(", ")}` };
const GROUP_LIST = Type.Array(
  Type.Union(
    GROUPS.map((one) => Type.Literal(one)),
    groups,
  ),
  {
    maxItems: GROUPS.length,
    ...groups,
  },
);
const CHOICES = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: "^[^\\n\\r\\t,;=]+(=[^\\n\\r\\t]+)?$",
    description: "Use a value, or a value and what people read: A=Controlled area",
  }),
  { maxItems: MOST_CHOICES, description: `Use at most ${MOST_CHOICES} choices` },
);

/** More than this nobody finds in a form. */
const NOT_TOO_MANY: DataRule = {
  on: { site_fields: ["record"] },
  lock: SITE_LOCK,
  tellsOf: "its records",
  broken: (touched) => sql`
    select record from site_fields
    where record in (select record from site_fields where ${touched("site_fields", sql`id`)})
    group by record having count(*) > ${MOST_FIELDS}`,
  refuse: ({ record }) => ({
    field: "record",
    message: `The record ${record} has ${MOST_FIELDS} fields, the most there can be`,
  }),
};

/** Values that exist stay what they are. */
const FIXED_ONCE_USED: DataRule = {
  on: { site_fields: ["key", "type", "references"] },
  lock: SITE_LOCK,
  tellsOf: "its records",
  broken: (touched) => sql`
    select after ->> 'name' as record,
      case when before -> 'key' is distinct from after -> 'key' then 'key' else 'type' end as field
    from changes
    where change_set = current_setting('app.change_set')::bigint and table_name = 'site_fields' and action = 'update'
      and ${touched("site_fields", sql`row_id`)}
      and (before -> 'key', before -> 'type', before -> 'references')
        is distinct from (after -> 'key', after -> 'type', after -> 'references')
      and case before ->> 'record' ${sql.join(
        Object.entries(SITE_TABLES).map(
          ([record, table]) =>
            sql`when ${sql.raw(`'${record}'`)} then exists (select from ${sql.raw(table)} where site ? (before ->> 'key'))`,
        ),
        sql` `,
      )} end`,
  refuse: ({ field = "key" }) => ({ field, message: "Records have values of it already" }),
};

/** What finds records by the field would find others without it, or nothing. */
const NOT_NAMED: DataRule = {
  on: { site_fields: ["key"] },
  isOnDeletion: true,
  tellsOf: "its records",
  broken: (touched) => sql`
    with lost as (
      select before ->> 'name' as name, '\\m(site\\.)?' || (before ->> 'key') || '(__[a-z]+)?[:=]|site\\.' || (before ->> 'key') || '\\M' as pattern
      from changes
      where change_set = current_setting('app.change_set')::bigint and table_name = 'site_fields'
        and ${touched("site_fields", sql`row_id`)} and before is not null
        and before -> 'key' is distinct from after -> 'key'
    )
    select name as record, string_agg(by, ', ' order by by) as by from (
      select lost.name, 'the group ' || groups.name as by from lost join groups on groups.query ~ pattern
      union all select lost.name, case when shared then 'the view ' || searches.name else 'a view of ' || username end
        from lost join searches on searches.query ~ pattern join users on users.id = user_id
      union all select lost.name, 'the ' || subscriptions.kind || ' ' || subscriptions.name
        from lost join subscriptions on subscriptions.filters::text ~ pattern
    ) named
    group by name`,
  refuse: ({ by }) => ({ field: "key", message: `It is named by ${by}: change this first` }),
};

function isHiddenDefinition(caller: Caller): SQL {
  const groups = sql`recorded.state -> 'visible_to'`;
  return sql`not (${groups} = '[]' or ${groups} ?| ${sql.param(caller.groups)}::text[])`;
}

/** A word that must be chosen. */
function word<Name extends string>(label: string, words: readonly Name[], fixed: boolean) {
  const input = oneOf(words);
  return { ...fields.label({ label, input, required: true, fixed }), schema: input };
}

export const siteField = resource({
  noun: "site field",
  path: "/site_fields",
  table: site_fields,
  key: "name",
  standard: {
    lead: "What this site records beyond the fields that are built in",
    hasOwnPages: true,
  },
  editors: ["admin"],
  order: sql`site_fields.record, site_fields.position, lower(site_fields.label)`,
  visible: (caller) =>
    seesAll(caller)
      ? sql`true`
      : sql`(visible_to = '{}' or visible_to && ${sql.param(caller.groups)}::text[])`,
  fields: {
    name: fields.text({ label: "Name", search: "keyword" }),
    record: word("Record", RECORDS, true),
    key: fields.text({ label: "Key", input: KEY, required: true, search: "keyword" }),
    label: fields.text({ label: "Label", input: line(100), required: true }),
    help: fields.text({ label: "Help", input: nullable(paragraph(1_000)) }),
    type: word("Type", SITE_TYPES, false),
    unit: fields.line({ label: "Unit", longest: 30 }),
    choices: fields.list({ label: "Choices", input: CHOICES }),
    references: fields.text({ label: "Refers to", input: orNull(oneOf(RECORDS)) }),
    required: fields.boolean({ label: "Required", input: TRUE_OR_FALSE }),
    default: fields.line({ label: "Default", longest: 1_000 }),
    models: fields.list({
      label: "Models",
      input: Type.Array(line(100), { maxItems: 100, description: "Use at most 100 models" }),
    }),
    group: fields.line({ label: "Section", longest: 100 }),
    position: fields.integer({
      label: "Position",
      input: Type.Integer({ minimum: 0, maximum: 10_000, description: "Use 0 to 10000" }),
    }),
    editors: fields.list({ label: "Editors", input: GROUP_LIST }),
    visible_to: fields.list({ label: "Visible to", input: GROUP_LIST }),
    variable: fields.text({
      label: "Ansible variable",
      input: nullable(VARIABLE),
      search: "keyword",
    }),
    ...fields.stamps(),
  },
  rules: [NOT_TOO_MANY, FIXED_ONCE_USED, NOT_NAMED],
  history: { hidesChange: isHiddenDefinition },
});
