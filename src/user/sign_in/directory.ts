// Finds people and their groups in a directory: in Active Directory and in others.
import {
  AndFilter,
  type Client,
  type Entry,
  EqualityFilter,
  ExtensibleFilter,
  type Filter,
  FilterParser,
  OrFilter,
} from "ldapts";
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

type Key = { username: string } | { subject: string };

/** The settings with the defaults of the kind of the directory. */
function resolved(settings: LdapSettings) {
  const isActive = settings.is_active_directory ?? false;
  const {
    username_attribute = isActive ? "sAMAccountName" : "uid",
    subject_attribute = isActive ? "objectGUID" : "entryUUID",
    user_filter = `(${username_attribute}={username})`,
  } = settings;
  return { ...settings, isActive, username_attribute, subject_attribute, user_filter };
}

type Resolved = ReturnType<typeof resolved>;

/** The person with this username, or with this subject, and the groups; undefined if there is none. */
export async function findPerson(
  client: Client,
  settings: LdapSettings,
  key: Key,
): Promise<DirectoryPerson | undefined> {
  const known = resolved(settings);
  const { searchEntries } = await client.search(known.base, {
    scope: "sub",
    filter: filterFor(known, key),
    attributes: attributesOf(known),
    explicitBufferAttributes: BINARY,
    sizeLimit: 2,
  });
  const [entry, another] = searchEntries;
  if (!entry) return undefined;
  if (another) throw new Error(`Several entries fit: ${entry.dn} and ${another.dn}`);
  return personOf(known, entry, await groupsOf(client, known, entry));
}

function filterFor({ user_filter, subject_attribute }: Resolved, key: Key): Filter {
  if ("username" in key) {
    return FilterParser.parseString(
      user_filter.replaceAll("{username}", () => escapeFilter(key.username)),
    );
  }
  const value = isBinary(subject_attribute) ? Buffer.from(key.subject, "hex") : key.subject;
  const anybody = FilterParser.parseString(user_filter.replaceAll("{username}", "*"));
  const subject = new EqualityFilter({ attribute: subject_attribute, value });
  return new AndFilter({ filters: [subject, anybody] });
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

function personOf(settings: Resolved, entry: Entry, groups: string[]): DirectoryPerson {
  const { subject_attribute, username_attribute, isActive } = settings;
  const subject = subjectIn(entry, subject_attribute);
  if (!subject) throw new Error(`${entry.dn} has no ${subject_attribute}`);
  return {
    dn: entry.dn,
    authority: subject_attribute.toLowerCase(),
    subject,
    username: textIn(entry, username_attribute),
    display_name: textIn(entry, "displayName") ?? textIn(entry, "cn") ?? null,
    email: textIn(entry, "mail") ?? null,
    groups,
    isDisabled: isActive && isDisabled(entry),
  };
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

/** The DNs of all groups. In one search, where groups are not nested or the directory resolves that itself. */
async function groupsOf(client: Client, settings: Resolved, entry: Entry): Promise<string[]> {
  const direct = valuesIn(entry, "memberOf").map(String);
  if (settings.isActive) {
    const base = settings.group_base ?? settings.base;
    const inChain = new ExtensibleFilter({ matchType: "member", rule: IN_CHAIN, value: entry.dn });
    const primary = primaryGroup(entry);
    const filters = primary ? [inChain, primary] : [inChain];
    const found = await searchGroups(client, base, new OrFilter({ filters }));
    return [...new Set([...direct, ...found])];
  }
  if (settings.group_base === undefined) return direct;
  const groups = new Set(direct);
  const uid = textIn(entry, settings.username_attribute);
  let next = [entry.dn, ...(settings.nested_groups ? direct : [])];
  for (let level = 0; level < DEEPEST_GROUPS && next.length > 0; level += 1) {
    const filter = memberFilter(next, level === 0 ? uid : undefined);
    const found = await searchGroups(client, settings.group_base, filter);
    next = found.filter((dn) => !groups.has(dn)).slice(0, MOST_GROUPS);
    for (const dn of next) groups.add(dn);
    if (!settings.nested_groups) break;
  }
  return [...groups];
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
