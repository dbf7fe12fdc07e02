// Which change sets match conditions on records as they were before or after.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { DatabaseUnavailable } from "../../../db/errors.ts";
import { type Caller, limitedUser } from "../../auth/auth.ts";
import { deadline, withinShare } from "../../search/limits.ts";
import { recordsOfChanges, tablesConcerning } from "./records.ts";
import { onVersions, RECORD_KEY, type RecordInSet, type VersionTable } from "./versions.ts";

type ReadVersions = <Row>(statement: SQL) => Promise<Row[]>;

/** Conditions on the records of one kind that a set concerns. */
export interface VersionFilter {
  kind: string;
  /** Each is true of the same record before or after; `read` runs a statement on the versions. */
  conditions: Array<(read: ReadVersions) => Promise<SQL>>;
  /** Tables that the conditions need besides those of the records. */
  tables: readonly VersionTable[];
  /** A condition on a change of one of these tables: such changes match whatever record they concern. */
  direct?: { tables: readonly string[]; where: SQL };
}

export interface CandidateSets {
  caller: Caller;
  filters: readonly VersionFilter[];
  /** A condition for `change_sets sets`, for sets beyond those up to `read`. Sets without a visible change are left out. */
  sets: (read: number | undefined) => SQL;
  /** The changes that count, with `changes` as a table; without their set. */
  changes: { from: SQL; where: SQL };
  order: "newest" | "oldest";
  most: number;
}

export interface MatchedSets {
  /** In the order of the candidates. */
  ids: number[];
  /** The last candidate that was looked at; undefined if all were. */
  read: number | undefined;
}

/** Candidates that are read at a time: few at first, because those may be enough. */
const FIRST_CANDIDATES = 200;
const MORE_CANDIDATES = 1_000;
/** Milliseconds for the records of some candidates; the search limit holds for all together. */
const LONGEST_STATEMENT = 4_000;
/**
 * Records that one statement looks at, by the time that it takes. On a busy machine the statement itself takes long, so there
 * are never fewer than at first, unless it is late.
 */
const FIRST_RECORDS = 50;
const MOST_RECORDS = 200;
const [SHORT_TIME, LONG_TIME] = [300, 1_000];
/** So few are looked up with a plan that PostgreSQL has made before, because planning takes longer. */
const FEW_RECORDS = 40;

/** Ends early if it takes too long, but has looked at one candidate at least. */
export function matchedSets(candidates: CandidateSets): Promise<MatchedSets> {
  const until = deadline();
  return withinShare(limitedUser(candidates.caller), until, () => matchedUntil(candidates, until));
}

async function matchedUntil(candidates: CandidateSets, until: number): Promise<MatchedSets> {
  const ids: number[] = [];
  const pace: Pace = { records: FIRST_RECORDS };
  let read: number | undefined;
  for (;;) {
    const { found, count } = await nextCandidates(candidates, read);
    for (let at = 0; at < found.length; ) {
      const some = found.slice(at, at + countFor(found.slice(at), pace.records));
      const matched = await matchedAmong(some, candidates, pace);
      at += some.length;
      ids.push(...some.map(({ id }) => id).filter((id) => matched.has(id)));
      read = some.at(-1)?.id;
      if (ids.length >= candidates.most) return { ids: ids.slice(0, candidates.most), read };
      if (performance.now() > until) return { ids, read };
    }
    if (found.length < count) return { ids, read: undefined };
  }
}

interface CandidateChangeSet {
  id: number;
  /** For each filter. */
  parts: Array<{ is_direct: boolean; records: Array<[record: number, root: number]> }>;
}

/** How many candidates have about this number of records; at least one. */
function countFor(candidates: readonly CandidateChangeSet[], records: number): number {
  let sum = 0;
  const end = candidates.findIndex(({ parts }) => {
    sum += Math.max(...parts.map((one) => one.records.length));
    return sum > records;
  });
  return end < 0 ? candidates.length : Math.max(1, end);
}

/** Fewer if they have so many changes that it takes too long. */
async function nextCandidates(
  candidates: CandidateSets,
  read: number | undefined,
): Promise<{ found: CandidateChangeSet[]; count: number }> {
  let count = read === undefined ? FIRST_CANDIDATES : MORE_CANDIDATES;
  for (;;) {
    try {
      return { found: await readCandidates(candidates, { read, count }), count };
    } catch (error) {
      if (!isLate(error) || count === 1) throw error;
      count = Math.ceil(count / 20);
    }
  }
}

function isLate(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && error.late;
}

