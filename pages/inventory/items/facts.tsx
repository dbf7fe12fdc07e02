import { item as described, type Item } from "../../../src/inventory/items/item.ts";
import { Copy } from "../../parts/copy.tsx";
import { Fact, Stamps } from "../../parts/facts.tsx";
import { Facts } from "../../parts/resource_fields.tsx";
import { RecordLink } from "../../records/links.tsx";
import { Time } from "../../records/time.tsx";
import { viewPath } from "./list.tsx";
import { MacFacts } from "./macs.tsx";
import { InPlace, type PlaceName, type Placing } from "./place.tsx";

/** The fields of an item, with forms beside some of them for those who may change it. */
export function ItemFacts({ item, changing }: { item: Item; changing?: Placing }) {
  const { serial_number, quantity } = item;
  const place = { item, changing };
  return (
    <dl class="facts">
      <Facts
        of={described}
        row={item}
        own={{
          serial_number,
          quantity: quantity === 1 ? null : quantity,
          location: placed({ ...place, name: "location" }),
          status: placed({ ...place, name: "status" }),
          parent: placed({ ...place, name: "parent" }),
        }}
        elsewhere={["ics_id", "children", "macs", "comments", "history"]}
      />
      <MacFacts item={item} changing={changing} />
      <Fact label="Registered">
        <Time at={item.created_at} />
      </Fact>
      <Stamps of={item} />
    </dl>
  );
}

interface Placed {
  item: Item;
  name: PlaceName;
  changing: Placing | undefined;
}

function placed({ item, name, changing }: Placed) {
  const value = item[name];
  if (value === null && !changing) return null;
  const shown = value && (name === "parent" ? <Parent ics_id={value} /> : placeLink(name, value));
  return (
    <>
      {shown ?? <span class="muted">None</span>}{" "}
      {changing && <InPlace {...changing} item={item} name={name} />}
    </>
  );
}

function placeLink(name: PlaceName, value: string) {
  return <RecordLink table={described.fields[name].shows ?? ""} name={value} />;
}

function Parent({ ics_id }: { ics_id: string }) {
  return (
    <>
      <a class="mono" href={viewPath(ics_id)}>
        {ics_id}
      </a>{" "}
      <Copy text={ics_id} />
    </>
  );
}
