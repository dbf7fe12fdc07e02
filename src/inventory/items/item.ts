// The resource `item`: a piece of equipment with an ICS id, model, location and status; inside another item or mounted
// on a host.

import { Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import { comments, items, macs } from "../../../db/tables/inventory.ts";
import { hosts } from "../../../db/tables/network.ts";
import type { Caller } from "../../auth/auth.ts";
import { INVENTORY_EDITORS } from "../../auth/rights.ts";
import { hiddenHosts, mayKnowHost, visibleVersion } from "../../auth/visibility.ts";
import { COUNT, line, nullable } from "../../input/shape.ts";
import * as fields from "../../store/fields.ts";
import { fileFields } from "../../store/file_fields.ts";
import { jsonObject, referenceSql } from "../../store/reference.ts";
import { type RowOf, resource } from "../../store/resource.ts";
import type { DataRule, Touched } from "../../store/rules.ts";
import { siteValues } from "../../store/site/field.ts";
import { siteRules } from "../../store/site/rules.ts";
import { noCycle } from "../../store/tree.ts";
import { type ItemKind, kindOf } from "../attributes/attribute.ts";
import { historyOf, ITEM_STATES, type ItemState } from "./history.ts";
import { ICS_ID } from "./ics_ids.ts";
import { CYCLE, ITEM_TREE, MEMBER_TAKEN, NO_STACK, stackMembersOf } from "./item_rules.ts";

/** The fields of an item that other records show beside its ICS id. */
export const SUMMARY_FIELDS = { serial_number: "name", quantity: "integer" } as const;

export const HOST_NAME = line(63, "Use the name of a host");

const STACK_MEMBER = Type.Integer({
  minimum: 0,
  maximum: 9,
  description: "Use a number from 0 to 9",
});

/** In SQL: a union, of which each part has an index. An `or` of the two would read all items for each write. */
const stacksOf = (touched: Touched) => sql`
  select id from hosts where ${touched("hosts", sql`id`)}
  union select host_id from items where ${touched("items", sql`id`)} and stack_member is not null`;

/** The places of a host's items in its stack. */
const STACK: DataRule = {
  on: { items: ["host_id", "stack_member"], hosts: ["device_type_id"] },
  // Another type of the host, or a place for an item on it.
  lockRows: (touched) => sql`
    select from hosts where id in (${stacksOf(touched)}) order by id for no key update`,
  tellsOf: "a host",
  broken: (touched) => sql`
    select min(ics_id) as record, hosts.id as host, count(*)::text as count, hosts.id in (
        select host_id from items where ${touched("items", sql`id`)}) as is_of_item
    from items join hosts on hosts.id = host_id join device_types on device_types.id = device_type_id
    where stack_member is not null and device_types.name <> 'Network' and hosts.id in (${stacksOf(touched)})
    group by hosts.id`,
  refuse: ({ count, is_of_item }) => (is_of_item ? NO_STACK : stackMembersOf(Number(count))),
};

/** The constraint is deferred: two items can swap their places. */
const MEMBER_ONCE: DataRule = {
  on: { items: ["host_id", "stack_member"] },
  tellsOf: "a host",
  broken: (touched) => sql`
    select min(ics_id) as record, host_id as host from items
    where stack_member is not null
      and host_id in (select host_id from items where ${touched("items", sql`id`)} and stack_member is not null)
    group by host_id, stack_member
    having count(*) > 1`,
  refuse: () => MEMBER_TAKEN,
};

export const item = resource({
  noun: "item",
  path: "/inventory/items",
  table: items,
  key: "ics_id",
  page: (name) => `/inventory/items/view/${name}`,
  editors: INVENTORY_EDITORS,
  removers: ["admin"],
  crosses: { into: "network", reading: ["recursive"] },
  order: sql`items.created_at`,
  rules: [
    ...siteRules("item"),
    noCycle("items", { key: "ics_id", lock: ITEM_TREE, message: CYCLE.message }),
    STACK,
    MEMBER_ONCE,
  ],
  version: (caller) => visibleVersion(caller, sql`items`),
  fields: {
    ics_id: fields.code({ label: "Label", input: ICS_ID }),
    serial_number: fields.text({
      label: "Serial number",
      input: line(100),
      required: true,
      individual: true,
      search: "keyword",
    }),
    quantity: fields.integer({ label: "Quantity", input: COUNT }),
    manufacturer: attribute("manufacturer", "Manufacturer"),
    model: attribute("model", "Model", { isDescribed: true }),
    location: attribute("location", "Location", { isTree: true }),
    status: attribute("status", "Status"),
    parent: fields.belongsTo(items, {
      label: "Parent",
      kind: "code",
      alias: "parent",
      nameColumn: "ics_id",
      nested: SUMMARY_FIELDS,
      isTree: true,
      input: nullable(ICS_ID),
      onlyChanged: true,
      nullable: true,
    }),
    children: fields.contents({
      label: "Children",
      table: items,
      key: "parent_id",
      columns: { ics_id: "code", ...SUMMARY_FIELDS },
    }),
    macs: fields.contents({
      label: "MAC addresses",
      table: macs,
      key: "item_id",
      columns: { address: "mac" },
    }),
    comments: fields.contents({
      label: "Comments",
      table: comments,
      key: "item_id",
      columns: { body: "text", created_at: "time" },
    }),
    tags: fields.tags(),
    site: siteValues("item"),
    ...fileFields("items"),
    host: host(),
    stack_member: stackMember(),
    history: stateHistory(),
    ...fields.stamps(),
  },
  /** Counts the changes that only admins and auditors see. */
  internal: ["unseen"],
  search: {
    names: ["ics_id", "serial_number"],
    aliases: {
      ics: ["ics_id"],
      serial: ["serial_number"],
      mac: ["macs"],
      comment: ["comments"],
      child: ["children"],
    },
  },
  history: { hidesChange: () => sql`action = 'update' and is_unseen_mount(before, after)` },
});

export type Item = RowOf<typeof item>;

function attribute(
  name: ItemKind,
  label: string,
  options: { isTree?: boolean; isDescribed?: boolean } = {},
) {
  return fields.belongsTo(kindOf(name).table, {
    label,
    kind: "name",
    input: nullable(line(100, `Use the name of a ${name}`)),
    nested: { description: "text" },
    nullable: true,
    ...options,
  });
}

/**
 * The host that the item is mounted on. If the host is hidden from the caller, the item has none, also in filters and in
 * the order of a list: `from` joins only visible hosts, which are found once for a whole list.
 */
function host(): fields.Field<string | null, undefined, undefined> {
  const key = sql`items.host_id`;
  const to = { key, table: sql`hosts`, id: sql`hosts.id` };
  const isNull = sql`hosts.id is null`;
  const nested = jsonObject({
    id: sql`hosts.id`,
    name: sql`hosts.name`,
    description: sql`hosts.description`,
  });
  return {
    ...fields.belongsTo(hosts, {
      label: "Host",
      kind: "text",
      visible: (caller, one) => mayKnowHost(caller, sql`${one}.id`),
      nullable: true,
    }),
    query: ({ caller }) => {
      const visible = mayKnowHost(caller, sql`hosts.id`);
      const named = referenceSql({ ...to, visible, kind: "text", name: sql`hosts.name`, nested });
      const keyed = referenceSql({ ...to, visible, kind: "integer", name: sql`hosts.id` });
      return {
        // The join finds only visible hosts.
        host: { ...named, isNull, batchValue: { value: sql`hosts.name` } },
        host_id: { ...keyed, isNull, hidden: true, batchValue: { value: sql`hosts.id` } },
      };
    },
    join: ({ caller }) => {
      const hidden = hiddenHosts(caller);
      // With `not exists`, PostgreSQL would keep the join even if no field of the host is selected.
      return sql`left join hosts on hosts.id = ${key} and ${hidden ? sql`hosts.id not in (${hidden})` : sql`true`}`;
    },
    sources: ({ id, caller }) => [
      { id, from: fromMounted(caller), path: "host", kind: "keyword", value: NAME, lower: NAME },
    ],
  };
}

const NAME = sql`hosts.name`;

/** The position of the item in the stack of the host. */
function stackMember() {
  const column = sql`items.stack_member`;
  return {
    ...fields.integer({
      label: "Stack member",
      input: nullable(STACK_MEMBER),
      individual: true,
    }),
    query: ({ caller }: fields.FieldContext) => {
      const ofVisible = sql`case when hosts.id is not null then ${column} end`;
      return {
        stack_member: {
          kind: "integer" as const,
          column: ofVisible,
          recordValue: sql`case when ${mayKnowHost(caller, sql`items.host_id`)} then ${column} end`,
          isNull: sql`${column} is null or hosts.id is null`,
          batchValue: { value: ofVisible },
        },
      };
    },
    sources: ({ id, caller }: fields.FieldContext) => [
      {
        id,
        from: fromMounted(caller),
        path: "stack_member",
        kind: "number" as const,
        value: column,
      },
    ],
  };
}

function stateHistory(): fields.Field<ItemState[], undefined, undefined> {
  return {
    label: "History",
    kind: "value",
    schema: ITEM_STATES,
    create: undefined,
    change: undefined,
    query: ({ id }) => ({ history: { kind: "value", column: historyOf(id) } }),
    sources: () => [],
  };
}

function fromMounted(caller: Caller): SQL {
  return sql`items join hosts on hosts.id = items.host_id where ${mayKnowHost(caller, sql`hosts.id`)}`;
}
