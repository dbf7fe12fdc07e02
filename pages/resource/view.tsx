// The page of a record: its facts, what else its resource shows, and its history.
import type { ComponentChildren, VNode } from "preact";
import type { Timeline } from "../../src/history/history.ts";
import type { Refusal } from "../../src/input/errors.ts";
import type { Resource } from "../../src/store/resource.ts";
import { WatchButton } from "../events/watch_button.tsx";
import { AskOfPage } from "../help/ask.tsx";
import { DeleteForm } from "../layout/confirm.tsx";
import type { Crumb } from "../layout/layout.tsx";
import { Stamps } from "../parts/facts.tsx";
import { RefusalNote } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { Facts } from "../parts/resource_fields.tsx";
import { RecordTimeline } from "../parts/timeline.tsx";
import { InList, type PlaceInList } from "../records/in_list.tsx";
import { inTitle } from "../texts.ts";

/** A record that has a page. */
export interface PagedRow {
  id: number;
  /** Who saved it last and when, if the record stores it. */
  user?: string | null;
  updated_at?: string | null;
}

/** What the page of a resource shows in its own way. */
export interface RecordParts {
  /** In the breadcrumb, the records that it is in. */
  above?: Crumb[];
  /** By default the name. */
  heading?: ComponentChildren;
  /** By default the noun. */
  lead?: ComponentChildren;
  /** Before the heading. */
  picture?: VNode;
  /** Beside the heading, before the link to the form. */
  actions?: ComponentChildren;
  /** Above the facts, in the panel. */
  label?: ComponentChildren;
  /** By default all fields and the stamps. */
  facts?: ComponentChildren;
  /** Below the facts, in the panel; by default the button that deletes the record. */
  danger?: ComponentChildren;
  /** Beside the facts and above the history. */
  contents?: ComponentChildren;
  /** Instead of all that is below the heading. */
  body?: ComponentChildren;
  /** What htmx gets, if it is not the whole page. */
  fragment?: VNode;
  /** Tables of other records that are listed. */
  live?: readonly string[];
  status?: number | undefined;
  /** Where the record is edited, if that is not the usual form. */
  editPath?: string | undefined;
  mayEdit?: boolean;
}

interface ResourcePageProps extends RecordParts {
  resource: Resource;
  row: PagedRow;
  name: string;
  /** Undefined if its pages show no history. */
  timeline: Timeline | undefined;
  place: PlaceInList | undefined;
  pathOf: (name: string) => string;
  /** Why the action was refused. */
  refusal: Refusal | undefined;
  /** What is said before it is deleted, if the caller may. */
  deletion: { action: string; field: [name: string, value: string]; detail: string } | undefined;
}

export function RecordPage(props: ResourcePageProps) {
  const { resource, row, name, timeline, place, pathOf, refusal, editPath } = props;
  return (
    <>
      <header class="head">
        {props.picture}
        <div>
          <h1>{props.heading ?? name}</h1> <AskOfPage />
          <p class="lead">{props.lead ?? inTitle(resource.noun)}</p>
        </div>
        <div class="actions">
          <InList place={place} pathOf={pathOf} />
          {timeline && (
            <WatchButton
              of={{ table: resource.name, id: row.id }}
              name={name}
              watch={timeline.watch}
            />
          )}
          <div class="actions reach">
            {props.actions}
            {editPath && (
              <a class="button primary" href={editPath} data-key="e">
                <Icon name="pencil" /> Edit
              </a>
            )}
          </div>
        </div>
      </header>
      <RefusalNote refusal={refusal} />
      {props.body ?? <RecordBody {...props} />}
    </>
  );
}

function RecordBody(props: ResourcePageProps) {
  const { resource, row, name, timeline, deletion, label, facts, contents } = props;
  return (
    <div class="split record">
      <aside class="panel first" aria-label="Facts">
        {label}
        <dl class="facts">
          {facts ?? (
            <Facts of={resource} row={row}>
              <Stamps of={row} />
            </Facts>
          )}
        </dl>
        {props.danger ??
          (deletion && <DeleteForm {...deletion} noun={resource.noun} name={name} />)}
      </aside>
      {contents && <div class="stack">{contents}</div>}
      <RecordHistory resource={resource} id={row.id} timeline={timeline} isLate={!!contents} />
    </div>
  );
}

interface HistoryProps {
  resource: Resource;
  id: number;
  timeline: Timeline | undefined;
  /** Below the facts, in the second column. */
  isLate?: boolean;
  more?: Record<string, string>;
}

export function RecordHistory({ resource, id, timeline, isLate = true, more }: HistoryProps) {
  if (!timeline) return null;
  return (
    <section
      id="history"
      class={isLate ? "late" : undefined}
      aria-labelledby="history-title"
      {...more}
    >
      <h2 id="history-title">History</h2>
      <RecordTimeline timeline={timeline} of={{ table: resource.name, id }} />
    </section>
  );
}
