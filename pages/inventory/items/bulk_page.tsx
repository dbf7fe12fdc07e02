import {
  type BulkExample,
  type ItemBulkOutcome,
  itemsIn,
  mayClear,
} from "../../../src/inventory/items/bulk.ts";
import type { ItemChoices } from "../../../src/inventory/items/choices.ts";
import { leavingWords } from "../../../src/inventory/items/tree.ts";
import { listInputs } from "../../../src/store/bulk.ts";
import { PageHead } from "../../layout/page_head.tsx";
import { Difference } from "../../lists/bulk_page.tsx";
import { ClearBox } from "../../lists/clear_box.tsx";
import { countOf } from "../../parts/count.ts";
import { CheckBox, Field, type Filled, fieldLabel, idOf, Summary } from "../../parts/forms.tsx";
import { ListField } from "../../parts/list_field.tsx";
import { OtherFields } from "../../parts/resource_fields.tsx";
import { Suggestions, suggesting } from "../../parts/typeahead.tsx";
import { itemPath } from "./paths.ts";

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
  return (
    <>
      <PageHead
        title="Change selected items"
        lead={`${countOf(keys.length, "item")} selected. Blank fields are not changed.`}
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
          {KINDS.map((kind) => (
            <Field
              filled={filled}
              name={kind}
              more={suggesting({
                id: idOf(kind),
                suggest: `/inventory/_retrieve_attributes/${kind}`,
              })}
            >
              <Suggestions id={idOf(kind)} names={choices[kind]} />
              <Clear filled={filled} name={kind} />
            </Field>
          ))}
        </div>
        <OtherFields
          filled={filled}
          placed={[...KINDS, ...Object.values(TAGS), "clear", "comment", "leave_parent"]}
          blank="No change"
          below={(name) => <Clear filled={filled} name={name} />}
        />
        <fieldset class="part">
          <legend>Tags</legend>
          {Object.values(TAGS).map((name) => (
            <ListField
              filled={filled}
              name={name}
              values={filled.values[name]?.split("\n") ?? []}
              noun={fieldLabel(filled, name)}
              names={[]}
              suggest="/_names/tags"
            />
          ))}
          <Clear filled={filled} name="tags" label="Remove all others" />
        </fieldset>
        <Field filled={filled} name="comment" rows={2} />
        {outcome && outcome.leaving.length > 0 && (
          <Leaving leaving={outcome.leaving} filled={filled} />
        )}
        <div class="buttons">
          <button type="submit" name="step" value="preview" class={outcome ? "" : "primary"}>
            Preview
          </button>
          {outcome && (
            <button type="submit" name="step" value="apply" class="primary" autofocus>
              Change {countOf(itemsIn(outcome), "item")}
            </button>
          )}
          <a class="button quiet" href={back}>
            Cancel
          </a>
        </div>
      </form>
      {outcome && <Preview outcome={outcome} filled={filled} />}
    </>
  );
}

const MOST_LEAVING = 10;

function Leaving({ leaving, filled }: Pick<ItemBulkOutcome, "leaving"> & { filled: Filled }) {
  const rest = leaving.length - MOST_LEAVING;
  return (
    <div class="note warn">
      <ul class="plain">
        {leaving.slice(0, MOST_LEAVING).map((one) => (
          <li>
            {one.ics_id} {leavingWords(one, filled.values.leave_parent === "true")}
          </li>
        ))}
        {rest > 0 && <li>and {count(rest)} more</li>}
      </ul>
      <CheckBox filled={filled} name="leave_parent" label="Take them out of their parents" />
    </div>
  );
}

const TAGS = listInputs("tags");

/** Where items are comes first. */
const KINDS = ["location", "status", "manufacturer", "model"] as const;

function Clear({ filled, name, label }: { filled: Filled; name: string; label?: string }) {
  if (!mayClear(name)) return null;
  const isCleared = filled.values.clear?.split("\n").includes(name) ?? false;
  return (
    <ClearBox
      name={name}
      field={label ? "Tags" : fieldLabel(filled, name)}
      checked={isCleared}
      {...(label && { label })}
    />
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

interface ItemPreviewProps {
  outcome: ItemBulkOutcome;
  filled: Filled;
}

function Preview({ outcome, filled }: ItemPreviewProps) {
  const { chosen, changed, inside, commented, examples } = outcome;
  const same = chosen - changed;
  return (
    <section class="region preview" aria-labelledby="preview-title">
      <h2 id="preview-title">Preview</h2>
      <ul class="plain">
        <li>{countOf(changed, "item")} with new values</li>
        {inside > 0 && <li>{countOf(inside, "item")} inside them changed too</li>}
        {same > 0 && <li>{countOf(same, "item")} already with these values</li>}
        {commented > 0 && <li>{countOf(commented, "item")} with a new comment</li>}
      </ul>
      {examples.length > 0 && (
        <Examples examples={examples} filled={filled} total={changed + inside} />
      )}
    </section>
  );
}

interface ItemExamplesProps {
  examples: BulkExample[];
  filled: Filled;
  total: number;
}

function Examples({ examples, filled, total }: ItemExamplesProps) {
  const columns = Object.keys(examples[0]?.now ?? {}).map((name) => ({
    name,
    label: fieldLabel(filled, name),
  }));
  return (
    <>
      <table class="list">
        <caption class="hidden">Preview</caption>
        <thead>
          <tr>
            <th scope="col">Label</th>
            {columns.map(({ label }) => (
              <th scope="col">{label}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {examples.map(({ ics_id, was, now }) => (
            <tr>
              <td data-label="Label" class="mono">
                <a href={itemPath(ics_id)}>{ics_id}</a>
              </td>
              {columns.map(({ name, label }) => (
                <td data-label={label}>
                  <Difference was={was[name] ?? ""} now={now[name] ?? ""} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {total > examples.length && <p class="muted">and {count(total - examples.length)} more</p>}
    </>
  );
}

function count(number: number): string {
  return number.toLocaleString("en");
}
