import type { PlaceChoices } from "../../../src/inventory/items/choices.ts";
import { placeEntry } from "../../../src/inventory/items/form_input.ts";
import type { ItemOfPage } from "../../../src/inventory/items/items.ts";
import { countOf } from "../../parts/count.ts";
import { blank, Field, type Filled, idOf } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Suggestions, suggesting } from "../../parts/typeahead.tsx";
import { useHx } from "../../request/frame.ts";
import { LeaveParent } from "./form.tsx";
import { PATH } from "./list.tsx";

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

export type InPlaceField = "location" | "status" | "parent";

/** Edits a value in place; a chosen suggestion is saved at once. */
export function EditInPlace({
  item,
  name,
  refused,
  ...placing
}: InPlaceEdit & { item: ItemOfPage; name: InPlaceField }) {
  const hx = useHx();
  const action = `${PATH}/place/${item.ics_id}`;
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