async function readCandidates(
  { filters, sets, changes, order }: CandidateSets,
  { read, count }: { read: number | undefined; count: number },
): Promise<CandidateChangeSet[]> {
  const parts = filters.map(
    ({ kind, direct }) => sql`json_build_object(
      'is_direct', ${direct ? sql`exists (select from seen where ${direct.where})` : sql`false`},
      'records', (
        select coalesce(json_agg(json_build_array(record, root)), '[]') from (
          select distinct record, root from seen ${recordsOfChanges(kind)} where root is not null) one))`,
  );
  const tables = filters.flatMap(({ kind, direct }) => [
    ...tablesConcerning(kind),
    ...(direct?.tables ?? []),
  ]);
  // What is visible is decided once for each change that counts, because that is slow.
  const rows = await database.rows<{ id: number; parts: string }>(sql`
    select sets.id::int, found.parts::text from change_sets sets cross join lateral (
      with seen as materialized (
        select table_name, row_id, action, before, after ${changes.from}
        where change_set = sets.id and table_name = any(${sql.param([...new Set(tables)])}::text[]) and ${changes.where})
      select json_build_array(${sql.join(parts, sql`, `)}) as parts from (select from seen limit 1) visible
    ) found
    where ${sets(read)} order by sets.id ${sql.raw(order === "newest" ? "desc" : "asc")} limit ${count}`);
  return rows.map(({ id, parts }) => ({ id, parts: JSON.parse(parts) }));
}

interface Pace {
  records: number;
}

/** The candidates that match every filter. */
async function matchedAmong(
  candidates: readonly CandidateChangeSet[],
  { caller, filters }: CandidateSets,
  pace: Pace,
): Promise<Set<number>> {
  let left = candidates;
  for (const [at, filter] of filters.entries()) {
    const direct = left.filter(({ parts }) => parts[at]?.is_direct).map(({ id }) => id);
    const records = left
      .filter(({ id }) => !direct.includes(id))
      .flatMap(({ id, parts }) =>
        (parts[at]?.records ?? []).map(([record, root]) => ({ change_set: id, record, root })),
      );
    const matched = await matchedRecords(records, { caller, filter, pace, isOneEnough: true });
    const found = new Set(matched.map(({ change_set }) => change_set));
    left = left.filter(({ id }) => direct.includes(id) || found.has(id));
  }
  return new Set(left.map(({ id }) => id));
}

type MatchedRecord = Pick<RecordInSet, "change_set" | "record">;

/** Of these records, those that match before or after the change set. */
export function recordsMatching(
  caller: Caller,
  filter: VersionFilter,
  records: readonly RecordInSet[],
): Promise<MatchedRecord[]> {
  const pace = { records: FIRST_RECORDS };
  return withinShare(limitedUser(caller), deadline(), () =>
    matchedRecords(records, { caller, filter, pace, isOneEnough: false }),
  );
}

interface RecordMatching {
  caller: Caller;
  filter: VersionFilter;
  pace: Pace;
  /** One record of each change set is wanted, and not all that match. */
  isOneEnough: boolean;
}

async function matchedRecords(
  records: readonly RecordInSet[],
  { caller, filter, pace, isOneEnough }: RecordMatching,
): Promise<MatchedRecord[]> {
  const matched: MatchedRecord[] = [];
  const done = new Set<number>();
  let left = records;
  while (left.length > 0) {
    const some = left.slice(0, pace.records);
    const begin = performance.now();
    try {
      for (const one of await matchedAtOnce(some, { caller, filter })) {
        matched.push(one);
        if (isOneEnough) done.add(one.change_set);
      }
    } catch (error) {
      if (!isLate(error) || some.length === 1) throw error;
      pace.records = Math.ceil(some.length / 8);
      continue;
    }
    left = left.slice(some.length).filter(({ change_set }) => !done.has(change_set));
    const time = performance.now() - begin;
    if (time < SHORT_TIME) pace.records = Math.min(MOST_RECORDS, pace.records * 2);
    else if (time > LONG_TIME) pace.records = Math.max(FIRST_RECORDS, pace.records / 2);
  }
  return matched;
}

async function matchedAtOnce(
  records: readonly RecordInSet[],
  { caller, filter }: Pick<RecordMatching, "caller" | "filter">,
): Promise<MatchedRecord[]> {
  const { kind, conditions, tables } = filter;
  const read: ReadVersions = (statement) => {
    const whole = onVersions({ caller, kind, records }, statement, tables);
    return records.length > FEW_RECORDS
      ? database.slowRows(whole, LONGEST_STATEMENT)
      : database.rows(whole);
  };
  const all = await Promise.all(conditions.map((one) => one(read)));
  const table = sql.identifier(kind);
  const found = await read<MatchedRecord>(sql`
    select distinct change_set, record from (
      select versions.change_set, versions.record from versions join ${table} on ${table}.id = ${RECORD_KEY}
      group by versions.change_set, versions.record
      having ${sql.join(
        all.map((one) => sql`bool_or(${one})`),
        sql` and `,
      )}
    ) matching`);
  return found.map(({ change_set, record }) => ({
    change_set: Number(change_set),
    record: Number(record),
  }));
}
