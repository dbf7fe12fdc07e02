// The answers of the one box to questions, and what it knows of a text that names no record of today: a user, a record
// that was deleted.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import type { Caller } from "../auth/auth.ts";
import { mayKnowHost } from "../auth/visibility.ts";
import type { LinkedEvent } from "../history/events.ts";
import { latestChanges } from "../history/feed.ts";
import type { ChangeFilters } from "../history/filters.ts";
import { nounOf, sentenceOf, VERBS } from "../history/words.ts";
import { singular, textError } from "../input/text.ts";
import { propose } from "../network/addresses/allocation.ts";
import { hostQuery } from "../network/hosts/query.ts";
import { network } from "../network/networks/network.ts";
import { networkQuery } from "../network/networks/query.ts";
import { resourceOf, resources } from "../resources.ts";
import { asContainsQuery, quoted } from "../search/language/typed_text.ts";
import * as crud from "../store/crud.ts";
import { rowsOf } from "../store/records.ts";
import { type Definition, definitionsFor } from "../store/site/definitions.ts";
import { choiceIn, choiceOf, typeOf } from "../store/site/types.ts";
import { suggestTags } from "../tags.ts";
import { type AddressLookup, lookUpAddress } from "./address_lookup.ts";
import { findQueried } from "./query_results.ts";
import type { Days, Question } from "./questions.ts";

/** What an answer leads to. */
export type Target =
  | { record: string; name: string }
  | { change: number }
  | { changes: Record<string, string> }
  | { list: string; query: string }
  | { free: AddressLookup };

export interface Answer {
  label: string;
  /** When it happened. */
  at?: string;
  to: Target;
}

interface Dated extends Answer {
  at: string;
  to: { change: number };
}

const MOST = 3;
/** Of the records that have names of their own. */
const NAMED_TABLES = resources.filter(({ page }) => page).map(({ name }) => name);

export async function answersTo(caller: Caller, question: Question): Promise<Answer[]> {
  const { about, text, days } = question;
  if (textError(text)) return [];
  if (days && about !== "user" && about !== "inside") return [onTheseDays(question, days)];
  switch (about) {
    case "place":
      return placesOf(caller, text);
    case "free":
      return freeAddresses(caller, text);
    case "changes":
      return [...(await changesOf(caller, text)), ...(await changesBy(text))];
    case "inside":
      return [...(await changesOf(caller, text)), ...changesInside(text, days)];
    case "added": {
      const added = await latestOf(caller, text, "insert", {
        action: ["insert"],
        kind: NAMED_TABLES,
      });
      return added.length > 0 ? added : changesOf(caller, text);
    }
    case "tag":
      return withTag(caller, text);
    case "without":
      return withoutField(caller, question);
    case "user":
      return changesBy(text, days);
    default:
      return [];
  }
}

function onTheseDays({ kind, action, text }: Question, days: Days): Answer {
  if (!kind) return changesIn(days, text);
  if (!action) return newIn(days, kind);
  return { label: onDays(`Deleted ${kind}`, days), to: { changes: { kind, action, ...days } } };
}

function newIn(days: Days, list: string): Answer {
  const { from, to } = days;
  const query = `created_at:${from === to ? from : `[${from} TO ${to}]`}`;
  return { label: onDays(`New ${list}`, days), to: { list, query } };
}

function onDays(what: string, { from, to }: Days): string {
  return from === to ? `${what} on ${from}` : `${what} from ${from} to ${to}`;
}

function changesIn(days: Days, record: string): Answer {
  const { from, to } = days;
  return {
    label: onDays(record === "" ? "Changes" : `Changes of ${record}`, days),
    to: { changes: { from, to, ...(record !== "" && { record }) } },
  };
}

/** The lists of those that have nothing in this field, perhaps of those that have some words. */
function withoutField(caller: Caller, { kind, text, words = "" }: Question): Answer[] {
  const said = text.toLowerCase();
  return (kind ? [kind] : ["items", "hosts"]).flatMap((list): Answer[] => {
    const { fields = {}, key } = resourceOf(list) ?? {};
    const own = Object.entries(fields).find(
      ([name, { label }]) =>
        name !== key && [name, label.toLowerCase()].map(singular).includes(singular(said)),
    );
    const defined = definitionsFor(caller, list).find((of) => startOf(of, said) === said);
    const field = own?.[0] ?? (defined && `site.${defined.key}`);
    if (field === undefined) return [];
    const having = words === "" ? "" : `+(${queryOf(list, words)}) `;
    const label = `All ${list} ${words === "" ? "" : `with "${words}" `}without ${said}`;
    return [{ label, to: { list, query: `${having}-_exists_:${field}` } }];
  });
}

