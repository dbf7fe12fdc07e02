// The facts of an item; those who may change it have forms beside some of them.
import type { PlaceChoices } from "../../../src/inventory/items/choices.ts";
import { placeEntry } from "../../../src/inventory/items/form_input.ts";
import { changedMacs } from "../../../src/inventory/items/form_macs.ts";
import { item as described, type Item } from "../../../src/inventory/items/item.ts";
import type { ItemOfPage } from "../../../src/inventory/items/items.ts";
import { StatusPill } from "../../lists/pill.tsx";
import { Copy } from "../../parts/copy.tsx";
import { countOf } from "../../parts/count.ts";
import { Fact, Stamps } from "../../parts/facts.tsx";
import { blank, Field, type Filled, idOf, Summary } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Facts } from "../../parts/resource_fields.tsx";
import { Suggestions, suggesting } from "../../parts/typeahead.tsx";
import { RecordLink } from "../../records/links.tsx";
import { Time } from "../../records/time.tsx";
import { useHx } from "../../request/frame.ts";
import { MACS_HINT } from "../../texts.ts";
import { LeaveParent } from "./form.tsx";
import { ITEMS, itemPath } from "./paths.ts";

/** The fields of an item, with forms beside some of them for those who may change it. */
export function ItemFacts({ item, changing }: { item: ItemOfPage; changing?: InPlaceEdit }) {
  const { serial_number, quantity } = item;
  const place = { item, changing };
  return (
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
    >
      <MacFacts item={item} changing={changing} />
      <Fact label="Created">
        <Time at={item.created_at} />
      </Fact>
      <Stamps of={item} />
    </Facts>
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
      <a class="mono" href={itemPath(ics_id)}>
        {ics_id}
      </a>{" "}
      <Copy text={ics_id} />
    </>
  );
}

export interface InPlaceEdit {
  version: number;
  choices: PlaceChoices;
  /** The number of items inside it. */
  inside: number;
  /** The refused form, for any field. */
  refused?: Filled;
  /** The page that is shown after saving. */
  next: string;
}

type InPlaceField = "location" | "status" | "parent";

/** Edits a value in place; a chosen suggestion is saved at once. */
function EditInPlace({
  item,
  name,
  refused,
  ...placing
}: InPlaceEdit & { item: ItemOfPage; name: InPlaceField }) {
  const hx = useHx();
  const action = `${ITEMS}/place/${item.ics_id}`;
  const isRefused = refused?.values[name] !== undefined;
  return (
    <details class="chooser" open={isRefused}>
      <summary title="Change">
        <Icon name="pencil" /> <span class="hidden">Change {name}</span>
      </summary>
      <form
        method="post"
        action={action}
        data-choose
        {...hx({ post: action, target: "#item", swap: "outerHTML" })}
      >
        <input type="hidden" name="version" value={placing.version} />
        <input type="hidden" name="next" value={placing.next} />
        <Value
          {...placing}
          name={name}
          filled={isRefused ? refused : blank(placeEntry, { [name]: item[name] ?? "" })}
        />
        {isRefused && name === "location" && <LeaveParent filled={refused} form={FORM} />}
        <button type="submit">Save</button>
      </form>
    </details>
  );
}

const FORM = "place";

function Value({
  name,
  filled,
  choices,
  inside,
}: Pick<InPlaceEdit, "choices" | "inside"> & { name: InPlaceField; filled: Filled }) {
  const along = inside > 0 ? `Also changes ${countOf(inside, "item")} inside it` : undefined;
  const field = { filled, name, form: FORM, label: `New ${name}`, hint: along };
  const id = idOf(name, FORM);
  if (name === "parent") {
    const hint = "The item gets the location and status of the parent";
    return <Field {...field} hint={hint} more={{ class: "mono", placeholder: "AAA001" }} />;
  }
  return (
    <Field {...field} more={suggesting({ id, suggest: `/inventory/_retrieve_attributes/${name}` })}>
      <Suggestions id={id} names={choices[name]} />
    </Field>
  );
}

interface ItemMacProps {
  item: ItemOfPage;
  changing?: InPlaceEdit;
}

/** The MAC addresses; editors can add and remove them. */
function MacFacts({ item, changing }: ItemMacProps) {
  if (item.macs.length === 0 && !changing) return null;
  return (
    <>
      <dt>{described.fields.macs.label}</dt>
      {item.macs.map((mac) => (
        <dd class="mono">
          {mac} <Copy text={mac} />
          {changing && <RemoveMac ics_id={item.ics_id} mac={mac} next={changing.next} />}
        </dd>
      ))}
      {changing && (
        // As buttons, it is not printed.
        <dd class={item.macs.length > 0 ? "buttons" : undefined}>
          {item.macs.length === 0 && <span class="muted">None</span>}{" "}
          <AddMacs ics_id={item.ics_id} {...changing} />
        </dd>
      )}
    </>
  );
}

function RemoveMac({ ics_id, mac, next }: { ics_id: string; mac: string; next: string }) {
  const send = useSend(ics_id);
  return (
    <form class="take-off" {...send}>
      <input type="hidden" name="free" value={mac} />
      <input type="hidden" name="next" value={next} />
      <button type="submit" class="quiet square copy" aria-label={`Remove ${mac}`} title="Remove">
        <Icon name="x" />
      </button>
    </form>
  );
}

function AddMacs({ ics_id, refused, next }: InPlaceEdit & { ics_id: string }) {
  const send = useSend(ics_id);
  const isRefused = refused?.values.macs !== undefined;
  const filled = isRefused ? refused : blank(changedMacs);
  return (
    <details class="chooser" open={isRefused}>
      <summary>
        <Icon name="plus" /> Add
      </summary>
      <form {...send}>
        <input type="hidden" name="next" value={next} />
        {filled.errors.length > 1 && <Summary filled={filled} id="put" />}
        <Field
          filled={filled}
          name="macs"
          form="put"
          hint={MACS_HINT}
          rows={2}
          more={{ class: "mono" }}
        />
        <button type="submit">Add</button>
      </form>
    </details>
  );
}

function useSend(ics_id: string) {
  const hx = useHx();
  const action = `${ITEMS}/macs/${ics_id}`;
  return {
    method: "post",
    action,
    ...hx({ post: action, target: "#item", swap: "outerHTML" }),
  } as const;
}
