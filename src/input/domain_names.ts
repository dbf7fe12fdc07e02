// Names of hosts, interfaces and cnames: those that mean something else to a resolver, a browser or Ansible, and the domain
// in which a name has its effect.
import { FormatRegistry } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";

/** No host, interface or cname begins with one of these labels. */
export const RESERVED_LABELS: readonly string[] = [
  ...["localhost", "broadcasthost", "wpad", "isatap"],
  ...["all", "ungrouped", "_meta", "@"],
];

/** A format of texts. */
export const UNRESERVED_NAME = "unreserved-name";
FormatRegistry.Set(UNRESERVED_NAME, (name) => {
  return !RESERVED_LABELS.includes(name.toLowerCase().split(".")[0] ?? "");
});

export function reservedName(name: string): string {
  return `The name ${name} is reserved`;
}

/** A condition; names are stored in lower case. */
export function isReservedName(name: SQL): SQL {
  const labels = sql.join(
    RESERVED_LABELS.map((label) => sql.raw(`'${label}'`)),
    sql`, `,
  );
  return sql`split_part(${name}, '.', 1) in (${labels})`;
}

/** A condition: the full name is below the domain. */
export function isBelow(name: SQL, domain: SQL): SQL {
  return sql`right(${name}, length(${domain}) + 1) = '.' || ${domain}`;
}
