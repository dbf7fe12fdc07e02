import { changedMacs } from "../../../src/inventory/items/form_macs.ts";
import { item as described } from "../../../src/inventory/items/item.ts";
import type { ItemOfPage } from "../../../src/inventory/items/items.ts";
import { Copy } from "../../parts/copy.tsx";
import { blank, Field, Summary } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { useHx } from "../../request/frame.ts";
import { MACS_HINT } from "../../texts.ts";
import type { InPlaceEdit } from "./edit_in_place.tsx";
import { PATH } from "./list.tsx";

interface Props {
  item: ItemOfPage;
  changing?: InPlaceEdit;
}

/** The MAC addresses; editors can add and remove them. */
export function MacFacts({ item, changing }: Props) {
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
        <dd>
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
  const action = `${PATH}/macs/${ics_id}`;
  return {
    method: "post",
    action,
    ...hx({ post: action, target: "#item", swap: "outerHTML" }),
  } as const;
}
