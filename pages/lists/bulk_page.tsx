import type { FieldError } from "../../src/input/errors.ts";
import {
  type BulkOutcome,
  isClearable,
  listInputs,
  type SelectedRecord,
  sharedFields,
  sharedLists,
} from "../../src/store/bulk.ts";
import type { Resource } from "../../src/store/resource.ts";
import { PageHead } from "../layout/page_head.tsx";
import { type Filled, fieldLabel, Summary } from "../parts/forms.tsx";
import { ListField } from "../parts/list_field.tsx";
import { labelIn, OtherFields } from "../parts/resource_fields.tsx";
import { inTitle, reasonsOf } from "../texts.ts";
import { ClearBox } from "./clear_box.tsx";

export type BulkAction = "change" | "delete";

interface Props {
  title: string;
  resource: Resource;
  action: BulkAction;
  rows: SelectedRecord[];
  /** Only creators and admins delete them; otherwise those in use are kept. */
  isOwned: boolean;
  filled: Filled;
  outcome: BulkOutcome | undefined;
  /** What else the deletion changes. */
  losses: string[];
  /** The records or the values differ from those of the preview. */
  isChangedSince: boolean;
  back: string;
  hiddenFields: Array<[name: string, value: string]>;
}

export function countIn({ noun, plural }: Resource, count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

export function BulkChangePage(shown: Props) {
  const { title, resource, action, rows, isOwned, filled, outcome, isChangedSince, hiddenFields } =
    shown;
  const isChange = action === "change";
  const isShown = ({ field }: FieldError) => isChange && field in filled.shape.properties;
  const deletion = isOwned ? "Those created by others are kept." : "Those in use are kept.";
  return (
    <>
      <PageHead
        title={title}
        lead={`${countIn(resource, rows.length)} selected. ${isChange ? "Blank fields are not changed." : deletion}`}
      />
      <form class="sheet" method="post" action={`/lists/${action}`}>
        {hiddenFields.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <Summary filled={{ ...filled, errors: filled.errors.filter(isShown) }} />
        <Reasons errors={filled.errors.filter((error) => !isShown(error))} />
        {isChangedSince && (
          <p class="note warn" role="alert">
            The selection, the records or the values have changed since the preview. Check the new
            preview.
          </p>
        )}
        {isChange && <Inputs resource={resource} filled={filled} />}
        <Buttons {...shown} />
      </form>
      {outcome && <Preview {...shown} outcome={outcome} />}
    </>
  );
}

/** Errors that no input is about: of a deletion, or such as a network without free addresses. */
function Reasons({ errors }: { errors: FieldError[] }) {
  if (errors.length === 0) return null;
  return (
    <p class="note bad" role="alert">
      {reasonsOf(errors)}
    </p>
  );
}

function Inputs({ resource, filled }: Pick<Props, "resource" | "filled">) {
  const cleared = textsOf(filled, "clear");
  const clear = (name: string, label?: string) =>
    isClearable(resource, name) && (
      <ClearBox
        name={name}
        field={labelIn(resource, name)}
        checked={cleared.includes(name)}
        {...(label && { label })}
      />
    );
  const placed = Object.keys(filled.shape.properties).filter(
    (name) => !(name in sharedFields(resource).properties),
  );
  return (
    <>
      <OtherFields
        filled={filled}
        placed={placed}
        blank="No change"
        below={(name) => clear(name)}
      />
      {sharedLists(resource).map(([name]) => (
        <fieldset class="part">
          <legend>{labelIn(resource, name)}</legend>
          {Object.values(listInputs(name)).map((input) => (
            <ListField
              filled={filled}
              name={input}
              values={textsOf(filled, input)}
              noun={fieldLabel(filled, input)}
              names={[]}
              suggest={`/_names/${resource.fields[name]?.shows ?? name}`}
            />
          ))}
          {clear(name, "Remove all others")}
        </fieldset>
      ))}
    </>
  );
}

function textsOf({ values }: Filled, name: string): string[] {
  return values[name] ? values[name].split("\n") : [];
}

function Buttons({ resource, action, outcome, back }: Props) {
  const many = countIn(resource, outcome?.changed ?? 0);
  const isChange = action === "change";
  return (
    <div class="buttons">
      {isChange && (
        <button type="submit" name="step" value="preview" class={outcome ? "" : "primary"}>
          Preview
        </button>
      )}
      {outcome && outcome.changed > 0 && (
        <button
          type="submit"
          name="step"
          value="apply"
          class={isChange ? "primary" : "bad"}
          autofocus={isChange}
        >
          {isChange ? "Change" : "Delete"} {many}
        </button>
      )}
      <a class="button quiet" href={back}>
        Cancel
      </a>
    </div>
  );
}

/** Further records are counted, not named. */
const MOST_NAMED = 20;

function namesIn({ rows, outcome }: PreviewProps): string {
  const notDeleted = new Set(outcome.notDeleted.map(({ id }) => id));
  return firstOf(rows.filter(({ id }) => !notDeleted.has(id)).map(({ name }) => name));
}

type PreviewProps = Props & { outcome: BulkOutcome };

function Preview(shown: PreviewProps) {
  const { resource, action, outcome, losses } = shown;
  const { changed, examples, notDeleted } = outcome;
  const rest = changed - examples.length;
  return (
    <section class="region preview" aria-labelledby="preview-title">
      <h2 id="preview-title">Preview</h2>
      <ul class="plain">
        <li>
          {countIn(resource, changed)} to {action}
          {action === "delete" && changed > 0 && `: ${namesIn(shown)}`}
        </li>
        {losses.map((loss) => (
          <li>{loss}</li>
        ))}
        {notDeleted.map(({ name, reason }) => (
          <li>
            {name}: {reason}
          </li>
        ))}
      </ul>
      {examples.length > 0 && <Examples examples={examples} resource={resource} />}
      {examples.length > 0 && rest > 0 && <p class="muted">and {rest.toLocaleString("en")} more</p>}
    </section>
  );
}

interface ExamplesProps extends Pick<BulkOutcome, "examples"> {
  resource: Resource;
}

function Examples({ examples, resource }: ExamplesProps) {
  const names = Object.keys(examples[0]?.now ?? {});
  const lists = sharedLists(resource).map(([name]) => name);
  return (
    <table class="list">
      <caption class="hidden">Preview</caption>
      <thead>
        <tr>
          <th scope="col">{inTitle(resource.noun)}</th>
          {names.map((name) => (
            <th scope="col">{labelIn(resource, name)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {examples.map(({ name, was, now }) => (
          <tr>
            <td>{name}</td>
            {names.map((one) => {
              const texts = { was: was[one] ?? "", now: now[one] ?? "" };
              return (
                <td data-label={labelIn(resource, one)}>
                  {lists.includes(one) ? <ListDifference {...texts} /> : <Difference {...texts} />}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ChangeTexts {
  was: string;
  now: string;
}

/** An old and a new value. */
export function Difference({ was, now }: ChangeTexts) {
  if (was === now) return <span class="muted">{was}</span>;
  return (
    <>
      {was && <del class="muted">{was}</del>} {was && now && <span class="muted">→</span>} {now}
    </>
  );
}

/** The names that are removed and added, one on a line of each text. */
function ListDifference({ was, now }: ChangeTexts) {
  const [had, has] = [was, now].map((text) => text.split("\n").filter((one) => one !== ""));
  const gone = (had ?? []).filter((one) => !has?.includes(one));
  const come = (has ?? []).filter((one) => !had?.includes(one));
  return (
    <>
      {gone.length > 0 && <del class="muted">{firstOf(gone)}</del>}{" "}
      {come.length > 0 && `+ ${firstOf(come)}`}
    </>
  );
}

function firstOf(names: string[]): string {
  const rest = names.length - MOST_NAMED;
  const shown = names.slice(0, MOST_NAMED).join(", ");
  return rest > 0 ? `${shown} and ${rest.toLocaleString("en")} more` : shown;
}
