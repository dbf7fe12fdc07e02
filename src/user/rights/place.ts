// The places of rights by scope: the scope of `network`, the location of `inventory`, the network of `sensitive`.
import { Type } from "@sinclair/typebox";
import { type SQL, sql } from "drizzle-orm";
import { RIGHTS, type RightKind } from "../../auth/rights.ts";
import { invalid, refuse, unknownName } from "../../input/errors.ts";
import { line } from "../../input/shape.ts";
import type { Transaction } from "../../store/write.ts";

/** A right with the name of its place. */
export interface RightInPlace {
  kind: RightKind;
  place: string;
}

interface PlaceColumns {
  scope_id: number | null;
  location_id: number | null;
  network_id: number | null;
}

interface PlaceKind {
  noun: string;
  table: string;
  /** The column with the name. */
  name: string;
  column: keyof PlaceColumns;
}

const PLACES: Record<RightKind, PlaceKind> = {
  network: { noun: "scope", table: "scopes", name: "name", column: "scope_id" },
  inventory: { noun: "location", table: "locations", name: "name", column: "location_id" },
  sensitive: { noun: "network", table: "networks", name: "vlan_name", column: "network_id" },
};

export const rightKind = Type.Union(
  RIGHTS.map((kind) => Type.Literal(kind)),
  { title: "Right", description: `Use one of ${RIGHTS.join(", ")}` },
);

export const placeName = Type.String({
  ...line(100),
  title: "Place",
  description: "Name a scope for network, a location for inventory, a network for sensitive",
});

/** Network on scope Lab. */
export function rightInWords({ kind, place }: RightInPlace): string {
  return `${kind} on ${PLACES[kind].noun} ${place}`;
}

/** The name of the place of a right, in a query of a table with the columns of a place. */
export const PLACE_NAME: SQL = sql`coalesce(
  (select name from scopes where scopes.id = scope_id),
  (select name from locations where locations.id = location_id),
  (select vlan_name from networks where networks.id = network_id))`;

/** The columns of a place that is named. Only a sensitive network has to be shown to somebody. */
export async function placeColumns(
  tx: Transaction,
  { kind, place }: RightInPlace,
  field = "place",
): Promise<PlaceColumns> {
  const { noun, table, name, column } = PLACES[kind];
  const isSensitive = kind === "sensitive" ? sql`sensitive` : sql`true`;
  const [found] = await tx.execute<{ id: number; fits: boolean }>(sql`
    select id, ${isSensitive} as fits from ${sql.identifier(table)}
    where lower(${sql.identifier(name)}) = lower(${place}::text collate names) for key share`);
  if (!found) throw refuse([unknownName(field, place, noun)]);
  if (!found.fits) throw invalid(field, `${place} is not sensitive: everybody sees it`);
  return { scope_id: null, location_id: null, network_id: null, [column]: found.id };
}
