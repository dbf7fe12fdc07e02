import type { Item } from "../../../src/inventory/items/item.ts";
import { Copy } from "../../parts/copy.tsx";
import { Fact, Stamps } from "../../parts/facts.tsx";
import { viewPath } from "./list.tsx";
import { MacFacts } from "./macs.tsx";
import { InPlace, type Placing } from "./place.tsx";

/** What an item says of itself; those who may change it find how beside it. */
export function Facts({ item, changing }: { item: Item; changing?: Placing }) {
  const { serial_number, quantity, manufacturer, model, host, stack_member } = item;
  return (
    <dl class="facts">
      <Fact label="Serial number">{serial_number}</Fact>
      <Fact label="Quantity">{quantity === 1 ? null : quantity}</Fact>
      <Fact label="Manufacturer">{manufacturer}</Fact>
      <Fact label="Model">{model}</Fact>
      <Place item={item} name="location" changing={changing} />
      <Place item={item} name="status" changing={changing} />
      <Place item={item} name="parent" changing={changing} />
      <Fact label="Host">{host && <a href={`/network/hosts/view/${host}`}>{host}</a>}</Fact>
      <Fact label="Stack member">{stack_member}</Fact>
      <MacFacts item={item} changing={changing} />
      <Fact label="Registered">
        <time>{item.created_at}</time>
      </Fact>
      <Stamps of={item} />
    </dl>
  );
}

interface PlaceProps {
  item: Item;
  name: "location" | "status" | "parent";
  changing?: Placing;
}

const LABELS = { location: "Location", status: "Status", parent: "Parent" };

function Place({ item, name, changing }: PlaceProps) {
  const value = item[name];
  if (value === null && !changing) return null;
  const shown = name === "parent" && value ? <Parent ics_id={value} /> : value;
  return (
    <Fact label={LABELS[name]}>
      {shown ?? <span class="muted">None</span>}{" "}
      {changing && <InPlace {...changing} item={item} name={name} />}
    </Fact>
  );
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
