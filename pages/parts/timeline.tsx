// Changes, newest first: user, time, and the old and new value of each field.

import type {
  Event,
  EventWithDifferences,
  Timeline as RecordChanges,
  RecordRef,
} from "../../src/history/history.ts";
import { resourceOf } from "../../src/resources.ts";
import type { Difference } from "../../src/store/resource.ts";
import { RecordLink, recordPath } from "../records/links.tsx";
import { Time } from "../records/time.tsx";
import { inWords } from "./forms.tsx";

type TimelineEvent = Event & Partial<Pick<EventWithDifferences, "differences">>;

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
            <Differences table={event.table_name} differences={event.differences} />
          )}
        </li>
      ))}
    </ol>
  );
}

function Author({ event }: { event: Event }) {
  return (
    <>
      <a class="when" href={`/changes/${event.change_set}`}>
        <Time at={event.at} />
      </a>{" "}
      <b>{event.user ? <RecordLink table="users" name={event.user} /> : "system"}</b>
    </>
  );
}

/** The timeline of a record, and a link to the rest. */
export function RecordTimeline({ timeline, of }: { timeline: RecordChanges; of: RecordRef }) {
  const { events, total } = timeline;
  return (
    <>
      <Timeline events={events} of={of} />
      {total > events.length && (
        <a class="button quiet" href={`/changes/${of.table}/${of.id}`}>
          All {total.toLocaleString("en")} changes
        </a>
      )}
    </>
  );
}

const LONGEST = 300;

interface DifferencesProps {
  table?: string;
  /** The name of a field, if the fields are not those of a table. */
  labelOf?: (field: string) => string;
  differences: Difference[];
}

export function Differences({ table = "", labelOf, differences }: DifferencesProps) {
  const label =
    labelOf ?? ((field: string) => (table === "comments" ? "" : eventLabel(table, field)));
  if (differences.length === 0) return null;
  return (
    <ul class="differences">
      {differences.map(({ field, old, now }) => (
        <li>
          {label(field)} {old !== null && <del>{shorten(old)}</del>}{" "}
          {old !== null && now !== null && <span class="muted">→</span>}{" "}
          {now !== null && <ins>{shorten(now)}</ins>}
        </li>
      ))}
    </ul>
  );
}

export const VERBS = { insert: "added", update: "changed", delete: "deleted" };

function Change({ event, of }: { event: TimelineEvent; of?: RecordRef }) {
  const { table_name, row_id, action } = event;
  if (of?.table === table_name && of.id === row_id)
    return <>{`${VERBS[action]} this ${nounOf(table_name)}`}</>;
  const isOwn = of?.table === "items" && table_name === "comments";
  if (isOwn) return <>{`${VERBS[action]} a ${nounOf(table_name)}`}</>;
  return (
    <>
      {VERBS[action]} <ChangedRecord event={event} />
    </>
  );
}

/** What was changed: its noun, and its name as a link if it has a page. */
function ChangedRecord({ event }: { event: Event }) {
  const { table_name, row_id, action, name } = event;
  const path = action === "delete" ? undefined : eventPath(event);
  const called = name ?? String(row_id);
  return (
    <>
      {table_name === "comments" ? "a comment on" : nounOf(table_name)}{" "}
      {path ? <a href={path}>{called}</a> : called}
    </>
  );
}

export function nounOf(table: string): string {
  return LINKS[table] ?? resourceOf(table)?.noun ?? table;
}

/** Memberships; their name is that of the group. */
const LINKS: Record<string, string> = { group_hosts: "member of", group_children: "child of" };

/** The page of the record, if it has one. */
export function eventPath({ table_name, name }: Event): string | undefined {
  if (name === null) return undefined;
  const table = table_name in LINKS ? "groups" : table_name === "comments" ? "items" : table_name;
  return recordPath(table, name);
}

export function eventLabel(table: string, field: string): string {
  return resourceOf(table)?.fields[field]?.label ?? inWords(field);
}

function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
