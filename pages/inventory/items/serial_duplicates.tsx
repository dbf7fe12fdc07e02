import type { SerialDuplicate } from "../../../src/inventory/items/choices.ts";
import { viewPath } from "./list.tsx";

/** A warning, not an error: two cards can have the same number. Rendered empty too, as htmx replaces it. */
export function SerialDuplicates({ twins }: { twins: SerialDuplicate[] }) {
  return (
    <div id="twins" role="status">
      {twins.length > 0 && (
        <div class="note warn">
          <p>{twins.length === 1 ? "Another item has" : "Other items have"} this serial number:</p>
          <ul class="plain">
            {twins.map(({ ics_id, model, location }) => (
              <li>
                <a class="mono" href={viewPath(ics_id)}>
                  {ics_id}
                </a>{" "}
                {[model, location].filter(Boolean).join(", ")}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