/** What the list finds for these words. */
function queryOf(list: string, words: string): string {
  return list === "hosts" ? hostQuery(words) : asContainsQuery(words);
}

interface FoundPlace {
  ics_id: string;
  location: string | null;
  parent: string | null;
  host: string | null;
}

/** Of items by label or serial number, and of the items on a host. */
async function placesOf(caller: Caller, text: string): Promise<Answer[]> {
  const on = sql`left join locations on locations.id = items.location_id
    left join items parent on parent.id = items.parent_id
    left join hosts on hosts.id = items.host_id and ${mayKnowHost(caller, sql`hosts.id`)}`;
  const place = sql`select items.ics_id, locations.name as location, parent.ics_id as parent, hosts.name as host
    from items ${on}`;
  const found = await database.rows<FoundPlace>(sql`
    (${place} where items.ics_id = upper(${text}::text)
        or lower(items.serial_number) collate "C" = lower(${text}::text) limit ${MOST})
    union (${place} where hosts.name = lower(${text}::text) order by items.ics_id limit ${MOST})`);
  return found.slice(0, MOST).map(({ ics_id, location, parent, host }) => {
    const inside = parent === null ? "" : `inside ${parent}, `;
    const where = location === null ? "without a location" : `in ${location}`;
    const of = host === text.toLowerCase() ? `${host}: ` : "";
    return { label: `${of}${ics_id} is ${inside}${where}`, to: { record: "item", name: ics_id } };
  });
}

/** The first free address of each network that the words name. */
async function freeAddresses(caller: Caller, text: string): Promise<Answer[]> {
  const params = new URLSearchParams({ per_page: String(MOST) });
  const named = text.replace(/\b(?:network|subnet)s?\b/i, "").trim();
  if (named !== "") {
    params.set("q", networkQuery(named));
    params.set("sort", "relevance");
  }
  const networks = rowsOf(await crud.list(network, caller, params));
  const each = await Promise.all(
    networks.map(async ({ id }): Promise<Answer[]> => {
      const ip = await propose(caller, id);
      if (ip === "") return [];
      const free = await lookUpAddress(caller, ip);
      return [{ label: `${ip} is free in ${free.network}`, to: { free } }];
    }),
  );
  return each.flat();
}

async function changesOf(caller: Caller, record: string): Promise<Answer[]> {
  const { sets } = await latestChanges(caller, { filters: { record }, most: 1 });
  return sets.flatMap((set) => {
    const parts = sentenceOf(set, { isInside: true });
    const said = parts.map((part) => (typeof part === "string" ? part : part.name)).join("");
    return [
      {
        label: `Latest change: ${set.user ?? "the system"} ${said}`,
        at: set.at,
        to: { change: set.id },
      },
      { label: `All changes of ${record}`, to: { changes: { record } } },
    ];
  });
}

/** Of what has these words in it: the name of a place, of a model. */
function changesInside(text: string, days?: Days): Answer[] {
  return ["items", "hosts"].map((kind) => {
    const label = `Changes of ${kind} with "${text}"`;
    const changes = { kind, query: queryOf(kind, text), ...days };
    return { label: days ? onDays(label, days) : label, to: { changes } };
  });
}

/** Everybody sees who changed what. */
export async function changesBy(text: string, days?: Days): Promise<Answer[]> {
  const found = await database.row<{ username: string }>(
    sql`select username from users where lower(${text}::text) in (lower(username), lower(display_name)) limit 1`,
  );
  if (!found) return [];
  const [label, user] = [`Changes by ${found.username}`, found.username];
  return [{ label: days ? onDays(label, days) : label, to: { changes: { user, ...days } } }];
}

/** The groups that set the variable. Everybody sees these. */
export async function groupsWithVariable(text: string): Promise<Answer[]> {
  const groups = await database.rows<{ name: string }>(
    sql`select name from groups where vars ? ${text} order by name limit ${MOST}`,
  );
  return groups.map(({ name }) => ({
    label: `Group ${name} sets the variable ${text}`,
    to: { record: "group", name },
  }));
}

