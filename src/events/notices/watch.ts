// The resource `watch`: a record, or a saved search, whose changes its user learns of by mail and by feeds.
import { Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import { watches } from "../../../db/tables/notices.ts";
import type { Caller } from "../../auth/auth.ts";
import { closed, KEY } from "../../input/shape.ts";
import { resources } from "../../resources.ts";
import * as fields from "../../store/fields.ts";
import { type RowOf, resource } from "../../store/resource.ts";

/** Records with pages. */
export const WATCHED = resources.filter(({ page }) => page !== undefined);
const TABLES = WATCHED.map(({ name }) => name);

/** When a mail is sent; none for feeds alone. */
export const MAIL = ["at_once", "daily", "none"] as const;
export type MailChoice = (typeof MAIL)[number];
export const DEFAULT_MAIL: MailChoice = "daily";

const mailRule = { description: `Use one of ${MAIL.join(", ")}` };
const mail = Type.Union(
  MAIL.map((one) => Type.Literal(one)),
  mailRule,
);
const table_name = Type.Union(
  TABLES.map((one) => Type.Literal(one)),
  { description: `Use one of ${TABLES.join(", ")}`, title: "Kind" },
);

export const newWatch = closed({
  table_name: Type.Optional(table_name),
  row_id: Type.Optional({ ...KEY, title: "Record" }),
  search_id: Type.Optional({ ...KEY, title: "Saved search, instead of a record" }),
  mail: Type.Optional(mail),
});
export const changedWatch = closed({ mail });

export const watch = resource({
  noun: "watch",
  plural: "watches",
  path: "/user/watches",
  table: watches,
  key: "name",
  // Users manage their own watches: see src/api/user/watches.ts.
  editors: [],
  order: sql`watches.created_at`,
  version: () => sql`1`,
  // Names of records are those that the caller sees.
  isPersonal: true,
  fields: {
    name: shownName(),
    table_name: fields.choice({ label: "Kind", input: table_name }),
    row_id: fields.integer({ label: "Record", nullable: true }),
    search_id: fields.integer({ label: "Saved search", nullable: true }),
    mail: fields.choice({ label: "Mail", input: mail }),
    created_at: fields.time({ label: "Since" }),
  },
  internal: ["user_id", "mailed_up_to"],
});

export type Watch = RowOf<typeof watch>;

/** The present name; of what is gone, or is not visible any more, the name that its user saw last. */
function shownName() {
  const field = fields.text({ label: "Name", input: Type.String(), search: "none" });
  return {
    ...field,
    query: ({ name, caller }: fields.FieldContext) => ({
      // The names of records have several collations.
      [name]: {
        kind: "text" as const,
        column: sql`(coalesce(${nameNow(caller)}, watches.name) collate "default")`,
      },
    }),
  };
}

function nameNow(caller: Caller): SQL {
  const cases = WATCHED.map(
    (one) => sql`when ${sql.raw(`'${one.name}'`)} then ${nameIn(one, caller, sql`watches.row_id`)}`,
  );
  return sql`case when search_id is not null
    then (select searches.name from searches where searches.id = watches.search_id
      and (searches.user_id = watches.user_id or shared))
    else case table_name ${sql.join(cases, sql` `)} end end`;
}

/** The name of a record that the caller sees, as a subselect. */
export function nameIn(
  { name, key, visible }: (typeof WATCHED)[number],
  caller: Caller,
  id: SQL,
): SQL {
  const table = sql.identifier(name);
  return sql`(select ${table}.${sql.identifier(key)}::text from ${table}
    where ${table}.id = ${id} and ${visible?.(caller) ?? sql`true`})`;
}
