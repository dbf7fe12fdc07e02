import type { Timeline } from "../../src/history/history.ts";
import type { Refusal } from "../../src/input/errors.ts";
import type { Resource } from "../../src/store/resource.ts";
import { WatchButton } from "../events/watch_button.tsx";
import { DeleteForm } from "../layout/confirm.tsx";
import { Stamps } from "../parts/facts.tsx";
import { RefusalNote } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { Facts } from "../parts/resource_fields.tsx";
import { RecordTimeline } from "../parts/timeline.tsx";
import { InList, type PlaceInList } from "../records/in_list.tsx";
import { inTitle } from "../texts.ts";
import { References, type Referring } from "./contents.tsx";
import type { StandardRow } from "./row.ts";

interface Props {
  resource: Resource;
  row: Pick<StandardRow, "id" | "user" | "updated_at">;
  name: string;
  timeline: Timeline;
  /** Empty if no other resource refers to this one. */
  referring: Referring[];
  place: PlaceInList | undefined;
  /** Why the action was refused. */
  refusal?: Refusal | undefined;
  mayEdit: boolean;
  /** The field that names the record, and what is said before it is deleted; null without permission. */
  deletion: { field: [name: string, value: string]; detail: string } | null;
}

export function RecordPage(props: Props) {
  const { resource, row, name, timeline, referring, place, refusal, mayEdit, deletion } = props;
  return (
    <>
      <header class="head">
        <div>
          <h1>{name}</h1>
          <p class="lead">{inTitle(resource.noun)}</p>
        </div>
        <div class="actions">
          <InList
            place={place}
            pathOf={(one) => `${resource.path}/view/${encodeURIComponent(one)}`}
          />
          <WatchButton
            of={{ table: resource.name, id: row.id }}
            name={name}
            watch={timeline.watch}
          />
          {mayEdit && (
            <a
              class="button primary"
              href={`${resource.path}/edit/${encodeURIComponent(name)}`}
              data-key="e"
            >
              <Icon name="pencil" /> Edit
            </a>
          )}
        </div>
      </header>
      <RefusalNote refusal={refusal} />
      <div class="split record">
        {referring.length > 0 && <References name={name} referring={referring} />}
        <aside class="panel first" aria-label="Facts">
          <dl class="facts">
            <Facts of={resource} row={row} />
            {row.updated_at && <Stamps of={row} />}
          </dl>
          {deletion && (
            <DeleteForm
              {...deletion}
              action={`${resource.path}/delete`}
              noun={resource.noun}
              name={name}
            />
          )}
        </aside>
        <section class={referring.length > 0 ? "late" : undefined} aria-labelledby="history-title">
          <h2 id="history-title">History</h2>
          <RecordTimeline timeline={timeline} of={{ table: resource.name, id: row.id }} />
        </section>
      </div>
    </>
  );
}
