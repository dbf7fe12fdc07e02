// What of an item can be found, and where it is kept. Whose host is hidden from the caller has none.
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../auth/auth.ts";
import { mayKnowHost } from "../../auth/visibility.ts";
import {
  editedSources,
  nestedIn,
  type SearchDocument,
  type SearchSource,
  sourcesIn,
} from "../../search/document.ts";

const ITEM = sql`items.id`;
const IN_PARENT = sql`items join items parent on parent.id = items.parent_id where true`;
const CHILDREN = sql`items child where child.parent_id is not null`;
const MACS = sql`macs where macs.item_id is not null`;
const COMMENTS = sql`comments where true`;

export function itemDocument(caller: Caller): SearchDocument {
  const mounted = sql`items join hosts on hosts.id = items.host_id
    where ${mayKnowHost(caller, sql`hosts.id`)}`;
  return {
    id: ITEM,
    all: sql`items`,
    names: ["ics_id", "serial_number"],
    aliases: {
      ics: ["ics_id"],
      serial: ["serial_number"],
      mac: ["macs"],
      comment: ["comments"],
      child: ["children"],
    },
    sources: [
      ...OWN,
      ...sourcesIn(
        { id: ITEM, from: mounted },
        {
          host: ["label", sql`hosts.name`],
          stack_member: ["number", sql`items.stack_member`],
        },
      ),
    ],
  };
}

const OWN: readonly SearchSource[] = [
  ...sourcesIn(
    { id: ITEM, from: sql`items where true` },
    {
      ics_id: ["keyword", sql`items.ics_id`],
      serial_number: ["keyword", sql`items.serial_number`],
      quantity: ["number", sql`items.quantity`],
    },
  ),
  ...attribute("manufacturer", sql`manufacturers`),
  ...attribute("model", sql`models`),
  ...attribute("location", sql`locations`),
  ...attribute("status", sql`statuses`),
  ...family("parent", { id: ITEM, from: IN_PARENT, one: sql`parent` }),
  ...family("children", { id: sql`child.parent_id`, from: CHILDREN, one: sql`child` }),
  ...sourcesIn({ id: sql`macs.item_id`, from: MACS }, { macs: ["mac", sql`macs.address`] }),
  ...nestedIn({ id: sql`macs.item_id`, from: MACS }, "macs", {
    id: ["number", sql`macs.id`],
    address: ["mac", sql`macs.address`],
  }),
  ...sourcesIn(
    { id: sql`comments.item_id`, from: COMMENTS },
    { comments: ["text", sql`comments.body`] },
  ),
  ...nestedIn({ id: sql`comments.item_id`, from: COMMENTS }, "comments", {
    id: ["number", sql`comments.id`],
    body: ["text", sql`comments.body`],
    created_at: ["time", sql`comments.created_at`],
  }),
  ...editedSources(sql`items`),
];

function attribute(name: string, table: SQL): SearchSource[] {
  const key = sql`items.${sql.identifier(`${name}_id`)}`;
  const rows = { id: ITEM, from: sql`items join ${table} on ${table}.id = ${key} where true` };
  return [
    ...sourcesIn(rows, { [name]: ["keyword", sql`${table}.name`] }),
    ...nestedIn(rows, name, {
      id: ["number", sql`${table}.id`],
      name: ["keyword", sql`${table}.name`],
      description: ["text", sql`${table}.description`],
    }),
  ];
}

function family(field: string, { one, ...rows }: { id: SQL; from: SQL; one: SQL }): SearchSource[] {
  return [
    ...sourcesIn(rows, { [field]: ["keyword", sql`${one}.ics_id`] }),
    ...nestedIn(rows, field, {
      id: ["number", sql`${one}.id`],
      ics_id: ["keyword", sql`${one}.ics_id`],
      serial_number: ["keyword", sql`${one}.serial_number`],
      quantity: ["number", sql`${one}.quantity`],
    }),
  ];
}
