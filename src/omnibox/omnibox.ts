// The one box: finds records of every kind that are visible to the caller, in one statement whose parts each use an
// index.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { onReplica } from "../../db/replica.ts";
import { type Caller, limitedUser } from "../auth/auth.ts";
import { mayKnowNetwork } from "../auth/visibility.ts";
import { formerlyCalled } from "../history/former_names.ts";
import { Refusal } from "../input/errors.ts";
import { literal, singular } from "../input/text.ts";
import { type Interpretation, interpret } from "../network/common/read_query.ts";
import { matching } from "../network/hosts/search.ts";
import { resourceOf, standardResources } from "../resources.ts";
import { MOST_WORDS, typedWords } from "../search/language/typed_text.ts";
import { distance, haveSameNumbers, TRIGRAM } from "../search/language/words.ts";
import { deadline, withinShare } from "../search/limits.ts";
import { fileOwners } from "../store/file_owners.ts";
import { type AddressLookup, lookUpAddress } from "./address_lookup.ts";
import {
  type Answer,
  answersTo,
  bySiteField,
  changesBy,
  deletedOf,
  groupsWithVariable,
} from "./answers.ts";
import * as inventory from "./inventory_parts.ts";
import * as parts from "./network_parts.ts";
import { containsParts, type Hit, type HitKind, MOST_OF_A_KIND, part } from "./parts.ts";
import { asQuery, findQueried, findWords, noteOn } from "./query_results.ts";
import { kindIn, readQuestion, withoutNoise } from "./questions.ts";
import { alternativesTo } from "./spelling.ts";

export type { Hit } from "./parts.ts";

export interface OmniboxResult {
  interpretation?: Interpretation;
  /** The text, where it is a query. */
  query?: string;
  /** The field in the query that neither hosts nor items have. */
  note?: string | undefined;
  /** The network of an address, and whether it is free. */
  address?: AddressLookup;
  answers: Answer[];
  /** The kind of record that the text names, if there are some. */
  kind?: HitKind;
  /** Grouped by kind, the best matches first. */
  hits: Hit[];
  /** There are no matches; these have similar names. */
  isGuess: boolean;
  /** The text as the site spells it, if only that found something. */
  corrected?: string;
}

/** From a replica, if there is one. */
export function findAll(caller: Caller, typed: string): Promise<OmniboxResult> {
  return onReplica(() => findEverywhere(caller, typed));
}

/** What finds nothing is looked for in other words, once. */
async function findEverywhere(
  caller: Caller,
  typed: string,
  isSecond = false,
): Promise<OmniboxResult> {
  const asked = readQuestion(typed);
  const answers = asked ? await answersTo(caller, asked) : [];
  const isWithout = asked?.about === "without";
  const question = isWithout ? undefined : asked;
  const interpretation = interpret(question?.text ?? typed);
  const isAnswered = isWithout && answers.length > 0;
  if (!interpretation || isAnswered) return { answers, hits: [], isGuess: false };
  const { ip, text } = interpretation;
  const query = question ? undefined : asQuery(typed, interpretation);
  const [address, ofKind, byName, byQuery, users] = await Promise.all([
    ip === undefined ? undefined : lookUpAddress(caller, ip),
    findOfKind(caller, question?.about === "network" ? `network ${text}` : text),
    run(caller, partsFor(caller, interpretation), text),
    query === undefined ? findWords(caller, interpretation) : findQueried(caller, query),
    question || query !== undefined ? [] : changesBy(text),
  ]);
  const named = [...ofKind, ...furtherHits(ofKind, byName)];
  const hits = [...named, ...furtherHits(named, byQuery)];
  const isKnown = answers.length > 0 || hits.some(({ is_exact }) => is_exact);
  const isOver = !isKnown && query === undefined;
  const gone = isOver
    ? await Promise.all([
        renamedFrom(caller, text),
        deletedOf(caller, text),
        groupsWithVariable(text),
      ])
    : [];
  const about = {
    interpretation,
    address,
    answers: [...answers, ...(question ? [] : bySiteField(caller, text)), ...users, ...gone.flat()],
    ...(query !== undefined && { query, note: noteOn(caller, query) }),
    ...(ofKind[0] && { kind: ofKind[0].kind }),
  };
  const isFound = hits.length + about.answers.length > 0 || address || query !== undefined;
  if (isFound) return { ...about, hits, isGuess: false };
  const core = question && question.about !== "record" ? text : withoutNoise(text);
  const again =
    core === "" || core === text ? undefined : await findEverywhere(caller, core, isSecond);
  if (again && !again.isGuess && again.hits.length + again.answers.length > 0) return again;
  const inside = await namedIn(caller, text);
  if (inside.hits.length + inside.answers.length > 0) return { ...about, ...inside, isGuess: true };
  const meant = isSecond ? undefined : await findMeant(caller, typed, interpretation);
  if (meant) return meant;
  const similarHits = await run(caller, await similar(caller, text), text);
  return { ...about, hits: similarHits.filter((hit) => isSimilar(hit, text)), isGuess: true };
}

