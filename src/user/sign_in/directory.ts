// Finds people and their groups in a directory: in Active Directory and in others.
import {
  AndFilter,
  type Client,
  type Entry,
  EqualityFilter,
  ExtensibleFilter,
  type Filter,
  FilterParser,
  NotFilter,
  OrFilter,
  PresenceFilter,
} from "ldapts";
import { checkedPerson, UnusablePerson } from "./person.ts";
import type { ExternalPerson, LdapSettings } from "./provider.ts";

/** The rule of Active Directory by which members of nested groups are members. */
const IN_CHAIN = "1.2.840.113556.1.4.1941";
const BINARY = ["objectGUID", "objectSid"];
/** Levels of groups in groups, and groups that are searched for at once. */
const DEEPEST_GROUPS = 10;
const MOST_GROUPS = 1_000;

export interface DirectoryPerson extends ExternalPerson {
  dn: string;
  /** The account is disabled or expired. */
  isDisabled: boolean;
}

type PersonKey = { username: string } | { subject: string };

/** The settings with the defaults of the kind of the directory. */
function resolved(settings: LdapSettings) {
  const isActive = settings.is_active_directory ?? false;
  const {
    username_attribute = isActive ? "sAMAccountName" : "uid",
    subject_attribute = defaultSubject(isActive),
    user_filter = `(${username_attribute}={username})`,
  } = settings;
  return { ...settings, isActive, username_attribute, subject_attribute, user_filter };
}

type Resolved = ReturnType<typeof resolved>;

/** The person with this subject, and the groups; undefined if there is none. */
export async function findPersonBySubject(
  client: Client,
  settings: LdapSettings,
  subject: string,
): Promise<DirectoryPerson | undefined> {
  const entry = await findEntry(client, settings, { subject });
  if (!entry) return undefined;
  const groups = await findGroups(client, settings, entry);
  return personOf(settings, entry, await withOuterGroups(client, settings, groups));
}

/** The entry of a person; undefined if there is none. */
export async function findEntry(
  client: Client,
  settings: LdapSettings,
  key: PersonKey,
): Promise<Entry | undefined> {
  const known = resolved(settings);
  const { searchEntries } = await client.search(known.base, {
    scope: "sub",
    filter: filterFor(known, key),
    attributes: attributesOf(known),
    explicitBufferAttributes: BINARY,
    sizeLimit: 2,
  });
  const [entry, another] = searchEntries;
  if (entry && another) {
    throw new UnusablePerson(`Several entries fit: ${entry.dn} and ${another.dn}`);
  }
  return entry;
}

function filterFor({ user_filter, subject_attribute }: Resolved, key: PersonKey): Filter {
  if ("username" in key) {
    return FilterParser.parseString(
      user_filter.replaceAll(PLACE, () => escapeFilter(key.username)),
    );
  }
  const value = isBinary(subject_attribute) ? Buffer.from(key.subject, "hex") : key.subject;
  const subject = new EqualityFilter({ attribute: subject_attribute, value });
  return new AndFilter({ filters: [subject, forAnybody(FilterParser.parseString(user_filter))] });
}

const PLACE = "{username}";

/** The conditions of a filter besides the username, which may be any. */
function forAnybody(filter: Filter): Filter {
  if (filter instanceof AndFilter) {
    return new AndFilter({ filters: filter.filters.map(forAnybody) });
  }
  if (filter instanceof OrFilter) return new OrFilter({ filters: filter.filters.map(forAnybody) });
  if (filter instanceof NotFilter) return new NotFilter({ filter: forAnybody(filter.filter) });
  if (!JSON.stringify(filter).includes(PLACE)) return filter;
  const attribute = filter instanceof ExtensibleFilter ? filter.matchType : attributeIn(filter);
  return new PresenceFilter({ attribute: attribute || "objectClass" });
}

function attributeIn(filter: Filter): string {
  return "attribute" in filter && typeof filter.attribute === "string" ? filter.attribute : "";
}

/** Why this is no filter of a person; undefined if it is one. */
export function filterError(user_filter: string): string | undefined {
  try {
    FilterParser.parseString(user_filter);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : "Use a filter";
  }
}

