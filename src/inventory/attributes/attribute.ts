// Attributes: names with a QR code to scan. The five kinds, actions, manufacturers, models, locations and statuses, are
// resources of their own.

import { Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import {
  actions,
  items,
  locations,
  manufacturers,
  models,
  statuses,
} from "../../../db/tables/inventory.ts";
import { INVENTORY_EDITORS } from "../../auth/rights.ts";
import { notFound } from "../../input/errors.ts";
import { line, nullable, paragraph } from "../../input/shape.ts";
import { constraintError } from "../../store/constraints.ts";
import * as fields from "../../store/fields.ts";
import { fileFields } from "../../store/file_fields.ts";
import { type RowOf, resource } from "../../store/resource.ts";
import { siteValues } from "../../store/site/field.ts";
import { siteRules } from "../../store/site/rules.ts";
import { allInside, noCycle } from "../../store/tree.ts";

const tables = {
  action: actions,
  manufacturer: manufacturers,
  model: models,
  location: locations,
  status: statuses,
};

/** Changes of the tree are serialised. */
export const LOCATION_TREE = "location tree";

export type KindName = keyof typeof tables;
/** The kinds that items have: all but actions. */
export type ItemKind = Exclude<KindName, "action">;

export interface AttributeKind<Name extends KindName = KindName> {
  name: Name;
  /** As in API paths and table names. */
  plural: string;
  table: (typeof tables)[Name];
  resource: (typeof resources)[Name];
}

/** Any of them: locations have a parent, statuses a colour. */
export type Attribute = RowOf<AttributeKind<"manufacturer">["resource"]> & {
  parent?: string | null;
  colour?: Colour | null;
};

export const ITEM_KINDS = ["manufacturer", "model", "location", "status"] as const;

/** The palette of pills. Its contrast is checked: see static/pills.css. */
export const COLOURS = [
  ...(["grey", "red", "orange", "yellow", "green"] as const),
  ...(["teal", "blue", "violet", "pink"] as const),
];
export type Colour = (typeof COLOURS)[number];

const COLOUR = Type.Union([...COLOURS.map((colour) => Type.Literal(colour)), Type.Null()], {
  description: `Use ${COLOURS.slice(0, -1).join(", ")} or ${COLOURS.at(-1)}`,
});

const GROUPS_ALONE = ["inventory", "admin"] as const;
/** Actions are part of the program. A location is in a place, the others are everywhere. */
const EDITORS = {
  action: [],
  manufacturer: GROUPS_ALONE,
  model: GROUPS_ALONE,
  location: INVENTORY_EDITORS,
  status: GROUPS_ALONE,
} as const;

const resources = {
  action: resource({ ...describe("action"), fields: ownFields("action") }),
  manufacturer: resource({ ...describe("manufacturer"), fields: ownFields("manufacturer") }),
  model: resource({
    ...describe("model"),
    fields: {
      ...ownFields("model"),
      tags: fields.tags(),
      site: siteValues("model"),
      ...fileFields("models"),
    },
    rules: siteRules("model"),
  }),
  location: resource({
    ...describe("location"),
    fields: {
      ...ownFields("location"),
      parent: fields.belongsTo(locations, {
        label: "Parent",
        kind: "name",
        alias: "parent",
        input: nullable(line(100, "Use the name of a location")),
        nullable: true,
        isTree: true,
        nested: { description: "text" },
        description: "The location that contains it",
      }),
      tags: fields.tags(),
      site: siteValues("location"),
      ...fileFields("locations"),
    },
    rules: [
      ...siteRules("location"),
      noCycle("locations", {
        key: "name",
        lock: LOCATION_TREE,
        message: constraintError("locations_parent_not_itself").message,
      }),
    ],
  }),
  status: resource({
    ...describe("status"),
    fields: { ...ownFields("status"), colour: fields.choice({ label: "Colour", input: COLOUR }) },
  }),
};

const byName: { [Name in KindName]: AttributeKind<Name> } = {
  action: kind("action"),
  manufacturer: kind("manufacturer"),
  model: kind("model"),
  location: kind("location"),
  status: kind("status"),
};

export const kinds: readonly AttributeKind[] = Object.values(byName);

export function kindOf<Name extends KindName>(name: Name): AttributeKind<Name> {
  return byName[name];
}

/** By singular or plural name, in any case: Status, statuses. */
export function kindNamed(text: string): AttributeKind {
  const name = text.toLowerCase();
  const found = kinds.find((one) => one.name === name || one.plural === name);
  if (!found) throw notFound();
  return found;
}

function kind<Name extends KindName>(name: Name): AttributeKind<Name> {
  const resource = resources[name];
  return { name, plural: resource.plural, table: tables[name], resource };
}

/** What the kinds have in common. */
function describe(name: KindName) {
  const plural = name === "status" ? "statuses" : `${name}s`;
  const table = sql.identifier(plural);
  return {
    noun: name,
    plural,
    path: `/inventory/${plural}`,
    table: tables[name],
    key: "name",
    page: (called: string) => `/inventory/attributes/${name}/${called}`,
    editors: EDITORS[name],
    removers: name === "action" ? [] : (["admin"] as const),
    order: sql`lower(${table}.name)`,
    history: { without: ["qrcode"] },
  } as const;
}

function ownFields(kind: KindName) {
  return {
    name: fields.name({
      label: "Name",
      input: line(100, "Use 1 to 100 characters on one line"),
      required: true,
    }),
    description: fields.text({ label: "Description", input: nullable(paragraph(10_000)) }),
    qrcode: fields.text({
      label: "QR code",
      search: "none",
      description: "A PNG in base64 of CSE:<kind>:<name>",
    }),
    items: fields.usage("Items", () => usesOf(kind)),
  };
}

/** How many items have it, those in the locations inside of a location included. Items have no actions. */
function usesOf(kind: KindName): SQL {
  if (kind === "action") return sql`(select 0)`;
  const { id } = tables[kind];
  const ids = kind === "location" ? allInside(sql`locations`, sql`select ${id} as id`) : id;
  return sql`(select count(*)::int from ${items} where ${items[`${kind}_id`]} in (${ids}))`;
}
