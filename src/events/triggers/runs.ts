// The runs of a trigger, for admins: their list, a repetition, a test and a preview.
import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { RUN_STATUSES, type RunStatus, trigger_runs } from "../../../db/tables/events.ts";
import * as audit from "../../auth/audit.ts";
import { type Caller, requireAdmin } from "../../auth/auth.ts";
import { type PublicId, publicId, publicIdSchema } from "../../input/change_ids.ts";
import { invalid, notFound } from "../../input/errors.ts";
import * as fields from "../../store/fields.ts";
import * as records from "../../store/records.ts";
import { recordQuery, resource } from "../../store/resource.ts";
import { type Transaction, write } from "../../store/write.ts";
import { PRODUCTS } from "./launch.ts";
import type { TriggerSettings } from "./trigger.ts";
import { find as findTrigger, locked } from "./triggers.ts";
import { EXAMPLE } from "./values.ts";

const moment = { description: fields.MOMENT };

export const triggerRun = resource({
  noun: "run",
  path: "/triggers/runs",
  table: trigger_runs,
  key: "state",
  editors: [],
  order: sql`trigger_runs.id desc`,
  version: () => sql`1`,
  fields: {
    // Not status, which is a kind of record.
    state: {
      ...fields.derived<RunStatus>({
        label: "State",
        kind: "label",
        value: sql`trigger_runs.status`,
      }),
      schema: Type.Union(RUN_STATUSES.map((name) => Type.Literal(name))),
    },
    is_test: fields.boolean({ label: "Test", description: "With example values" }),
    changes: fields.integer({ label: "Changes", description: "How many change sets" }),
    change_sets: {
      ...fields.derived<number[]>({
        label: "Change sets",
        kind: "value",
        value: sql`to_json(trigger_runs.change_sets)`,
      }),
      schema: Type.Array(publicIdSchema, { description: "The newest of them" }),
    },
    host_names: {
      ...fields.derived<string[]>({
        label: "Hosts",
        kind: "value",
        value: sql`coalesce((select json_agg(hosts.name order by hosts.name) from hosts
          where hosts.id = any(trigger_runs.hosts)), '[]'::json)`,
      }),
      schema: Type.Array(Type.String(), { description: "Those that still exist" }),
    },
    attempts: fields.integer({ label: "Launches", description: "That were tried" }),
    message: fields.text({ label: "Message", nullable: true }),
    detail: fields.text({
      label: "Answer",
      nullable: true,
      description: "What the server said about it",
    }),
    url: fields.text({ label: "Job", nullable: true, description: "The page of the job" }),
    created_at: fields.time({ label: "First change", ...moment }),
    next_at: fields.time({ label: "Next step", ...moment }),
    started_at: fields.time({ label: "Launched", nullable: true, ...moment }),
    finished_at: fields.time({ label: "Ended", nullable: true, ...moment }),
  },
  internal: ["subscription_id", "status", "hosts", "groups", "networks", "kinds", "job"],
});

export interface TriggerRun {
  id: number;
  state: RunStatus;
  is_test: boolean;
  changes: number;
  change_sets: PublicId[];
  host_names: string[];
  attempts: number;
  message: string | null;
  detail: string | null;
  url: string | null;
  created_at: string;
  next_at: string;
  started_at: string | null;
  finished_at: string | null;
}

type StoredRun = Omit<TriggerRun, "change_sets"> & { change_sets: number[] };

function queryOf(caller: Caller): records.RecordQuery<StoredRun> {
  return recordQuery(triggerRun, caller) as unknown as records.RecordQuery<StoredRun>;
}

function withPublicIds(row: StoredRun): TriggerRun {
  return { ...row, change_sets: row.change_sets.map(publicId) };
}

export async function listRuns(
  caller: Caller,
  id: number,
  params: URLSearchParams,
): Promise<records.ListJson<TriggerRun>> {
  requireAdmin(caller);
  const ofTrigger = sql`trigger_runs.subscription_id = ${id}`;
  const listed = await records.list(queryOf(caller), params, ofTrigger);
  await findTrigger(caller, id);
  return records.changedList(listed, withPublicIds);
}

