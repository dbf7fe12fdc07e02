// Rules about stored data, which a constraint cannot say. Each is declared once, in the description of its resource, and
// judged at the end of every write over the rows that it touched: no route, import or undo can forget it.
import { type SQL, sql } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";
import { type Caller, seesAll } from "../auth/auth.ts";
import { mayKnowHost } from "../auth/visibility.ts";
import { type FieldError, refuse } from "../input/errors.ts";
import { integers } from "../input/keys.ts";
import { advisoryLock } from "./advisory_lock.ts";
import { joinMany } from "./many_rows.ts";

/** A condition: this column, a key of the table, is of a row that wakes the rule. */
export type Touched = (table: string, key: SQL) => SQL;

export interface DataRule {
  /** By table the columns that wake it: rows are looked at if they are new, or if one of these has changed. */
  on: Readonly<Record<string, readonly string[]>>;
  /** Rows that were deleted wake it, too. */
  isOnDeletion?: boolean;
  /** The name of a lock: two transactions, each of them fine by itself, could break the rule together. */
  lock?: string;
  /** Locks rows for the same reason. */
  lockRows?: (touched: Touched) => SQL;
  /**
   * What its sentence tells of. A host can be hidden from the caller: `broken` then selects its id as `host`, and the sentence
   * is another one.
   */
  tellsOf: "its records" | "a host";
  /** Selects what breaks it; `record` is the name of a record that does. */
  broken: (touched: Touched, caller: Caller) => SQL;
  /** The field and the sentence for a selected row. */
  refuse: (found: Record<string, string>) => FieldError;
}

/** A hidden host is the reason, or may be. */
export const NOT_POSSIBLE = "This is not possible here";

const rules: DataRule[] = [];

export function registerRules(declared: readonly DataRule[]): void {
  rules.push(...declared);
}

export function declaredRules(): readonly DataRule[] {
  return rules;
}

interface TouchedRow {
  id: number;
  table: string;
  place: string;
  /** Null of a new row, and of one that was deleted. */
  columns: string[] | null;
  is_gone: boolean;
}

const listeners = new Map<string, () => void>();

/** Calls the function after each write that touched a row of this table, which has rules. */
export function afterWritesOf(table: string, listener: () => void): void {
  listeners.set(table, listener);
}

const toCall = new WeakMap<Transaction, Set<() => void>>();

/** After the commit. */
export function callListeners(tx: Transaction): void {
  for (const listener of toCall.get(tx) ?? []) listener();
}

/** The last change of a transaction that was judged. */
const judged = new WeakMap<Transaction, string>();
const deferred = new WeakMap<Transaction, FieldError[]>();

/** Refuses at the end of the write, together with the rules that it breaks. */
export function refuseAtEnd(tx: Transaction, errors: FieldError[]): void {
  deferred.set(tx, [...(deferred.get(tx) ?? []), ...errors]);
}

/** After work that is undone. */
export function forgetDeferred(tx: Transaction): void {
  deferred.delete(tx);
}

/**
 * Refuses what was written since the last time if it breaks a rule. `write` does so at its end; a loop over records does it
 * after each of them, to name the one that breaks it.
 */
export async function judge(
  tx: Transaction,
  caller: Caller,
  /** The sentence begins with the name of the record: for changes of many. */
  { isNamed = false } = {},
): Promise<void> {
  const broken = await brokenRules(tx, caller);
  const errors = broken.map(({ record, error }) =>
    isNamed && record ? { ...error, message: `${record}: ${error.message}` } : error,
  );
  errors.push(...(deferred.get(tx) ?? []));
  deferred.delete(tx);
  if (errors.length > 0) throw refuse(errors);
}

type FoundRow = Record<string, string>;

interface BrokenRule {
  record: string;
  error: FieldError;
}

async function brokenRules(tx: Transaction, caller: Caller): Promise<BrokenRule[]> {
  const read = tx.execute;
  const tables = new Set(rules.flatMap(({ on }) => Object.keys(on)));
  const onDeletion = rules.filter(({ isOnDeletion }) => isOnDeletion);
  const deletions = sql`${sql.param(onDeletion.flatMap(({ on }) => Object.keys(on)))}::text[]`;
  // In SQL: the columns in which a row differs.
  const rows = await read<TouchedRow>(sql`
    select id::text as place, table_name as table, row_id as id,
      after is null as is_gone, case when before is not null and after is not null then array(
        select key from jsonb_each(after) one where one.value is distinct from before -> one.key) end as columns
    from changes where change_set = current_setting('app.change_set')::bigint
      and id > ${judged.get(tx) ?? "0"}::bigint and (after is not null or table_name = any(${deletions})) and table_name = any(${sql.param([...tables])}::text[])
    order by changes.id`);
  const last = rows.at(-1);
  if (!last) return [];
  judged.set(tx, last.place);
  const called = rows.flatMap(({ table }) => listeners.get(table) ?? []);
  if (called.length > 0) toCall.set(tx, new Set([...(toCall.get(tx) ?? []), ...called]));
  const woken = rules.flatMap((rule) => {
    const touched = touchedBy(rule, rows);
    return touched ? [{ rule, touched }] : [];
  });
  const locks = new Set(woken.flatMap(({ rule }) => rule.lock ?? []));
  if (locks.size > 0) await advisoryLock(tx, ...[...locks].toSorted());
  const broken = await joinMany(tx, rows, async () => {
    for (const { rule, touched } of woken) if (rule.lockRows) await read(rule.lockRows(touched));
    // Sent together: each is a statement of its own, which sees what the locks have waited for.
    return Promise.all(
      woken.map(async ({ rule, touched }) => {
        const found = await read<FoundRow>(rule.broken(touched, caller));
        const hidden = rule.tellsOf === "a host" ? await hiddenAmong(tx, caller, found) : [];
        return found.map((one) => refusalOf(rule, one, hidden.includes(one.host)));
      }),
    );
  });
  return broken.flat();
}

/** The hosts of these rows that are hidden from the caller. */
async function hiddenAmong(tx: Transaction, caller: Caller, found: FoundRow[]): Promise<unknown[]> {
  if (seesAll(caller) || found.length === 0) return [];
  const hosts = found.map(({ host, record }) => {
    if (host === undefined) throw new Error(`The rule that ${record} breaks selects no host`);
    return Number(host);
  });
  const rows = await tx.execute<{ id: number }>(sql`
    select id from unnest(${integers(hosts)}) id where not ${mayKnowHost(caller, sql`id`)}`);
  return rows.map(({ id }) => id);
}

function refusalOf(rule: DataRule, found: FoundRow, isHidden: boolean): BrokenRule {
  const { record = "" } = found;
  if (!isHidden) return { record, error: rule.refuse(found) };
  const taken = { value: record, isHidden: true };
  return { record: "", error: { field: "id", message: NOT_POSSIBLE, taken } };
}

/** Undefined if nothing wakes the rule. */
function touchedBy(
  { on, isOnDeletion = false }: DataRule,
  rows: TouchedRow[],
): Touched | undefined {
  const waking = rows.filter(
    ({ table, columns, is_gone }) =>
      on[table] &&
      (!is_gone || isOnDeletion) &&
      (!columns || columns.some((column) => on[table]?.includes(column))),
  );
  if (waking.length === 0) return undefined;
  const ids = Map.groupBy(waking, ({ table }) => table);
  return (table, key) => {
    const touched = ids.get(table)?.map(({ id }) => id) ?? [];
    return touched.length === 0 ? sql`false` : sql`${key} = any(${integers(touched)})`;
  };
}
