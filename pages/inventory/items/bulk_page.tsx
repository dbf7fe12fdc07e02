import type { BulkExample, ItemBulkOutcome } from "../../../src/inventory/items/bulk.ts";
import type { ItemChoices } from "../../../src/inventory/items/choices.ts";
import { PageHead } from "../../layout/page_head.tsx";
import { ClearBox } from "../../lists/clear_box.tsx";
import { countOf } from "../../parts/count.ts";
import { Field, type Filled, fieldLabel, idOf, Summary } from "../../parts/forms.tsx";
import { Suggestions, suggesting } from "../../parts/typeahead.tsx";
import { viewPath } from "./list.tsx";

export interface BulkTarget {
  keys: number[];
  form: FormData;
}

export interface BulkValues extends BulkTarget {
  filled: Filled;
  outcome?: ItemBulkOutcome;
  /** The items or the values differ from those of the preview. */
  isOther?: boolean;
}

interface Props extends BulkValues {
  seen: string;
  choices: ItemChoices;
  back: string;
}

export function BulkPage(shown: Props) {
  const { keys, filled, outcome, isOther, choices, back } = shown;
  const many = countOf(keys.length, "item");
  return (
    <>
      <PageHead
        title="Change selected items"
        lead={`${many} selected. Blank fields are not changed.`}
      />
      <form class="sheet" method="post" action="/inventory/items/_bulk">
        <Choice {...shown} />
        <Summary filled={filled} />
        {isOther && (
          <p class="note warn" role="alert">
            The items or values have changed since the preview. Check the new preview.
          </p>
        )}
        <div class="pair">
          {(["location", "status"] as const).map((kind) => (
            <Field
              filled={filled}
              name={kind}
              more={suggesting({
                id: idOf(kind),
                suggest: `/inventory/_retrieve_attributes/${kind}`,
              })}
            >
              <Suggestions id={idOf(kind)} names={choices[kind]} />
              <ClearBox
                name={kind}
                field={fieldLabel(filled, kind)}
                checked={filled.values.clear?.split("\n").includes(kind) ?? false}
              />
            </Field>
          ))}
        </div>
        <Field filled={filled} name="comment" rows={2} />
        <div class="buttons">
          <button type="submit" name="step" value="preview" class={outcome ? "" : "primary"}>
            Preview
          </button>
          {outcome && (
            <button type="submit" name="step" value="apply" class="primary">
              Change {many}
            </button>
          )}
          <a class="button quiet" href={back}>
            Cancel
          </a>
        </div>
      </form>
      {outcome && <Preview outcome={outcome} />}
    </>
  );
}

function Choice({ form, keys, seen }: Props) {
  const isAll = form.has("all");
  return (
    <>
      <input type="hidden" name="filter" value={String(form.get("filter") ?? "")} />
      <input type="hidden" name="seen" value={seen} />
      {isAll && <input type="hidden" name="all" value="true" />}
      {!isAll && keys.map((key) => <input type="hidden" name="id" value={key} />)}
    </>
  );
}

function Preview({ outcome }: { outcome: ItemBulkOutcome }) {
  const { chosen, changed, inside, commented, examples } = outcome;
  const same = chosen - changed;
  return (
    <section class="region preview" aria-labelledby="preview-title">
      <h2 id="preview-title">Preview</h2>
      <ul class="plain">
        <li>{countOf(changed, "item")} with a new location or status</li>
        {inside > 0 && <li>{countOf(inside, "item")} inside them changed too</li>}
        {same > 0 && <li>{countOf(same, "item")} already with this location and status</li>}
        {commented > 0 && <li>{countOf(commented, "item")} with a new comment</li>}
      </ul>
      {examples.length > 0 && <Examples examples={examples} total={changed + inside} />}
    </section>
  );
}

function Examples({ examples, total }: { examples: BulkExample[]; total: number }) {
  return (
    <>
      <table class="list">
        <caption class="hidden">Preview</caption>
        <thead>
          <tr>
            <th scope="col">ICS id</th>
            <th scope="col">Location</th>
            <th scope="col">Status</th>
          </tr>
        </thead>
        <tbody>
          {examples.map((one) => (
            <tr>
              <td data-label="ICS id" class="mono">
                <a href={viewPath(one.ics_id)}>{one.ics_id}</a>
              </td>
              <td data-label="Location">
                <Difference was={one.location} now={one.new_location} />
              </td>
              <td data-label="Status">
                <Difference was={one.status} now={one.new_status} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > examples.length && <p class="muted">and {count(total - examples.length)} more</p>}
    </>
  );
}

function Difference({ was, now }: { was: string | null; now: string | null }) {
  if (was === now) return <span class="muted">{was}</span>;
  return (
    <>
      {was && <del class="muted">{was}</del>} {was && now && <span class="muted">→</span>} {now}
    </>
  );
}

function count(number: number): string {
  return number.toLocaleString("en");
}