interface RunOfTrigger {
  trigger: number;
  run: number;
}

export async function findRun(
  caller: Caller,
  { trigger, run }: RunOfTrigger,
  tx?: Transaction,
): Promise<records.RecordJson<TriggerRun>> {
  requireAdmin(caller);
  const where = sql`trigger_runs.id = ${run} and trigger_runs.subscription_id = ${trigger}`;
  return records.changedRecord(await records.find(queryOf(caller), where, tx), withPublicIds);
}

/** A new run with the same changes, which is launched at once. */
export function runAgain(
  caller: Caller,
  { trigger, run }: RunOfTrigger,
): Promise<records.RecordJson<TriggerRun>> {
  requireAdmin(caller);
  return write(caller, async (tx) => {
    const { name } = await locked(tx, withoutMatch(caller), trigger);
    const [before] = await tx.execute<{ status: RunStatus }>(sql`
      select status from trigger_runs where id = ${run} and subscription_id = ${trigger}`);
    if (!before) throw notFound();
    if (OPEN.includes(before.status)) throw invalid("run", "This run has not ended yet");
    const [made] = await tx.execute<{ id: number }>(sql`
      insert into trigger_runs
        (subscription_id, status, changes, change_sets, hosts, groups, networks, kinds, is_test)
      select subscription_id, 'launching', changes, change_sets, hosts, groups, networks, kinds, is_test
      from trigger_runs where id = ${run} returning id::float8 as id`);
    await audit.addBy(tx, caller, { event: "trigger.run_again", target: name, details: { run } });
    return findRun(caller, { trigger, run: made?.id ?? 0 }, tx);
  });
}

const OPEN: readonly RunStatus[] = ["waiting", "launching", "started"];

/** Launches the job with example values, also if the trigger is switched off. */
export function test(caller: Caller, id: number): Promise<records.RecordJson<TriggerRun>> {
  requireAdmin(caller);
  return write(caller, async (tx) => {
    const { name } = await locked(tx, withoutMatch(caller), id);
    const [made] = await tx.execute<{ id: number }>(sql`
      insert into trigger_runs (subscription_id, status, is_test) values (${id}, 'launching', true)
      returning id::float8 as id`);
    await audit.addBy(tx, caller, { event: "trigger.tested", target: name });
    return findRun(caller, { trigger: id, run: made?.id ?? 0 }, tx);
  });
}

/** A run is not a change of the trigger. */
function withoutMatch(caller: Caller): Caller {
  return caller.options ? { ...caller, options: { ...caller.options, if_match: null } } : caller;
}

export const previewRecord = Type.Object({
  method: Type.String(),
  url: Type.String(),
  headers: Type.Record(Type.String(), Type.String(), { description: "Without the secret" }),
  body: Type.String(),
});

export interface RequestPreview {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The request that would be sent for example values. Nothing is sent. */
export async function preview(caller: Caller, id: number): Promise<RequestPreview> {
  await findTrigger(caller, id);
  const found = await database.row<{
    url: string;
    settings: TriggerSettings;
    has_secret: boolean;
  }>(sql`
    select url, settings, secrets is not null as has_secret from subscriptions where id = ${id}`);
  if (!found) throw notFound();
  const { url, settings, has_secret } = found;
  const target = { url, settings, secret: has_secret ? SECRET : undefined };
  const request = PRODUCTS[settings.template].launch(target, EXAMPLE);
  if (!request) throw invalid("limit", "Without a limit all hosts would be meant");
  const { method, headers, body = "" } = request;
  return { method, url: request.url, headers: masked(headers), body };
}

const SECRET = "********";

/** Basic authentication encodes the secret. */
function masked(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value.startsWith("Basic ") ? `Basic ${SECRET}` : value,
    ]),
  );
}
