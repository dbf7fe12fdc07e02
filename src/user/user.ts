// The resource `user`: a username and groups that decide what the user may do. Passwords are not a field: they are
// never read back.
import { Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import { users } from "../../db/tables/user.ts";
import { type Caller, GROUPS, seesAll } from "../auth/auth.ts";
import { line, nullable } from "../input/shape.ts";
import * as fields from "../store/fields.ts";
import { type RowOf, resource } from "../store/resource.ts";

const USERNAME = Type.String({
  pattern: "^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$",
  description: "Use 1 to 64 of a-z, 0-9, dot, hyphen and underscore",
});
const EMAIL = Type.String({
  maxLength: 254,
  pattern: "^[^@\\s]+@[^@\\s]+$",
  description: "Use an address such as alice@example.org",
});
const groupRule = { description: `Use any of ${GROUPS.join(", ")}, each once` };
const GROUP = Type.Union(
  GROUPS.map((group) => Type.Literal(group)),
  groupRule,
);
const GROUP_LIST = Type.Array(GROUP, { maxItems: 10, uniqueItems: true, ...groupRule });

export const user = resource({
  noun: "user",
  path: "/user/users",
  table: users,
  key: "username",
  page: (username) => `/users/${username}`,
  editors: ["admin"],
  order: sql`users.username`,
  isPersonal: true,
  fields: {
    username: fields.label({ label: "Username", input: USERNAME, required: true, fixed: true }),
    display_name: fields.text({
      label: "Display name",
      input: nullable(line(100)),
      search: "keyword",
    }),
    email: confidential(fields.text({ label: "Email", input: nullable(EMAIL), search: "keyword" })),
    groups: confidential(fields.list({ label: "User groups", input: GROUP_LIST })),
  },
  internal: ["password_hash", "deactivated_at", "is_service"],
  search: { aliases: { name: ["username", "display_name"], group: ["groups"] } },
});

export type User = RowOf<typeof user>;

/** A field that only the user and callers who see everything can read. It is null for others, also in filters, order and search. */
function confidential<
  Value,
  Create extends fields.OptionalSchema,
  Change extends fields.OptionalSchema,
>(field: fields.Field<Value, Create, Change>): fields.Field<Value | null, Create, Change> {
  const isNullable = field.schema?.anyOf !== undefined;
  return {
    ...field,
    ...(field.schema && !isNullable && { schema: Type.Union([field.schema, Type.Null()]) }),
    query: (at) => {
      const { [at.name]: own } = field.query(at);
      if (!own) return {};
      const column = sql`case when ${mayRead(at.caller)} then ${own.column} end`;
      return { [at.name]: { ...own, column } };
    },
    sources: (at) =>
      field
        .sources(at)
        .map((source) => ({ ...source, from: sql`${source.from} and ${mayRead(at.caller)}` })),
  };
}

function mayRead(caller: Caller): SQL {
  return seesAll(caller) ? sql`true` : sql`users.id = ${caller.id}`;
}