/** As RFC 4515 has it: a name must not become a part of the filter. */
export function escapeFilter(text: string): string {
  return text.replace(
    /[\\*()\0]/g,
    (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

function attributesOf({ isActive, username_attribute, subject_attribute }: Resolved): string[] {
  const special = isActive
    ? ["userAccountControl", "accountExpires", "primaryGroupID", "objectSid"]
    : [];
  const usual = ["displayName", "cn", "mail", "memberOf"];
  return [...new Set([username_attribute, subject_attribute, ...usual, ...special])];
}

export function personOf(
  settings: LdapSettings,
  entry: Entry,
  { groups }: FoundGroups,
): DirectoryPerson {
  const { username_attribute, isActive, ...known } = resolved(settings);
  const subject = subjectIn(entry, known.subject_attribute);
  if (!subject) throw new UnusablePerson(`${entry.dn} has no ${known.subject_attribute}`);
  const person = checkedPerson({
    authority: directoryAuthority(settings),
    subject,
    username: textIn(entry, username_attribute),
    display_name: textIn(entry, "displayName") ?? textIn(entry, "cn") ?? null,
    email: textIn(entry, "mail") ?? null,
    groups: [...groups],
  });
  return { ...person, dn: entry.dn, isDisabled: isActive && isDisabled(entry) };
}

function defaultSubject(isActive: boolean): string {
  return isActive ? "objectGUID" : "entryUUID";
}

/** By what people of this directory are known. */
export function directoryAuthority({
  subject_attribute,
  is_active_directory = false,
}: Pick<LdapSettings, "subject_attribute" | "is_active_directory">): string {
  return (subject_attribute ?? defaultSubject(is_active_directory)).toLowerCase();
}

function isBinary(attribute: string): boolean {
  return BINARY.some((one) => one.toLowerCase() === attribute.toLowerCase());
}

function subjectIn(entry: Entry, attribute: string): string | undefined {
  const [value] = valuesIn(entry, attribute);
  return Buffer.isBuffer(value) ? value.toString("hex") : value;
}

function textIn(entry: Entry, attribute: string): string | undefined {
  const [value] = valuesIn(entry, attribute);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Names of attributes have any case. */
function valuesIn(entry: Entry, attribute: string): Array<Buffer | string> {
  const wanted = attribute.toLowerCase();
  const name = Object.keys(entry).find((one) => one !== "dn" && one.toLowerCase() === wanted);
  const value = name === undefined ? undefined : entry[name];
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

/** The bit of a disabled account, and the end in tenths of microseconds since 1601; 0 and the largest mean never. */
function isDisabled(entry: Entry): boolean {
  const DISABLED = 2;
  const NEVER = 0x7fffffffffffffffn;
  if ((Number(textIn(entry, "userAccountControl") ?? 0) & DISABLED) !== 0) return true;
  const text = textIn(entry, "accountExpires") ?? "0";
  const ends = /^[0-9]{1,19}$/.test(text) ? BigInt(text) : 0n;
  if (ends === 0n || ends === NEVER) return false;
  return Number(ends / 10_000n) - 11_644_473_600_000 < Date.now();
}

export interface FoundGroups {
  /** The DNs. */
  groups: Set<string>;
  /** Those whose own groups were not searched for. */
  next: string[];
}

/**
 * The groups of a person by one search at most: all of them, where groups are not nested or the directory resolves that
 * itself. For nobody the search is the same, so that an unknown name takes as many operations as another.
 */
export async function findGroups(
  client: Client,
  settings: LdapSettings,
  entry: Entry | undefined,
): Promise<FoundGroups> {
  const known = resolved(settings);
  const dn = entry?.dn ?? nobodyIn(settings);
  const direct = entry ? valuesIn(entry, "memberOf").map(String) : [];
  if (known.isActive) {
    const inChain = new ExtensibleFilter({ matchType: "member", rule: IN_CHAIN, value: dn });
    const primary = entry && primaryGroup(entry);
    const filter = new OrFilter({ filters: primary ? [inChain, primary] : [inChain] });
    const found = await searchGroups(client, known.group_base ?? known.base, filter);
    return { groups: new Set([...direct, ...found]), next: [] };
  }
  if (known.group_base === undefined) return { groups: new Set(direct), next: [] };
  const uid = entry && textIn(entry, known.username_attribute);
  const filter = memberFilter([dn, ...(known.nested_groups ? direct : [])], uid);
  const found = await searchGroups(client, known.group_base, filter);
  const groups = new Set([...direct, ...found]);
  return { groups, next: known.nested_groups ? newOnes(found, new Set(direct)) : [] };
}

/** No directory has this entry. */
export function nobodyIn({ base }: LdapSettings): string {
  return `cn=nobody,${base}`;
}

/** The groups with those that contain them: one search for each level. */
export async function withOuterGroups(
  client: Client,
  { group_base }: LdapSettings,
  { groups, next }: FoundGroups,
): Promise<FoundGroups> {
  const all = new Set(groups);
  let inner = next;
  for (let level = 1; level < DEEPEST_GROUPS && inner.length > 0 && group_base; level += 1) {
    const found = await searchGroups(client, group_base, memberFilter(inner, undefined));
    inner = newOnes(found, all);
    for (const dn of inner) all.add(dn);
  }
  return { groups: all, next: [] };
}

function newOnes(found: readonly string[], known: ReadonlySet<string>): string[] {
  return found.filter((dn) => !known.has(dn)).slice(0, MOST_GROUPS);
}

function memberFilter(dns: readonly string[], uid: string | undefined): Filter {
  const members = dns.flatMap((value) => [
    new EqualityFilter({ attribute: "member", value }),
    new EqualityFilter({ attribute: "uniqueMember", value }),
  ]);
  const named = uid ? [new EqualityFilter({ attribute: "memberUid", value: uid })] : [];
  return new OrFilter({ filters: [...members, ...named] });
}

async function searchGroups(client: Client, base: string, filter: Filter): Promise<string[]> {
  const { searchEntries } = await client.search(base, {
    scope: "sub",
    filter,
    attributes: ["1.1"],
    sizeLimit: MOST_GROUPS,
  });
  return searchEntries.map(({ dn }) => dn);
}

/** In Active Directory, nobody is a member of their primary group: its SID is that of the person with another end. */
function primaryGroup(entry: Entry): Filter | undefined {
  const [sid] = valuesIn(entry, "objectSid");
  const id = Number(textIn(entry, "primaryGroupID"));
  if (!Buffer.isBuffer(sid) || sid.length < 12 || !Number.isInteger(id)) return undefined;
  const value = Buffer.from(sid);
  value.writeUInt32LE(id, sid.length - 4);
  return new EqualityFilter({ attribute: "objectSid", value });
}