/** The lists of those that have the tag. */
async function withTag(caller: Caller, text: string): Promise<Answer[]> {
  const tag = (await suggestTags(caller, text)).find((one) => one === text.toLowerCase());
  if (tag === undefined) return [];
  const query = `tags:${quoted(tag)}`;
  const having = (await findQueried(caller, query)).map(({ kind }) => `${kind}s`);
  return [...new Set(having)].map((list) => ({
    label: `All ${list} with the tag ${tag}`,
    to: { list, query },
  }));
}

/**
 * The list of the records with a field of the site that the text begins with, and with the value that follows in it; or with
 * the choice that the text is.
 */
export function bySiteField(caller: Caller, text: string): Answer[] {
  const typed = text.toLowerCase();
  return ["items", "hosts"].flatMap((list) =>
    definitionsFor(caller, list).flatMap((of): Answer[] => {
      const isChoice = of.choices.some((one) => choiceIn(one).label.toLowerCase() === typed);
      const start = isChoice ? "" : startOf(of, typed);
      if (start === undefined) return [];
      const said = text.slice(start.length).trim();
      const value = siteValue(of, said);
      const query = said === "" ? `_exists_:site.${of.key}` : `site.${of.key}:${value}`;
      if (value === undefined) return [];
      return [{ label: `All ${list} with ${of.label} ${said}`.trim(), to: { list, query } }];
    }),
  );
}

/** The beginning of the text that names the field: its label, or for a date a word like it: calibration, for Calibrated until. */
function startOf(of: Definition, typed: string): string | undefined {
  const label = of.label.toLowerCase();
  if (`${typed} `.startsWith(`${label} `)) return label;
  const [word = ""] = typed.split(" ");
  const isLike = word.length >= STEM && label.startsWith(word.slice(0, STEM));
  return isLike && typeOf(of).kind === "date" ? word : undefined;
}

const STEM = 7;
const ORDER =
  /^(?:(over|above|more than|after|>)|(?:under|below|less than|before|until|<)) ?([\d.-]+)$/i;

/** As the query language writes it; undefined for what the field cannot hold. */
function siteValue(of: Definition, said: string): string | undefined {
  if (said === "") return said;
  const { kind } = typeOf(of);
  if (of.choices.length > 0) {
    const known = of.choices.map(choiceIn).map(({ value }) => value);
    const value = choiceOf(said, of);
    const found = known.find((one) => one === value) ?? known.find((one) => one.includes(said));
    return found && quoted(found);
  }
  const [, more, bound] = ORDER.exec(said) ?? [];
  if (kind !== "number" && kind !== "date") return quoted(said);
  if (bound) return `${more ? ">" : "<"}${bound}`;
  if (kind === "date" && /^(?:over)?due$|^expired$/i.test(said)) return "<now";
  // A month or a year alone would be its first day.
  if (kind === "date" && /^\d{4}(?:-\d\d)?$/.test(said)) return `${said}*`;
  return /^[\d.-]+$/.test(said) ? said : undefined;
}

/** The deletion of a record of this name, perhaps of one kind, if that was its last change. */
export function deletedOf(caller: Caller, text: string, kind?: string): Promise<Dated[]> {
  return latestOf(caller, text, "delete", kind === undefined ? {} : { kind: [kind] });
}

/** The last of these changes of a record of this name, if it is this action. */
async function latestOf(
  caller: Caller,
  text: string,
  wantedAction: "insert" | "delete",
  filters: ChangeFilters,
): Promise<Dated[]> {
  const { sets } = await latestChanges(caller, { filters: { ...filters, record: text }, most: 1 });
  const wanted = text.toLowerCase();
  const isIt = ({ action, name }: LinkedEvent) =>
    action === wantedAction && name?.toLowerCase() === wanted;
  return sets.flatMap(({ id, at, user, undone_by, events }) => {
    const event = undone_by === null ? events.find(isIt) : undefined;
    if (!event) return [];
    const what = `${nounOf(event.table_name)} ${event.name}`;
    const label = `${user ?? "The system"} ${VERBS[wantedAction]} ${what}`;
    return [{ label, at, to: { change: id } }];
  });
}
