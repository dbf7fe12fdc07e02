// What a change set did, in one sentence: "Added host web-01, interface web-01", "Changed 13 items: Location".
import type { ComponentChildren } from "preact";
import type { LinkedEvent } from "../../src/history/events.ts";
import type { ChangeCount, StoredSet } from "../../src/history/sets.ts";
import { resources } from "../../src/resources.ts";
import { eventLabel, eventPath, nounOf, VERBS } from "../parts/timeline.tsx";
import { inTitle } from "../texts.ts";

type SetSummary = Pick<StoredSet, "id" | "counts" | "events" | "total">;

const ACTIONS = ["insert", "update", "delete"] as const;
/** At most this many records are named, otherwise counted. */
const NAMED = 3;
/** Kinds of records in one sentence, and fields. */
const MOST_KINDS = 4;
const MOST_FIELDS = 4;

/** Records come before their parts. */
const PARTS = ["interfaces", "cnames", "macs", "comments", "group_hosts", "group_children"];
const ORDER = [
  ...["hosts", "items", "networks", "scopes", "domains", "groups"],
  ...resources.map(({ name }) => name).filter((name) => !PARTS.includes(name)),
  ...PARTS,
];

interface Props {
  set: SetSummary;
  /** Names the changed fields. */
  withFields?: boolean;
  /** On the page of the set: no link leads there. */
  isOwn?: boolean;
  /** After the name of the user. */
  isInside?: boolean;
}

export function Sentence({ set, withFields = true, isOwn = false, isInside = false }: Props) {
  const counts = inOrder(set.counts);
  const rest = counts.slice(MOST_KINDS).reduce((sum, { count }) => sum + count, 0);
  const fields = withFields ? changedFields(set) : "";
  return (
    <>
      {counts.slice(0, MOST_KINDS).map((one, at) => (
        <>
          {verbAt(counts, at, isInside)}
          <Records set={set} of={one} isOwn={isOwn} />
        </>
      ))}
      {rest > 0 && ` and ${count(rest)} more`}
      {fields !== "" && <span class="muted">: {fields}</span>}
    </>
  );
}

/** The operation on the main record comes first, with all records that had the same operation. */
function inOrder(counts: ChangeCount[]): ChangeCount[] {
  const rank = ({ table_name }: ChangeCount) => ORDER.indexOf(table_name);
  const alike = ACTIONS.map((action) =>
    counts.filter((one) => one.action === action).toSorted((one, other) => rank(one) - rank(other)),
  );
  const first = ([main]: ChangeCount[]) => (main ? rank(main) : ORDER.length);
  return alike.toSorted((some, others) => first(some) - first(others)).flat();
}

/** The verb is not repeated. */
function verbAt(counts: ChangeCount[], at: number, isInside: boolean): string {
  const [before, one] = [counts[at - 1]?.action, counts[at]?.action ?? "update"];
  if (before === one) return ", ";
  const verb = VERBS[one];
  if (before !== undefined) return `; ${verb} `;
  return isInside ? `${verb} ` : `${inTitle(verb)} `;
}

interface RecordsProps {
  set: SetSummary;
  of: ChangeCount;
  isOwn: boolean;
}

function Records({
  set,
  of: { table_name, action, count: many },
  isOwn,
}: RecordsProps): ComponentChildren {
  const own = set.events.filter((one) => one.table_name === table_name && one.action === action);
  const named = [...new Map(own.map((one) => [one.row_id, one])).values()];
  const isRepeated = new Set(named.map(({ name }) => name)).size < named.length;
  if (many > NAMED || own.length < many || isRepeated) {
    const text = `${count(many)} ${pluralOf(table_name)}`;
    if (isOwn) return text;
    return <a href={`/changes/${set.id}`}>{text}</a>;
  }
  return (
    <>
      {named.length === 1 ? phraseOf(table_name) : pluralOf(table_name)}{" "}
      {named.map((event, at) => (
        <>
          {at > 0 && ", "}
          <Name event={event} />
        </>
      ))}
    </>
  );
}

function Name({ event }: { event: LinkedEvent }): ComponentChildren {
  const path = event.action === "delete" ? undefined : eventPath(event);
  const name = event.name ?? String(event.row_id);
  return path ? <a href={path}>{name}</a> : <b>{name}</b>;
}

const PHRASES: Record<string, [one: string, many: string]> = {
  comments: ["a comment on", "comments on"],
  group_hosts: ["a host of group", "hosts of groups"],
  group_children: ["a child of group", "children of groups"],
};

function phraseOf(table: string): string {
  return PHRASES[table]?.[0] ?? nounOf(table);
}

function pluralOf(table: string): string {
  const plural = resources.find(({ name }) => name === table)?.plural;
  return PHRASES[table]?.[1] ?? plural ?? table;
}

/** The names of the changed fields, if the change set only changed fields. */
function changedFields({ counts, events }: SetSummary): string {
  if (counts.some(({ action }) => action !== "update")) return "";
  const [only, ...others] = counts;
  if (!only || others.length > 0) return "";
  const names = events.flatMap((one) =>
    one.differences.map(({ field }) => eventLabel(one.table_name, field)),
  );
  const fields = [...new Set(names)];
  const shown = fields.slice(0, MOST_FIELDS).join(", ");
  return fields.length > MOST_FIELDS ? `${shown}, …` : shown;
}

function count(many: number): string {
  return many.toLocaleString("en");
}
