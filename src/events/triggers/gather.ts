// Gathers changes into the waiting run of a trigger. Each change set has a delivery row, which is written in its transaction;
// the row goes when the change set is in a run, or does not match.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import * as audit from "../../auth/audit.ts";
import type { Caller } from "../../auth/auth.ts";
import { ownerCaller } from "../../auth/owner.ts";
import { FROM, ONLY_CHANGES, visibleChange } from "../../history/change_sql.ts";
import { matchingSets } from "../../history/feed.ts";
import { type ChangeFilters, conditionsOf } from "../../history/filters.ts";
import { recordsMatching } from "../../history/versions/matching.ts";
import { recordsOfChanges } from "../../history/versions/records.ts";
import type { RecordInSet } from "../../history/versions/versions.ts";
import { Refusal } from "../../input/errors.ts";
import { integers, longs } from "../../input/keys.ts";
import { MOST_TRIGGER_CHANGES } from "../../input/limits.ts";
import type { Transaction } from "../../store/write.ts";

/** A trigger with changes that were not looked at. */
export interface Gatherer {
  id: number;
  owner_id: number;
  filters: ChangeFilters;
  quiet_seconds: number;
  most_seconds: number;
}

interface WaitingDelivery {
  id: number;
  change_set: number;
  at: string;
}

export const OWNER_GONE = "Its owner is no longer a user";

/** Change sets that are looked at together. */
const BATCH = 200;

export async function gather(trigger: Gatherer): Promise<void> {
  const owner = await ownerCaller(trigger.owner_id);
  if (!owner) return switchOff(trigger.id, OWNER_GONE);
  try {
    await takeAll(trigger, owner);
  } catch (error) {
    // Such as a query that this release does not understand any more.
    if (!(error instanceof Refusal)) throw error;
    await switchOff(trigger.id, `Its filter is refused: ${error.message}`);
  }
}

async function takeAll(trigger: Gatherer, owner: Caller): Promise<void> {
  for (;;) {
    const pending = await database.rows<WaitingDelivery>(sql`
      select id::float8 as id, change_set::float8 as change_set, created_at::text as at from deliveries
      where subscription_id = ${trigger.id} and status = 'waiting' order by change_set, id limit ${BATCH}`);
    if (pending.length > 0) await take(trigger, owner, pending);
    if (pending.length < BATCH) return;
  }
}

/** Switches the trigger off; an admin has to switch it on again. */
export async function switchOff(id: number, trouble: string): Promise<void> {
  await database.transaction(async (tx) => {
    const [changed] = await tx.execute<{ name: string }>(sql`
      update subscriptions set is_active = false, trouble = ${trouble}, revision = revision + 1, updated_at = now()
      where id = ${id} and is_active returning name`);
    await endWaiting(tx, id);
    if (!changed) return;
    const entry = { ...audit.BY_SERVICE, target: changed.name, details: { reason: trouble } };
    await audit.addWithin(tx, { event: "trigger.switched_off", ...entry });
  });
}

/** What a trigger that is switched off had not launched. */
export async function endWaiting(tx: Transaction, id: number): Promise<void> {
  await tx.execute(sql`delete from deliveries where subscription_id = ${id}`);
  await tx.execute(sql`
    update trigger_runs set status = 'skipped', message = 'the trigger was switched off', finished_at = now()
    where subscription_id = ${id} and status in ('waiting', 'launching')`);
}

/** The matching is done before anything is locked. Another instance may do the same: the deleted rows decide. */
async function take(trigger: Gatherer, owner: Caller, pending: WaitingDelivery[]): Promise<void> {
  const asked = pending.map(({ change_set }) => change_set);
  const sets = (await matchingSets(owner, trigger.filters, asked)).map(({ id }) => id);
  const selected = await selectedHosts(trigger, owner, sets);
  await database.transaction(async (tx) => {
    const [now] = await tx.execute<{ is_active: boolean }>(sql`
      select is_active from subscriptions where id = ${trigger.id} for no key update`);
    // It was switched off while a change was being written.
    if (!now?.is_active) return endWaiting(tx, trigger.id);
    const taken = await tx.execute<{ change_set: number }>(sql`
      delete from deliveries where id = any(${longs(pending.map(({ id }) => id))}) and status = 'waiting'
      returning change_set::float8 as change_set`);
    const ours = new Set(taken.map(({ change_set }) => change_set));
    const matching = sets.filter((id) => ours.has(id));
    if (matching.length > 0) {
      await addToRun(tx, { trigger, owner, sets: matching, pending, selected });
    }
  });
}

