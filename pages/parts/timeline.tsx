// Changes, newest first: user, time, and the old and new value of each field.
import type { ComponentChildren } from "preact";
import type {
  Event,
  LinkedDifference,
  LinkedEvent,
  Timeline as RecordChanges,
  RecordRef,
} from "../../src/history/history.ts";
import {
  changePath,
  eventLabel,
  eventPath,
  nounOf,
  ownerParts,
  phraseOf,
  shownDifferences,
  siteFieldOf,
  VERBS,
} from "../../src/history/words.ts";
import { resourceOf } from "../../src/resources.ts";
import type { FieldDifference } from "../../src/store/resource.ts";
import type { Definition } from "../../src/store/site/definitions.ts";
import { typeOf } from "../../src/store/site/types.ts";
import { PartOfSentence } from "../changes/sentence.tsx";
import { RecordLink, recordPath } from "../records/links.tsx";
import { dayInWords, isDay, Time } from "../records/time.tsx";
import { labelsOf } from "./resource_fields.tsx";

type TimelineEvent = Event & Partial<Pick<LinkedEvent, "differences" | "owner">>;

interface Props {
  events: TimelineEvent[];
  /** The record of the page; its name is not repeated. */
  of?: RecordRef;
  /** On the page of a change set, which shows user and time once at the top. */
  isSet?: boolean;
}

/** Each event links to its change set. */
export function Timeline({ events, of, isSet = false }: Props) {
  return (
    <ol class="timeline">
      {events.map((event) => (
        <li>
          {!isSet && <Author event={event} />} <Change event={event} of={of} />
          {event.differences && (
            <Differences
              table={event.table_name}
              differences={shownDifferences(event.action, event.differences)}
            />
          )}
        </li>
      ))}
    </ol>
  );
}

function Author({ event }: { event: Event }) {
  return (
    <>
      <a class="when" href={changePath(event.change_set)}>
        <Time at={event.at} />
      </a>{" "}
      <b>{event.user ? <RecordLink table="users" name={event.user} /> : "system"}</b>
    </>
  );
}

/** The timeline of a record, and links to the rest and to the list of changes, where it can be filtered. */
export function RecordTimeline({ timeline, of }: { timeline: RecordChanges; of: RecordRef }) {
  const { events, total } = timeline;
  const own = events.find(({ table_name }) => table_name === of.table);
  const filter = new URLSearchParams({ kind: of.table, record: own?.name ?? String(of.id) });
  return (
    <>
      <Timeline events={events} of={of} />
      {total > events.length && (
        <a class="button quiet" href={`/changes/${of.table}/${of.id}`}>
          All {total.toLocaleString("en")} changes
        </a>
      )}
      {total > 0 && (
        <a class="button quiet" href={`/changes?${filter}`}>
          Show in changes
        </a>
      )}
    </>
  );
}

const LONGEST = 300;

interface DifferencesProps {
  table?: string;
  /** The name of a field, and the table of the records that its values name, if the fields are not those of a table. */
  labelOf?: (field: string) => string;
  tableOf?: (field: string) => string | undefined;
  /** `links` has the tables of the records that the values name. */
  differences: Array<FieldDifference & Partial<Pick<LinkedDifference, "links">>>;
  /** In a preview: the names of records that it would add. All other names are of records that exist. */
  added?: ReadonlySet<string>;
}

export function Differences(props: DifferencesProps) {
  const { table = "", differences, added } = props;
  const { labelOf = (field) => (table === "comments" ? "" : eventLabel(table, field)) } = props;
  const { tableOf = (field) => resourceOf(table)?.fields[field]?.shows } = props;
  if (differences.length === 0) return null;
  const inWords = (field: string, value: string) => valueInWords(siteFieldOf(table, field), value);
  return (
    <ul class="differences">
      {differences.map(({ field, old, now, links = alike(tableOf(field)) }) => (
        <li>
          {labelOf(field)} {old !== null && <del>{shown(inWords(field, old), links.old)}</del>}{" "}
          {old !== null && now !== null && <span class="muted">→</span>}{" "}
          {now !== null && (
            <ins>{shown(inWords(field, now), added?.has(now) ? undefined : links.now)}</ins>
          )}
        </li>
      ))}
    </ul>
  );
}

export function Change({ event, of }: { event: TimelineEvent; of?: RecordRef }) {
  const { table_name, row_id, action } = event;
  if (of?.table === table_name && of.id === row_id)
    return <>{`${VERBS[action]} this ${nounOf(table_name)}`}</>;
  const isOwn = of?.table === "items" && table_name === "comments";
  if (isOwn) return <>{`${VERBS[action]} a ${nounOf(table_name)}`}</>;
  return (
    <>
      <ChangedRecord event={event} />
      {of?.table !== event.owner?.table &&
        ownerParts(event).map((part) => <PartOfSentence part={part} />)}
    </>
  );
}

/** What happened, and the name of the record as a link if it has a page. */
function ChangedRecord({ event }: { event: Event }) {
  const { row_id, action, name } = event;
  const path = action === "delete" ? undefined : eventPath(event);
  const called = name ?? String(row_id);
  return (
    <>
      {phraseOf(event)} {path ? <a href={path}>{called}</a> : called}
    </>
  );
}

/** Dates and choices as the page of the record shows them. */
function valueInWords(field: Definition | undefined, value: string): string {
  if (field?.type === "date" && isDay(value)) return dayInWords(value);
  const labels = field && labelsOf(typeOf(field).schema(field));
  if (!labels) return value;
  const chosen = labels.has(value) ? [value] : value.split(", ");
  return chosen.map((one) => labels.get(one) ?? one).join(", ");
}

function alike(table: string | undefined): LinkedDifference["links"] {
  return { old: table, now: table };
}

function shown(text: string, table: string | undefined): ComponentChildren {
  const path = table && recordPath(table, text);
  if (path) return <a href={path}>{text}</a>;
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
