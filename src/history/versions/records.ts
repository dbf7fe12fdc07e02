// Which records a change concerns, and the rows that a record consists of.
import { type SQL, sql } from "drizzle-orm";
import { fileOwners } from "../../store/file_owners.ts";
import { partIds } from "../../store/past/parts.ts";

// Records that a change concerns ----------------------------------------------------------------------

/** The interface is of this host; that never changes. */
function hostOf(id: SQL): SQL {
  return sql`coalesce((select host_id from interfaces where interfaces.id = ${id}),
    former_name('interfaces', ${id}, 'host_id')::integer)`;
}

function keyIn(state: SQL, key: string): SQL {
  return sql`(${state} ->> ${sql.raw(`'${key}'`)})::integer`;
}

/** The records that a row belonged to before and after. */
function owners(tables: string, key: string): SQL {
  return sql`when table_name in (${sql.raw(tables)})
    then array[${keyIn(sql`before`, key)}, ${keyIn(sql`after`, key)}]`;
}

const INTERFACE = keyIn(sql`coalesce(after, before)`, "interface_id");

/** Changes of parts that concern the record, besides those of its own row. */
const OF_PARTS: Record<string, SQL> = {
  ...Object.fromEntries(fileOwners.map(([table, { key }]) => [table, owners("'files'", key)])),
  hosts: sql`${owners("'interfaces', 'group_hosts', 'items', 'files'", "host_id")}
    when table_name = 'cnames' then array[${hostOf(INTERFACE)}]`,
  interfaces: owners("'cnames'", "interface_id"),
  items: owners("'comments', 'macs', 'files'", "item_id"),
  groups: sql`${owners("'group_hosts'", "group_id")} ${owners("'group_children'", "parent_id")}`,
};

/** The tables whose changes concern records of a kind. */
export function tablesConcerning(kind: string): string[] {
  return [kind, ...(PART_TABLES[kind] ?? [])];
}

const PART_TABLES: Record<string, string[]> = {
  ...Object.fromEntries(fileOwners.map(([table]) => [table, ["files"]])),
  hosts: ["files", "interfaces", "group_hosts", "items", "cnames"],
  interfaces: ["cnames"],
  items: ["files", "comments", "macs"],
  groups: ["group_hosts", "group_children"],
};

/** Joins changes with the records of a kind that it concerns, as `changed`, with their `root`. */
export function recordsOfChanges(kind: string): SQL {
  const root = kind === "interfaces" ? hostOf(sql`one`) : sql`one`;
  return sql`cross join lateral (
    select distinct one as record, ${root} as root from unnest(case
      when table_name = ${sql.raw(`'${kind}'`)} then array[row_id] ${OF_PARTS[kind] ?? sql``} end) one
    where one is not null) changed`;
}

// Rows of a record ------------------------------------------------------------------------------------

/** Rows of a table, for each version. */
export interface VersionRows {
  table: string;
  /** Selects `version` and `id`. */
  wanted: SQL;
  /** A condition on `was.state`, the row as JSON, and `at`, the version; to leave out what is of no use. */
  only?: SQL;
}

const ROOTS = sql`select version, root as id from versions`;

/** The root of a version is the record, or for an interface its host. Tables that are referred to follow by themselves. */
export function versionRowsOf(kind: string): VersionRows[] {
  return (ROWS[kind] ?? ((own: VersionRows) => [own]))({ table: kind, wanted: ROOTS });
}

const ofHost = (): VersionRows[] => [
  { table: "hosts", wanted: ROOTS },
  parts("interfaces", "host_id", ROOTS),
  parts("cnames", "interface_id", rowsIn("interfaces")),
  parts("group_hosts", "host_id", ROOTS),
  parts("items", "host_id", ROOTS),
  parts("macs", "item_id", rowsIn("items")),
  parts("comments", "item_id", rowsIn("items")),
];

const ROWS: Record<string, (own: VersionRows) => VersionRows[]> = {
  hosts: ofHost,
  interfaces: ofHost,
  networks: (own) => [own, parts("interfaces", "network_id", ROOTS)],
  scopes: (own) => [own, parts("networks", "scope_id", ROOTS)],
  domains: (own) => [
    own,
    parts("networks", "domain_id", ROOTS),
    parts("scopes", "domain_id", ROOTS),
  ],
  groups: (own) => {
    const children = sql`select child_id >> 32, (child_id & 4294967295)::integer from group_children`;
    return [
      parts("group_hosts", "group_id", ROOTS),
      parts("group_children", "parent_id", ROOTS),
      { ...own, wanted: sql`${ROOTS} union ${children}` },
    ];
  },
  items: (own) => [
    { ...own, wanted: sql`${ROOTS} union ${parts("items", "parent_id", ROOTS).wanted}` },
    parts("macs", "item_id", ROOTS),
    parts("comments", "item_id", ROOTS),
  ],
};

/** The rows of a table that is made already. */
function rowsIn(table: string): SQL {
  return sql`select id >> 32 as version, (id & 4294967295)::integer as id from ${sql.identifier(table)}`;
}

/** The rows of a table that ever belonged to these owners. `offset 0` lets PostgreSQL look for them once for each owner. */
function parts(table: string, key: string, of: SQL): VersionRows {
  const wanted = sql`
    select owners.version, part.id from (
      select owner.id as owner, ever.id from (select distinct id from (${of}) one) owner
        cross join lateral (
          ${partIds([table, key], sql`= owner.id`)}
        ) ever offset 0
    ) part join (${of}) owners on owners.id = part.owner`;
  const only = sql`${keyIn(sql`was.state`, key)} = at.root`;
  return { table, wanted, ...(of === ROOTS && key !== "parent_id" && { only }) };
}
