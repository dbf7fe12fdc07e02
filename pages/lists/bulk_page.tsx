import type { BulkOutcome, SelectedRecord } from "../../src/store/bulk.ts";
import type { Resource } from "../../src/store/resource.ts";
import { type Filled, labelOf, Summary } from "../parts/forms.tsx";
import { OtherFields } from "../parts/resource_fields.tsx";
import { inTitle } from "../texts.ts";

export type BulkAction = "change" | "delete";

interface Props {
  title: string;
  resource: Resource;
  action: BulkAction;
  rows: SelectedRecord[];
  filled: Filled;
  outcome: BulkOutcome | undefined;
  /** The records or the values differ from those of the preview. */
  isChangedSince: boolean;
  back: string;
  hiddenFields: Array<[name: string, value: string]>;
}

export function countIn({ noun, plural }: Resource, count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

export function BulkChangePage(shown: Props) {
  const { title, resource, action, rows, filled, outcome, isChangedSince, hiddenFields } = shown;
  const isChange = action === "change";
  const rule = isChange ? "Blank fields are not changed." : "Those in use are kept.";
  return (
    <>
      <header class="head">
        <div>
          <h1>{title}</h1>
          <p class="lead">
            {countIn(resource, rows.length)} selected. {rule}
          </p>
        </div>
      </header>
      <form class="sheet" method="post" action={`/lists/${action}`}>
        {hiddenFields.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <Summary filled={filled} />
        {isChangedSince && (
          <p class="note warn" role="alert">
            The selection or the values have changed since the preview. Check the new preview.
          </p>
        )}
        {isChange && <OtherFields filled={filled} placed={[]} blank="No change" />}
        <Buttons {...shown} />
      </form>
      {outcome && <Preview {...shown} outcome={outcome} />}
    </>
  );
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
        <button type="submit" name="step" value="apply" class={isChange ? "primary" : "bad"}>
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
  const notDeleted = new Set(outcome.notDeleted.map(({ name }) => name));
  const names = rows.map(({ name }) => name).filter((name) => !notDeleted.has(name));
  const rest = names.length - MOST_NAMED;
  const shown = names.slice(0, MOST_NAMED).join(", ");
  return rest > 0 ? `${shown} and ${rest.toLocaleString("en")} more` : shown;
}

type PreviewProps = Props & { outcome: BulkOutcome };

function Preview(shown: PreviewProps) {
  const { resource, action, outcome, filled } = shown;
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
        {notDeleted.map(({ name, reason }) => (
          <li>
            {name}: {reason}
          </li>
        ))}
      </ul>
      {examples.length > 0 && <Examples examples={examples} filled={filled} noun={resource.noun} />}
      {examples.length > 0 && rest > 0 && <p class="muted">and {rest.toLocaleString("en")} more</p>}
    </section>
  );
}

interface ExamplesProps extends Pick<BulkOutcome, "examples"> {
  filled: Filled;
  noun: string;
}

function Examples({ examples, filled, noun }: ExamplesProps) {
  const names = Object.keys(examples[0]?.now ?? {});
  return (
    <table class="list">
      <caption class="hidden">Preview</caption>
      <thead>
        <tr>
          <th scope="col">{inTitle(noun)}</th>
          {names.map((name) => (
            <th scope="col">{labelOf(filled, name)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {examples.map(({ name, was, now }) => (
          <tr>
            <td>{name}</td>
            {names.map((one) => (
              <td data-label={labelOf(filled, one)}>
                <Difference was={was[one] ?? ""} now={now[one] ?? ""} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Difference({ was, now }: { was: string; now: string }) {
  if (was === now) return <span class="muted">{was}</span>;
  return (
    <>
      {was && <del class="muted">{was}</del>} {was && <span class="muted">→</span>} {now}
    </>
  );
}