/**
 * The hosts of these change sets that a filter on hosts selects: the others of the same set are not concerned. Undefined
 * without such a filter.
 */
async function selectedHosts(
  { filters }: Gatherer,
  owner: Caller,
  sets: number[],
): Promise<number[] | undefined> {
  const { versions = [] } = (await conditionsOf(filters)) ?? {};
  const filter = versions.find(({ kind }) => kind === "hosts");
  if (!filter || sets.length === 0) return undefined;
  const candidates = await database.rows<RecordInSet>(sql`
    select distinct change_set::int, record, root ${ONLY_CHANGES} ${recordsOfChanges("hosts")}
    where change_set = any(${longs(sets)}) and root is not null and ${visibleChange(owner)}`);
  const matched = await recordsMatching(owner, filter, candidates);
  return [...new Set(matched.map(({ record }) => record))];
}

interface Addition {
  trigger: Gatherer;
  owner: Caller;
  sets: number[];
  pending: WaitingDelivery[];
  /** See selectedHosts(). */
  selected: number[] | undefined;
}

async function addToRun(tx: Transaction, addition: Addition) {
  const { trigger, sets, pending } = addition;
  const times = pending.filter(({ change_set }) => sets.includes(change_set)).map(({ at }) => at);
  const first = sql`(select min(at::timestamptz) from unnest(${sql.param(times)}::text[]) at)`;
  const last = sql`(select max(at::timestamptz) from unnest(${sql.param(times)}::text[]) at)`;
  const due = (begin: SQL) => sql`least(
    ${last} + make_interval(secs => ${trigger.quiet_seconds}),
    ${begin} + make_interval(secs => ${Math.max(trigger.most_seconds, trigger.quiet_seconds)}))`;
  const records = await recordsConcerned(addition);
  await tx.execute(sql`
    insert into trigger_runs as run
      (subscription_id, changes, change_sets, hosts, groups, networks, kinds, created_at, next_at)
    select ${trigger.id}, ${sets.length}, ${longs(sets.slice(-MOST_TRIGGER_CHANGES))}, hosts, groups, networks, kinds,
      ${first}, ${due(first)}
    from (${records}) concerned
    on conflict (subscription_id) where status = 'waiting' do update set
      changes = run.changes + excluded.changes,
      change_sets = (run.change_sets || excluded.change_sets)
        [greatest(1, cardinality(run.change_sets || excluded.change_sets) - ${MOST_TRIGGER_CHANGES - 1}):],
      hosts = array(select unnest(run.hosts) union select unnest(excluded.hosts)),
      groups = array(select unnest(run.groups) union select unnest(excluded.groups)),
      networks = array(select unnest(run.networks) union select unnest(excluded.networks)),
      kinds = array(select unnest(run.kinds) union select unnest(excluded.kinds)),
      next_at = ${due(sql`run.created_at`)}`);
}

/** The records that the matching changes of these sets are about, by their ids. */
async function recordsConcerned({ trigger, owner, sets, selected }: Addition): Promise<SQL> {
  const conditions = await conditionsOf(trigger.filters);
  const where = sql.join(
    [
      sql`change_set = any(${longs(sets)})`,
      visibleChange(owner),
      ...(conditions?.changes ?? [sql`false`]),
    ],
    sql` and `,
  );
  const ids = (of: SQL) =>
    sql`coalesce(array_agg(distinct ${of}) filter (where ${of} is not null), '{}')`;
  const host = selected
    ? sql`case when host = any(${integers(selected)}) then host end`
    : sql`host`;
  return sql`
    select ${ids(host)} as hosts, ${ids(sql`group_of`)} as groups, ${ids(sql`network`)} as networks,
      ${ids(sql`kind`)} as kinds
    from (
      select
        case table_name when 'hosts' then row_id
          when 'interfaces' then (one.state ->> 'host_id')::integer
          when 'items' then (one.state ->> 'host_id')::integer
          when 'group_hosts' then (one.state ->> 'host_id')::integer
          when 'cnames' then (select host_id from interfaces where interfaces.id = (one.state ->> 'interface_id')::integer)
        end as host,
        case table_name when 'groups' then row_id
          when 'group_hosts' then (one.state ->> 'group_id')::integer
          when 'group_children' then (one.state ->> 'parent_id')::integer end as group_of,
        case table_name when 'networks' then row_id
          when 'interfaces' then (one.state ->> 'network_id')::integer end as network,
        case when table_name in ('group_hosts', 'group_children') then 'groups' else table_name end as kind
      from (select changes.* ${FROM} where ${where}) changed
        cross join lateral (values (changed.after), (changed.before)) one (state)
      where one.state is not null
    ) found`;
}