/** What the text means in other words, if they find something. Addresses and labels have none. */
async function findMeant(
  caller: Caller,
  typed: string,
  { text, ip, block, mac, vlan, icsId }: Interpretation,
): Promise<OmniboxResult | undefined> {
  if (ip ?? block ?? mac ?? vlan ?? icsId) return undefined;
  for (const corrected of await alternativesTo(caller, text)) {
    const found = await findEverywhere(
      caller,
      typed.replace(text, () => corrected),
      true,
    );
    if (!found.isGuess && found.hits.length + found.answers.length > 0)
      return { ...found, corrected, isGuess: true };
  }
  return undefined;
}

/**
 * Records that one of several words names, or those that were deleted: of "print label AAA436", the item. A name without a
 * number may be just a word.
 */
async function namedIn(
  caller: Caller,
  text: string,
): Promise<Pick<OmniboxResult, "hits" | "answers">> {
  const words = typedWords(text);
  const isMeant = words.length > 1 && words.length <= MOST_WORDS;
  const numbered = isMeant ? words.filter((word) => /\d/.test(word)) : [];
  const each = await Promise.all(
    numbered.map(async (word) => {
      const read = interpret(word);
      return read ? run(caller, partsFor(caller, read), read.text) : [];
    }),
  );
  const hits = each.flat().filter(({ is_exact }) => is_exact);
  if (hits.length > 0) return { hits, answers: [] };
  const gone = await Promise.all(numbered.map((word) => deletedOf(caller, word)));
  return { hits, answers: gone.flat() };
}

/** The visible records that had this name before. */
async function renamedFrom(caller: Caller, former: string): Promise<Answer[]> {
  // An interface is renamed with its host.
  const named = (await formerlyCalled(former)).filter(({ table }) => table !== "interfaces");
  const each = await Promise.all(
    named.map(async ({ table, name }) => {
      const read = interpret(name);
      const found = read ? await run(caller, partsFor(caller, read), read.text) : [];
      return found.filter(({ kind, is_exact }) => is_exact && kind === resourceOf(table)?.noun);
    }),
  );
  return each.flat().map(({ kind, name }) => ({
    label: `${former} is called ${name} now`,
    to: { record: kind, name },
  }));
}

/** Records of the kind that the text names. */
async function findOfKind(caller: Caller, text: string): Promise<Hit[]> {
  const wanted = kindIn(text);
  const read = wanted && interpret(wanted.name);
  if (!read) return [];
  const found = await run(caller, partsFor(caller, read), read.text);
  return found.filter(({ kind }) => kind === wanted.kind);
}

/** The records that none of the hits leads to. */
function furtherHits(hits: Hit[], found: Hit[]): Hit[] {
  const known = new Set(hits.map(targetOf));
  return found.filter((hit) => !known.has(targetOf(hit)));
}

/** Kinds that need a small edit distance: names of one host, and names in one domain, share most of their letters. */
const STRICT_KINDS: readonly HitKind[] = ["interface", "cname", "domain", "site field"];

function isSimilar({ kind, label }: Hit, text: string): boolean {
  // A text without a number may leave out that of a rack.
  if (/\d/.test(text) && !haveSameNumbers(label, text)) return false;
  return (
    !STRICT_KINDS.includes(kind) || distance(label, text.toLowerCase(), MAX_EDITS) <= MAX_EDITS
  );
}

/** The only exact match, which is opened at once. */
export function onlyExact({ hits, isGuess, answers }: OmniboxResult): Hit | undefined {
  const [first, ...others] = hits.filter(({ is_exact }) => is_exact);
  if (!first || isGuess || answers.length > 0) return undefined;
  return others.every((one) => targetOf(one) === targetOf(first)) ? first : undefined;
}

const OF_HOSTS: readonly HitKind[] = ["interface", "address", "mac", "cname"];

/** Interfaces, addresses and cnames lead to their hosts. */
function targetOf({ kind, name }: Hit): string {
  return `${OF_HOSTS.includes(kind) ? "host" : kind} ${name}`;
}

function partsFor(caller: Caller, read: Interpretation): SQL[] {
  if (read.code) return inventory.codeParts(read.code);
  return [
    ...parts.hostParts(caller, read),
    ...parts.macParts(caller, read),
    ...parts.networkParts(caller, read),
    ...inventory.itemParts(read.text),
    ...inventory.attributeParts(read.text),
    ...standardParts(caller, read.text),
    ...fileParts(caller, read.text),
  ];
}

