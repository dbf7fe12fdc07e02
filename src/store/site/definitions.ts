// The definitions of the fields of the site, as this process knows them. They are read before a caller is served, if they are
// older than what is cached of callers: so a change is known here at once, and to other processes within a second.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { onOpen } from "../../../db/on_open.ts";
import { beforeCallers, type Caller, isAdmin, seesAll } from "../../auth/auth.ts";
import { addVisibility } from "../../auth/visibility.ts";
import { isObject } from "../../input/text.ts";
import type { Read } from "../read.ts";
import { afterWritesOf } from "../rules.ts";

/** The field of a record that has the values, and its column. */
export const SITE_FIELD = "site";

/** A record with the values that are in a field of it, by their whole names: site.rp_class. */
export function withParts(record: object, field = SITE_FIELD): Record<string, unknown> {
  const values = record as Record<string, unknown>;
  const inside = isObject(values[field]) ? Object.entries(values[field]) : [];
  return {
    ...values,
    ...Object.fromEntries(inside.map(([key, value]) => [`${field}.${key}`, value])),
  };
}

/** Their records, and the tables of these. */
export const SITE_TABLES = {
  item: "items",
  host: "hosts",
  interface: "interfaces",
  network: "networks",
  location: "locations",
  model: "models",
} as const;
export type SiteRecord = keyof typeof SITE_TABLES;

export const SITE_TYPES = [
  ...["text", "long_text", "integer", "number", "boolean"],
  ...["date", "choice", "choices", "link", "reference"],
] as const;

export interface Definition {
  record: SiteRecord;
  key: string;
  label: string;
  help: string | null;
  type: string;
  unit: string | null;
  /** Values, or values with what people read: A=Controlled area. */
  choices: string[];
  references: SiteRecord | null;
  required: boolean;
  default: string | null;
  models: string[];
  group: string | null;
  /** Groups of users; empty for those who edit, and those who see, the record. */
  editors: string[];
  visible_to: string[];
  variable: string | null;
}

interface KnownDefinitions {
  text: string;
  /** For the keys of caches. */
  hash: string;
  of: ReadonlyMap<string, readonly Definition[]>;
  /** By the groups of callers. */
  visibilities: Map<string, string>;
}

const NONE: KnownDefinitions = { text: "[]", hash: "", of: new Map(), visibilities: new Map() };
/** Milliseconds, as of callers. */
const KNOWN_FOR = 900;

let known = NONE;
let until = 0;
let reading: Promise<void> | undefined;
/** Counts what made them old: what is read before it is not kept. */
let generation = 0;

onOpen(forgetDefinitions);
afterWritesOf("site_fields", forgetDefinitions);
beforeCallers(knowDefinitions);
addVisibility(siteVisibility);

/** After a change in this process, and when another database is open. */
export function forgetDefinitions(): void {
  until = 0;
  generation += 1;
  reading = undefined;
}

/** Reads them again, if they may have changed since. */
export async function knowDefinitions(): Promise<void> {
  if (until > performance.now()) return;
  reading ??= readAgain(generation);
  await reading;
}

async function readAgain(since: number): Promise<void> {
  const isLatest = () => since === generation;
  try {
    const text = await textOf(database.rows);
    if (!isLatest()) return;
    note(text);
    until = performance.now() + KNOWN_FOR;
  } finally {
    if (isLatest()) reading = undefined;
  }
}

function note(text: string): void {
  if (text === known.text) return;
  known = { text, hash: Bun.hash(text).toString(36), of: parse(text), visibilities: new Map() };
}

async function textOf(read: Read): Promise<string> {
  const [found] = await read<{ text: string }>(sql`
    select coalesce(json_agg(one order by one.position, lower(one.label), one.id), '[]')::text as text from site_fields one`);
  return found?.text ?? "[]";
}

function parse(text: string): KnownDefinitions["of"] {
  return Map.groupBy(JSON.parse(text) as Definition[], ({ record }) => SITE_TABLES[record]);
}

/** The definitions as they are, until the end of the transaction: those who change one wait for it. */
export async function lockDefinitions(
  tx: { execute: Read },
  caller: Caller,
  table: string,
): Promise<readonly Definition[]> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(hashtextextended(${SITE_LOCK}, 0))`);
  return visibleTo(caller, parse(await textOf(tx.execute)).get(table) ?? []);
}

/** The lock of those who change a definition. */
export const SITE_LOCK = "site fields";

/** All of them, by the tables of their records; another object after each change. */
export function knownDefinitions(): ReadonlyMap<string, readonly Definition[]> {
  return known.of;
}

/** Whether anybody may know of it or not: to read what is sent. */
export function definitionsIn(table: string): readonly Definition[] {
  return known.of.get(table) ?? [];
}

/** What the caller may know of. */
export function definitionsFor(caller: Caller, table: string): readonly Definition[] {
  return visibleTo(caller, definitionsIn(table));
}

/** The keys of the others. */
export function hiddenKeys(caller: Caller, table: string): string[] {
  return definitionsIn(table).flatMap((one) => (mayKnow(caller, one) ? [] : one.key));
}

/** The keys of those whose values the caller may not change. */
export function fixedKeys(caller: Caller, table: string): string[] {
  return definitionsIn(table).flatMap((one) => (mayEditField(caller, one) ? [] : one.key));
}

function mayKnow(caller: Caller, { visible_to }: Definition): boolean {
  return isIn(caller, visible_to) || seesAll(caller);
}

export function mayEditField(caller: Caller, definition: Definition): boolean {
  return mayKnow(caller, definition) && (isAdmin(caller) || isIn(caller, definition.editors));
}

function isIn({ groups }: Caller, names: readonly string[]): boolean {
  return names.length === 0 || groups.some((one) => names.includes(one));
}

function visibleTo(caller: Caller, all: readonly Definition[]): readonly Definition[] {
  return all.filter((one) => mayKnow(caller, one));
}

/** Callers with the same answer know the same fields: for the keys of caches. */
export function siteVisibility(caller: Caller): string {
  if (known.of.size === 0) return "";
  const who = seesAll(caller) ? "all" : caller.groups.toSorted().join();
  const visibility = known.visibilities.get(who) ?? visibilityTo(caller);
  known.visibilities.set(who, visibility);
  return visibility;
}

function visibilityTo(caller: Caller): string {
  const hidden = [...known.of.values()].flat().filter((one) => !mayKnow(caller, one));
  const names = hidden.map(({ record, key }) => `${record}.${key}`);
  return ` with fields ${known.hash} without ${names.join()}`;
}
