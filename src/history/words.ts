// What a change set did, in words: "Added host web-01, interface web-01", "Changed 13 items: Location". For pages, mails
// and feeds alike.
import { publicId } from "../input/change_ids.ts";
import { capitalized, formatNumber } from "../input/text.ts";
import { resourceOf, resources } from "../resources.ts";
import type { FieldDifference } from "../store/resource.ts";
import { type Definition, definitionsIn, SITE_FIELD } from "../store/site/definitions.ts";
import type { Event, LinkedEvent } from "./events.ts";
import type { ChangeCount, StoredSet } from "./sets.ts";

/** Text, or the name of a record with the path of its page, if it has one. */
export type SentencePart = string | { name: string; path: string | undefined };

export type SetSummary = Pick<StoredSet, "id" | "counts" | "events" | "total">;

export const VERBS = { insert: "added", update: "changed", delete: "deleted" };

export const ACTIONS = ["insert", "update", "delete"] as const;
/** At most this many records are named, otherwise counted. */
const NAMED = 3;
/** Kinds of records in one sentence, and fields. */
const MOST_KINDS = 4;
const MOST_FIELDS = 4;

/** Records come before their parts. */
const PARTS = [
  "interfaces",
  "cnames",
  "macs",
  "comments",
  "files",
  "group_hosts",
  "group_children",
];
const ORDER = [
  ...["hosts", "items", "networks", "scopes", "domains", "groups"],
  ...resources.map(({ name }) => name).filter((name) => !PARTS.includes(name)),
  ...PARTS,
];

interface Style {
  /** Where a number of records leads to; without it they are plain text. */
  details?: string | undefined;
  /** After the name of the user. */
  isInside?: boolean;
}

/** The sentence, without the changed fields. */
export function sentenceOf(
  set: SetSummary,
  { details, isInside = false }: Style = {},
): SentencePart[] {
  const counts = inOrder(set.counts);
  const rest = counts.slice(MOST_KINDS).reduce((sum, { count }) => sum + count, 0);
  return [
    ...counts
      .slice(0, MOST_KINDS)
      .flatMap((one, at) => [verbAt(counts, at, isInside), ...recordsOf(set, one, details)]),
    ...(rest > 0 ? [` and ${formatNumber(rest)} more`] : []),
  ];
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
  return isInside ? `${verb} ` : `${capitalized(verb)} `;
}

function recordsOf(set: SetSummary, of: ChangeCount, details: string | undefined): SentencePart[] {
  const { table_name, action, count } = of;
  const own = set.events.filter((one) => one.table_name === table_name && one.action === action);
  const named = [...new Map(own.map((one) => [one.row_id, one])).values()];
  const isRepeated = new Set(named.map(({ name }) => name)).size < named.length;
  if (count > NAMED || named.length < count || isRepeated) {
    const [one = nounOf(table_name), many = pluralOf(table_name)] = COUNTED[table_name] ?? [];
    const text = `${formatNumber(count)} ${count === 1 ? one : many}`;
    return [details === undefined ? text : { name: text, path: details }];
  }
  const noun = named.length === 1 ? singularOf(table_name) : pluralOf(table_name);
  return [
    `${noun} `,
    ...named.flatMap((one, at) => [...(at > 0 ? [", "] : []), nameOf(one), ...ownerParts(one)]),
  ];
}

/** After the name of a file: "to item AAA001". */
export function ownerParts({ action, owner }: OwnedEvent): SentencePart[] {
  if (!owner) return [];
  const { table, name, exists } = owner;
  const path = exists ? resourceOf(table)?.page?.(encodeURIComponent(name)) : undefined;
  return [` ${action === "insert" ? "to" : "of"} ${nounOf(table)} `, { name, path }];
}

type OwnedEvent = Pick<LinkedEvent, "action" | "owner">;

function nameOf(event: LinkedEvent): SentencePart {
  const path = event.action === "delete" ? undefined : eventPath(event);
  return { name: event.name ?? String(event.row_id), path };
}

/** Of parts, which are named by the record that they belong to. */
const NOUNS: Record<string, [one: string, many: string]> = {
  comments: ["a comment on", "comments on"],
  group_hosts: ["a member of group", "members of groups"],
  group_children: ["a child of group", "children of groups"],
};

/** Parts that are counted, without the names of what they belong to. */
const COUNTED: typeof NOUNS = {
  comments: ["comment", "comments"],
  group_hosts: ["member of a group", "members of groups"],
  group_children: ["child of a group", "children of groups"],
};

const PHRASES: Record<string, Record<Event["action"], string>> = {
  comments: {
    insert: "added a comment on",
    update: "changed a comment on",
    delete: "deleted a comment on",
  },
  group_hosts: {
    insert: "added a host to group",
    update: "changed a host of group",
    delete: "removed a host from group",
  },
  group_children: {
    insert: "added a child to group",
    update: "changed a child of group",
    delete: "removed a child from group",
  },
};

const OWNERS: Record<string, string> = {
  comments: "items",
  group_hosts: "groups",
  group_children: "groups",
};

function singularOf(table: string): string {
  return NOUNS[table]?.[0] ?? nounOf(table);
}

function pluralOf(table: string): string {
  const plural = resources.find(({ name }) => name === table)?.plural;
  return NOUNS[table]?.[1] ?? plural ?? table;
}

export function nounOf(table: string): string {
  return resourceOf(table)?.noun ?? table;
}

/** What happened to one record, before its name: "changed host", "added a comment on". */
export function phraseOf({ table_name, action }: Event): string {
  return PHRASES[table_name]?.[action] ?? `${VERBS[action]} ${nounOf(table_name)}`;
}

/** The page of a change set. */
export function changePath(id: number): string {
  return `/changes/${publicId(id)}`;
}

/** The page of the record, if it has one. */
export function eventPath({ table_name, name }: Event): string | undefined {
  if (name === null) return undefined;
  return resourceOf(OWNERS[table_name] ?? table_name)?.page?.(encodeURIComponent(name));
}

/** The field of the site that a changed field is, if it is one. */
export function siteFieldOf(table: string, field: string): Definition | undefined {
  const [outer, key] = field.split(".");
  return outer === SITE_FIELD ? definitionsIn(table).find((one) => one.key === key) : undefined;
}

export function eventLabel(table: string, field: string): string {
  const ofSite = siteFieldOf(table, field);
  if (ofSite) return ofSite.label;
  return resourceOf(table)?.fields[field]?.label ?? capitalized(field.replaceAll("_", " "));
}

/** The names of the changed fields, if the change set only changed fields. */
export function changedFieldNames({ counts, events }: SetSummary): string {
  if (counts.some(({ action }) => action !== "update")) return "";
  const names = events.flatMap((one) =>
    one.differences.map(({ field }) => eventLabel(one.table_name, field)),
  );
  const fields = [...new Set(names)];
  const shown = fields.slice(0, MOST_FIELDS).join(", ");
  return fields.length > MOST_FIELDS ? `${shown}, …` : shown;
}

const BLANK: ReadonlyArray<string | null> = ["false", "{}"];

/** A new record shows what was entered: neither boxes that were left empty nor empty variables. */
export function shownDifferences<D extends FieldDifference>(
  action: Event["action"],
  all: D[],
): D[] {
  return action === "insert" ? all.filter(({ now }) => !BLANK.includes(now)) : all;
}
