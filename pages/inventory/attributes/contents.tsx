import type { LocationContents, PlacedItem } from "../../../src/inventory/attributes/contents.ts";
import { countOf } from "../../parts/count.ts";
import { RecordLink } from "../../records/links.tsx";
import { AllItems, CountsOfItems } from "../items/counts.tsx";
import { Name } from "../items/tree.tsx";

interface Props {
  location: { id: number; name: string };
  contents: LocationContents;
}

/** What is in a location: its items and the locations inside of it, as a tree. */
export function LocationTree({ location, contents }: Props) {
  const { places, places_total, items, total } = contents;
  if (places_total + total === 0) return <p class="muted">Empty</p>;
  const filter = { location__under: location.name };
  const within = new URLSearchParams({ parent__under: location.name });
  return (
    <>
      <p class="muted">
        {[places_total > 0 && countOf(places_total, "location"), countOf(total, "item")]
          .filter(Boolean)
          .join(", ")}
      </p>
      <CountsOfItems counts={contents} filter={filter} />
      <ul class="tree">
        <Inside of={location.id} tree={treeOf(contents)} />
      </ul>
      {places_total > places.length && (
        <p>
          <a class="button quiet" href={`/inventory/attributes/location?${within}`}>
            All {countOf(places_total, "location")}
          </a>
        </p>
      )}
      <AllItems total={total} shown={items.length} filter={filter} />
    </>
  );
}

interface Tree {
  places: Map<number | null, LocationContents["places"]>;
  /** The outermost items, by location. */
  outermost: Map<number, PlacedItem[]>;
  items: Map<number | null, PlacedItem[]>;
}

function treeOf({ places, items }: LocationContents): Tree {
  const shown = new Set(items.map(({ id }) => id));
  const isOutermost = ({ parent_id }: PlacedItem) => parent_id === null || !shown.has(parent_id);
  return {
    places: Map.groupBy(places, ({ parent_id }) => parent_id),
    outermost: Map.groupBy(items.filter(isOutermost), ({ location_id }) => location_id),
    items: Map.groupBy(items, ({ parent_id }) => parent_id),
  };
}

function Inside({ of, tree }: { of: number; tree: Tree }) {
  return (
    <>
      {tree.outermost.get(of)?.map((item) => (
        <Item item={item} tree={tree} />
      ))}
      {tree.places.get(of)?.map(({ id, name }) => (
        <li>
          <RecordLink table="locations" name={name} />
          {(tree.outermost.has(id) || tree.places.has(id)) && (
            <ul>
              <Inside of={id} tree={tree} />
            </ul>
          )}
        </li>
      ))}
    </>
  );
}

function Item({ item, tree }: { item: PlacedItem; tree: Tree }) {
  const held = tree.items.get(item.id) ?? [];
  return (
    <li>
      <Name of={item} />
      {held.length > 0 && (
        <ul>
          {held.map((one) => (
            <Item item={one} tree={tree} />
          ))}
        </ul>
      )}
    </li>
  );
}
