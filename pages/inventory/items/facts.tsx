import { item as described, type Item } from "../../../src/inventory/items/item.ts";
import { Copy } from "../../parts/copy.tsx";
import { Fact, Stamps } from "../../parts/facts.tsx";
import { Facts } from "../../parts/resource_fields.tsx";
import { EditInPlace, type InPlaceEdit, type InPlaceField } from "./edit_in_place.tsx";
import { viewPath } from "./list.tsx";
import { MacFacts } from "./macs.tsx";

/** The fields of an item; editors can change some of them in place. */
export function ItemFacts({ item, changing }: { item: Item; changing?: InPlaceEdit }) {
  const { serial_number, quantity, manufacturer, model, host } = item;
  const place = { item, changing };
  return (
    <dl class="facts">
      <Facts
        of={described}
        row={item}
        own={{
          serial_number,
          quantity: quantity === 1 ? null : quantity,
          manufacturer,
          model,
          location: editable({ ...place, name: "location" }),
          status: editable({ ...place, name: "status" }),
          parent: editable({ ...place, name: "parent" }),
          host: host && <a href={`/network/hosts/view/${host}`}>{host}</a>,
        }}
        elsewhere={["ics_id", "children", "macs", "comments", "history"]}
      />
      <MacFacts item={item} changing={changing} />
      <Fact label="Created">
        <time>{item.created_at}</time>
      </Fact>
      <Stamps of={item} />
    </dl>
  );
}

interface EditableFact {
  item: Item;
  name: InPlaceField;
  changing: InPlaceEdit | undefined;
}

function editable({ item, name, changing }: EditableFact) {
  const value = item[name];
  if (value === null && !changing) return null;
  const shown = name === "parent" && value ? <Parent ics_id={value} /> : value;
  return (
    <>
      {shown ?? <span class="muted">None</span>}{" "}
      {changing && <EditInPlace {...changing} item={item} name={name} />}
    </>
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
