import { item as described, type Item } from "../../../src/inventory/items/item.ts";
import type { ItemOfPage } from "../../../src/inventory/items/items.ts";
import { StatusPill } from "../../lists/pill.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Fact, Stamps } from "../../parts/facts.tsx";
import { Facts } from "../../parts/resource_fields.tsx";
import { RecordLink } from "../../records/links.tsx";
import { Time } from "../../records/time.tsx";
import { EditInPlace, type InPlaceEdit, type InPlaceField } from "./edit_in_place.tsx";
import { viewPath } from "./list.tsx";
import { MacFacts } from "./macs.tsx";

/** The fields of an item, with forms beside some of them for those who may change it. */
export function ItemFacts({ item, changing }: { item: ItemOfPage; changing?: InPlaceEdit }) {
  const { serial_number, quantity } = item;
  const place = { item, changing };
  return (
    <dl class="facts">
      <Facts<ItemOfPage, Item>
        of={described}
        row={item}
        own={{
          serial_number,
          quantity: quantity === 1 ? null : quantity,
          location: editable({ ...place, name: "location" }),
          status: editable({ ...place, name: "status" }),
          parent: editable({ ...place, name: "parent" }),
        }}
        elsewhere={["ics_id", "children", "macs", "comments", "history"]}
      />
      <MacFacts item={item} changing={changing} />
      <Fact label="Created">
        <Time at={item.created_at} />
      </Fact>
      <Stamps of={item} />
    </dl>
  );
}

interface EditableFact {
  item: ItemOfPage;
  name: InPlaceField;
  changing: InPlaceEdit | undefined;
}

function editable({ item, name, changing }: EditableFact) {
  const value = item[name];
  if (value === null && !changing) return null;
  const shown = value && placeOf(item, name, value);
  return (
    <>
      {shown ?? <span class="muted">None</span>}{" "}
      {changing && <EditInPlace {...changing} item={item} name={name} />}
    </>
  );
}

function placeOf({ status_colour }: ItemOfPage, name: InPlaceField, value: string) {
  if (name === "parent") return <Parent ics_id={value} />;
  if (name === "status") return <StatusPill name={value} chosen={status_colour} />;
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
