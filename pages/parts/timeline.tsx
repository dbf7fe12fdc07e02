// What happened, newest first: who, when, and field by field what was and what is.

import { kinds } from "../../src/inventory/attributes/attribute.ts";
import type { Difference } from "../../src/store/differences.ts";
import type { Event, Timeline as Listed, Told, Which } from "../../src/store/history.ts";

type Shown = Event & Partial<Pick<Told, "differences">>;

interface Props {
  events: Shown[];
  /** The record on whose page this stands: its name is not repeated. */
  of?: Which;
  /** All of them in one change set, on whose page this stands: who and when is said above. */
  isSet?: boolean;
}

/** Each event leads to the change set that it was part of. */
export function Timeline({ events, of, isSet = false }: Props) {
  return (
    <ol class="timeline">
      {events.map((event) => (
        <li>
          {!isSet && <Author event={event} />} <Deed event={event} of={of} />
          {event.differences && <Differences differences={event.differences} />}
        </li>
      ))}
    </ol>
  );
}

function Author({ event }: { event: Event }) {
  return (
    <>
      <a class="when" href={`/changes/${event.change_set}`}>
        <time>{event.at}</time>
      </a>{" "}
      <b>{event.user ?? "the machine"}</b>
    </>
  );
}

/** The timeline of a record, and the way to what does not fit. */
export function RecordTimeline({ timeline, of }: { timeline: Listed; of: Which }) {
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

export function Differences({ differences }: { differences: Difference[] }) {
  if (differences.length === 0) return null;
  return (
    <ul class="differences">
      {differences.map(({ field, old, now }) => (
        <li>
          {field === "body" ? "" : labelOf(field)} {old !== null && <del>{shorten(old)}</del>}{" "}
          {old !== null && now !== null && <span class="muted">→</span>}{" "}
          {now !== null && <ins>{shorten(now)}</ins>}
        </li>
      ))}
    </ul>
  );
}

const VERBS = { insert: "added", update: "changed", delete: "deleted" };

function Deed({ event, of }: { event: Shown; of?: Which }) {
  const { table_name, row_id, action, name } = event;
  if (of?.table === table_name && of.id === row_id) return <>{VERBS[action]} it</>;
  const noun = nounOf(table_name);
  const isOwn = of?.table === "items" && table_name === "comments";
  if (isOwn) return <>{`${VERBS[action]} a ${noun}`}</>;
  const path = action === "delete" ? undefined : pathOf(event);
  const called = name ?? String(row_id);
  return (
    <>
      {VERBS[action]} {table_name === "comments" ? "a comment on" : noun}{" "}
      {path ? <a href={path}>{called}</a> : called}
    </>
  );
}

function nounOf(table: string): string {
  const kind = kinds.find(({ plural }) => plural === table);
  if (kind) return kind.name;
  return NOUNS[table] ?? table;
}

const NOUNS: Record<string, string> = {
  items: "item",
  comments: "comment",
  macs: "MAC address",
  domains: "domain",
  scopes: "scope",
  networks: "network",
  device_types: "device type",
  hosts: "host",
  interfaces: "interface",
  cnames: "cname",
  groups: "group",
  group_hosts: "member of",
  group_children: "child of",
};

function pathOf({ table_name, row_id, name }: Event): string | undefined {
  const kind = kinds.find(({ plural }) => plural === table_name);
  if (kind) return `/inventory/attributes/${kind.name}?selected=${row_id}`;
  const view = VIEWS[table_name];
  return view && name ? `${view}/${encodeURIComponent(name)}` : undefined;
}

const VIEWS: Record<string, string> = {
  items: "/inventory/items/view",
  comments: "/inventory/items/view",
  scopes: "/network/scopes/view",
  networks: "/network/networks/view",
  hosts: "/network/hosts/view",
  groups: "/network/groups/view",
  group_hosts: "/network/groups/view",
  group_children: "/network/groups/view",
};

function labelOf(field: string): string {
  const spelt = SPELT[field];
  if (spelt) return spelt;
  const words = field.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const SPELT: Record<string, string> = {
  ics_id: "ICS id",
  vlan_id: "VLAN",
  vlan_name: "VLAN name",
  ip: "IP",
  mac: "MAC",
  first_ip: "First IP",
  last_ip: "Last IP",
  is_ioc: "IOC",
};

function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
