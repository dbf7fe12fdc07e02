// Attributes: names with a QR code to scan. The five kinds, actions, manufacturers, models, locations and statuses, are
// resources of their own.
import { sql } from "drizzle-orm";
import {
  actions,
  locations,
  manufacturers,
  models,
  statuses,
} from "../../../db/tables/inventory.ts";
import { notFound } from "../../input/errors.ts";
import { line, nullable, paragraph } from "../../input/shape.ts";
import * as fields from "../../store/fields.ts";
import { type RowOf, resource } from "../../store/resource.ts";

const tables = {
  action: actions,
  manufacturer: manufacturers,
  model: models,
  location: locations,
  status: statuses,
};

export type KindName = keyof typeof tables;
/** The kinds that items have: all but actions. */
export type ItemKind = Exclude<KindName, "action">;

export interface AttributeKind<Name extends KindName = KindName> {
  name: Name;
  /** As in API paths and table names. */
  plural: string;
  table: (typeof tables)[Name];
  resource: ReturnType<typeof attributeResource>;
}

export type Attribute = RowOf<AttributeKind["resource"]>;

export const ITEM_KINDS = ["manufacturer", "model", "location", "status"] as const;

const byName = {
  action: kind("action"),
  manufacturer: kind("manufacturer"),
  model: kind("model"),
  location: kind("location"),
  status: kind("status"),
};

export const kinds: readonly AttributeKind[] = Object.values(byName);

export function kindOf(name: KindName): AttributeKind {
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
  const resource = attributeResource(name);
  return { name, plural: resource.plural, table: tables[name], resource };
}

function attributeResource(name: KindName) {
  const plural = name === "status" ? "statuses" : `${name}s`;
  const table = sql.identifier(plural);
  return resource({
    noun: name,
    plural,
    path: `/inventory/${plural}`,
    table: tables[name],
    key: "name",
    page: ({ id }) => `/inventory/attributes/${name}?selected=${id}`,
    // Actions are part of the program.
    editors: name === "action" ? [] : ["inventory", "admin"],
    removers: name === "action" ? [] : ["admin"],
    order: sql`lower(${table}.name)`,
    fields: {
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
    },
    history: { without: ["qrcode"] },
  });
}
