// The page of an attribute: its code, and the items that have it. A location shows what is inside of it as a tree.

import type { Caller } from "../../../src/auth/auth.ts";
import {
  type Attribute,
  type AttributeKind,
  ITEM_KINDS,
  type ItemKind,
  kindOf,
} from "../../../src/inventory/attributes/attribute.ts";
import {
  contentsOf,
  itemCountsOf,
  type LocationContents,
  type PlacedItem,
} from "../../../src/inventory/attributes/contents.ts";
import type { ItemCounts } from "../../../src/inventory/items/counts.ts";
import { item } from "../../../src/inventory/items/item.ts";
import * as items from "../../../src/inventory/items/items.ts";
import { rowsOf } from "../../../src/store/records.ts";
import { HeadPicture, ownerOfKind } from "../../files/picture.tsx";
import { Files, filesOf } from "../../files/section.tsx";
import type { Crumb } from "../../layout/layout.tsx";
import { StatusPill } from "../../lists/pill.tsx";
import { countOf } from "../../parts/count.ts";
import { PlainTable } from "../../parts/plain_table.tsx";
import { Qr } from "../../parts/qr.tsx";
import { Facts } from "../../parts/resource_fields.tsx";
import { RecordLink, recordPath } from "../../records/links.tsx";
import type { ShownRecord } from "../../resource/hooks.ts";
import type { RecordParts } from "../../resource/view.tsx";
import { AllItems, CountsOfItems, itemsPath } from "../items/counts.tsx";
import { itemPath } from "../items/paths.ts";
import { Name } from "../items/tree.tsx";
import { ownFacts } from "./panel.tsx";

const MOST_LISTED = 20;

export async function viewAttribute(
  of: AttributeKind,
  { caller, row: record }: ShownRecord<Attribute>,
): Promise<RecordParts> {
  const owner = ownerOfKind(of.name);
  const [contents, held] = await Promise.all([
    readContents(caller, of, record.id),
    owner && filesOf(caller, { table: owner, id: record.id }),
  ]);
  const code = `CSE:${of.name}:${record.name}`;
  return {
    ...("tree" in contents && { above: contents.tree.around.map(placeCrumb) }),
    ...(held && { picture: <HeadPicture {...held} /> }),
    live: ["items"],
    editPath: `/inventory/attributes/${of.name}?selected=${record.id}#field-name`,
    label: (
      <figure class="qr">
        <Qr text={code} />
        <figcaption class="mono">{code}</figcaption>
      </figure>
    ),
    facts: (
      <Facts
        of={of.resource}
        row={record}
        own={ownFacts(of, record)}
        elsewhere={["name", "qrcode"]}
      />
    ),
    contents: of.name !== "action" && (
      <>
        <ContentsSection of={of} record={record} contents={contents} />
        {held && <Files {...held} />}
      </>
    ),
  };
}

function placeCrumb(name: string): Crumb {
  return { label: name, href: recordPath("locations", name) ?? "" };
}

/** A location shows a tree, the other kinds their first items. */
type AttributeContents = { tree: LocationContents } | { counts: ItemCounts; first: FirstItem[] };

async function readContents(
  caller: Caller,
  of: AttributeKind,
  id: number,
): Promise<AttributeContents> {
  if (of.name === "location") return { tree: await contentsOf(id) };
  if (of.name === "action") return { counts: await itemCountsOf(of, id), first: [] };
  const params = new URLSearchParams({
    [`${of.name}_id`]: String(id),
    per_page: String(MOST_LISTED),
    sort: "ics_id",
  });
  const [counts, listed] = await Promise.all([
    itemCountsOf(of, id),
    items.listPicked(caller, READ, params),
  ]);
  return { counts, first: rowsOf(listed) };
}

function ContentsSection({
  of,
  record,
  contents,
}: {
  of: AttributeKind;
  record: Attribute;
  contents: AttributeContents;
}) {
  const isTree = "tree" in contents;
  return (
    <section class="region" aria-labelledby="contents-title">
      <h2 id="contents-title">{isTree ? "Contents" : "Items"}</h2>
      {isTree ? (
        <LocationTree location={record} contents={contents.tree} />
      ) : (
        <Items of={of} record={record} {...contents} />
      )}
    </section>
  );
}

interface FirstItemsProps {
  of: AttributeKind;
  record: Attribute;
  counts: ItemCounts;
  first: FirstItem[];
}

function Items({ of, record, counts, first }: FirstItemsProps) {
  if (counts.total === 0) return <p class="muted">No items</p>;
  const filter = { [of.name]: record.name };
  const kinds = ITEM_KINDS.filter((kind) => kind !== of.name);
  return (
    <>
      <CountsOfItems counts={counts} filter={filter} />
      <ItemTable items={first} kinds={kinds} />
      <AllItems total={counts.total} shown={first.length} filter={filter} />
    </>
  );
}

const READ = [
  ...(["id", "ics_id", "serial_number"] as const),
  ...(["manufacturer", "model", "location", "status", "status_colour"] as const),
] as const;

type FirstItem = Pick<items.ShownItem, (typeof READ)[number]>;

/** The first items that have an attribute, with their other attributes. */
function ItemTable({ items, kinds }: { items: FirstItem[]; kinds: ItemKind[] }) {
  const { ics_id, serial_number } = item.fields;
  return (
    <PlainTable
      caption="Items"
      rows={items}
      columns={[
        {
          label: ics_id.label,
          class: "mono",
          cell: (one) => (
            <a class="open" href={itemPath(one.ics_id)}>
              {one.ics_id}
            </a>
          ),
        },
        { label: serial_number.label, cell: (one) => one.serial_number },
        ...kinds.map((kind) => ({
          label: item.fields[kind].label,
          cell: (one: FirstItem) => one[kind] && linkOf(one, kind, one[kind]),
        })),
      ]}
    />
  );
}

function linkOf({ status_colour }: FirstItem, kind: ItemKind, name: string) {
  if (kind === "status") return <StatusPill name={name} chosen={status_colour} />;
  return <RecordLink table={kindOf(kind).plural} name={name} />;
}

interface LocationTreeProps {
  location: { id: number; name: string };
  contents: LocationContents;
}

/** What is in a location: its items and the locations inside of it, as a tree. */
function LocationTree({ location, contents }: LocationTreeProps) {
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
      {tree.places.get(of)?.map(({ id, name, count }) => (
        <li>
          <RecordLink table="locations" name={name} />{" "}
          {count > 0 && (
            <a class="muted" href={itemsPath({ location__under: name })}>
              {countOf(count, "item")}
            </a>
          )}
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