const MAX_EDITS = 2;

/** Hosts by edit distance, other kinds by the similarity of trigrams. */
async function similar(caller: Caller, text: string): Promise<SQL[]> {
  const like = (kind: HitKind, table: SQL, label: SQL, mayKnow = sql`true`) =>
    part({
      kind,
      label,
      name: label,
      detail: sql`null::text`,
      from: table,
      where: sql`${label} % ${text} and ${mayKnow}`,
      order: sql`similarity(${label}, ${text}) desc, ${label}`,
    });
  return [
    ...parts.similarHostParts(caller, text, await hostConditions(caller, text)),
    like("network", sql`networks`, sql`networks.vlan_name`, mayKnowNetwork(caller)),
    like("scope", sql`scopes`, sql`scopes.name`),
    like("domain", sql`domains`, sql`domains.name`),
    like("group", sql`groups`, sql`groups.name`),
    ...standardResources.map(({ noun, name, key, visible }) => {
      const table = sql`${sql.identifier(name)}`;
      return like(noun, table, sql`${table}.${sql.identifier(key)}`, visible?.(caller));
    }),
    ...inventory.similarParts(text),
  ];
}

async function hostConditions(caller: Caller, text: string): Promise<parts.HostConditions> {
  const by = (field: string) => matching(caller, `${field}:${escaped(text)}~`).catch(noResults);
  const [host, own, cname] = await Promise.all([
    by(text.includes(".") ? "fqdn" : "name"),
    by("interfaces.name"),
    by("interfaces.cnames"),
  ]);
  return { host, interface: own, cname };
}

/** A refused query finds nothing: these results are only suggestions. */
function noResults(error: unknown): SQL {
  if (error instanceof Refusal) return sql`false`;
  throw error;
}

/** Escapes the characters of the query language. */
function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "\\$&");
}

async function run(caller: Caller, wanted: SQL[], text: string): Promise<Hit[]> {
  const rows = await withinShare(limitedUser(caller), deadline(), () =>
    database.rows<Hit>(sql.join(wanted, sql` union all `)),
  );
  const sorted = rows.toSorted(
    (one, other) =>
      rank(one, text) - rank(other, text) || one.label.localeCompare(other.label, "en"),
  );
  const seen = new Map<string, number>();
  return sorted.filter(({ kind, name, label }) => {
    const times = seen.get(kind) ?? 0;
    const isNew = times < MOST_OF_A_KIND && !seen.has(`${kind} ${name} ${label}`);
    if (isNew) seen.set(kind, times + 1).set(`${kind} ${name} ${label}`, 1);
    return isNew;
  });
}

const MAX_DISTANCE = 3;

/** Exact matches first, then prefixes, then what has the whole text, then others by edit distance. */
function rank({ label, is_exact }: Hit, text: string): number {
  if (is_exact) return 0;
  const [known, wanted] = [label.toLowerCase(), text.toLowerCase()];
  if (known.includes(wanted)) return known.startsWith(wanted) ? 1 : 2;
  return 3 + distance(known, wanted, MAX_DISTANCE);
}

/** Resources without rules of their own: records by name. */
function standardParts(caller: Caller, text: string) {
  return standardResources.flatMap(({ noun, name, key, visible }) => {
    const called = sql`${sql.identifier(name)}.${sql.identifier(key)}`;
    return containsParts(
      {
        kind: noun,
        label: called,
        name: called,
        detail: sql`null::text`,
        from: sql`${sql.identifier(name)}`,
        where: visible?.(caller) ?? sql`true`,
      },
      text,
    );
  });
}

/** The records whose files have all words in their names or captions. */
function fileParts(caller: Caller, text: string): SQL[] {
  const words = typedWords(text).filter((word) => word.length >= TRIGRAM);
  if (words.length === 0) return [];
  const said = sql`text_of_file(files.name, files.caption)`;
  const hasAll = sql.join(
    words.map((word) => sql`${said} ilike ${`%${literal(singular(word))}%`}`),
    sql` and `,
  );
  return fileOwners.map(([table, { key: owner }]) => {
    const { noun = table, key = "name", visible } = resourceOf(table) ?? {};
    const record = sql.identifier(table);
    const called = sql`${record}.${sql.identifier(key)}`;
    return part({
      kind: noun,
      label: called,
      name: called,
      detail: sql`left(concat_ws(', ', files.caption, files.name), 120)`,
      from: sql`files join ${record} on ${record}.id = files.${sql.identifier(owner)}`,
      where: sql`${hasAll} and ${visible?.(caller) ?? sql`true`}`,
    });
  });
}
