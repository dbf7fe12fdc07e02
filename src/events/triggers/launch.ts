// Launches the job of a run, and looks at the job until it has ended. A process that works on a run sets its next time
// ahead: if the process dies, another one takes the run when that time has come. A launch whose answer was lost is
// repeated, so a job is launched at least once.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { RunStatus } from "../../../db/tables/events.ts";
import { ownerCaller } from "../../auth/owner.ts";
import { integers } from "../../input/keys.ts";
import { MOST_TRIGGER_HOSTS } from "../../input/limits.ts";
import * as log from "../../monitoring/log.ts";
import { readIn } from "../../store/read.ts";
import { NoAnswer, retryAfterOf, sendTo, type TargetAnswer } from "../http_target.ts";
import { awx } from "./awx.ts";
import { OWNER_GONE, switchOff } from "./gather.ts";
import { gitlab } from "./gitlab.ts";
import { jenkins } from "./jenkins.ts";
import { post } from "./post.ts";
import type { Product, Progress, TriggerTarget } from "./product.ts";
import { openSecrets, withoutSecrets } from "./secrets.ts";
import { TooLarge } from "./template.ts";
import type { Template, TriggerSettings } from "./trigger.ts";
import { EXAMPLE, type Gathered, type TemplateValues, templateValues } from "./values.ts";

export const PRODUCTS: Record<Template, Product> = { awx, gitlab, jenkins, post };

/** Longer than a request takes. */
const LEASE = sql`now() + interval '60 seconds'`;
export const INTERRUPTED = "The work on triggers was interrupted";

/** Seconds between launches that failed, and how many are tried: for about two hours. */
const FIRST_RETRY = 5;
const LONGEST_RETRY = 900;
export const MOST_ATTEMPTS = 15;
/** Seconds between looks at a job: a part of its age, within these. */
const FIRST_LOOK = 2;
const LONGEST_LOOK = 30;
/** Hours after which a job is not looked at any more. */
export const MOST_HOURS = 12;

type ClaimedRun = Gathered & {
  subscription_id: number;
  owner_id: number;
  url: string;
  settings: TriggerSettings;
  secrets: string | null;
  is_test: boolean;
  attempts: number;
  job: string | null;
  /** Seconds since the launch. */
  age: number;
};

const RUN = sql`
  run.id::float8 as id, run.subscription_id, run.changes, run.change_sets::text[] as change_sets, run.hosts::text[] as hosts,
  run.groups::text[] as groups, run.networks::text[] as networks, run.kinds, run.is_test, run.attempts, run.job,
  coalesce(extract(epoch from now() - run.started_at), 0)::float8 as age,
  subscriptions.name, subscriptions.owner_id, subscriptions.url, subscriptions.filters, subscriptions.settings,
  subscriptions.secrets`;

/**
 * A run that is due, and no other one of its trigger is being launched; unless the admin chose otherwise, none is under
 * way either. Those that are launched already come first.
 */
const LAUNCHABLE = sql`
  run.status in ('waiting', 'launching') and run.next_at <= now() and not exists (
    select from trigger_runs other
    where other.subscription_id = run.subscription_id and other.id <> run.id and (
      other.status = 'launching' and (run.status = 'waiting' or other.id < run.id)
      or other.status = 'started' and (subscriptions.settings ->> 'waits_for_end')::boolean))`;

/** The trigger is locked before the run is chosen, so that instances do not choose two of its runs. */
export async function claimLaunch(): Promise<ClaimedRun | undefined> {
  return database.transaction(async (tx) => {
    const [found] = await tx.execute<{ id: number }>(sql`
      select run.id::float8 as id from trigger_runs run join subscriptions on subscriptions.id = run.subscription_id
      where ${LAUNCHABLE} order by run.id limit 1 for no key update of subscriptions skip locked`);
    if (!found) return undefined;
    const [run] = await readIn(tx)<ClaimedRun>(sql`
      update trigger_runs run set status = 'launching', attempts = run.attempts + 1, next_at = ${LEASE}
      from subscriptions
      where run.id = ${found.id} and subscriptions.id = run.subscription_id and ${LAUNCHABLE}
      returning ${RUN}`);
    return run && withNumbers(run);
  });
}

export async function claimLook(): Promise<ClaimedRun | undefined> {
  const [run] = await database.execute<ClaimedRun>(sql`
    update trigger_runs run set next_at = ${LEASE} from subscriptions
    where subscriptions.id = run.subscription_id and run.id = (
      select id from trigger_runs where status = 'started' and next_at <= now()
      order by next_at limit 1 for update skip locked)
    returning ${RUN}`);
  return run && withNumbers(run);
}

/** The driver returns arrays of integers as typed arrays, and large ones as texts. */
function withNumbers(run: ClaimedRun): ClaimedRun {
  const numbers = (values: unknown) => Array.from(values as Iterable<string>, Number);
  const { change_sets, hosts, groups, networks } = run;
  return {
    ...run,
    change_sets: numbers(change_sets),
    hosts: numbers(hosts),
    groups: numbers(groups),
    networks: numbers(networks),
    kinds: [...run.kinds],
  };
}

export async function launchRun(claimed: ClaimedRun): Promise<void> {
  const run = await split(claimed);
  const owner = await ownerCaller(run.owner_id);
  if (!owner) {
    await update(run, "launching", { status: "gave_up", message: "the owner is no longer a user" });
    return switchOff(run.subscription_id, OWNER_GONE);
  }
  const values = run.is_test
    ? { ...EXAMPLE, run: { id: run.id }, trigger: { name: run.name } }
    : await templateValues(owner, run);
  if (!values) return skip(run, "nothing of it is visible to the owner any more");
  if (!run.is_test) await noteResults(run, values);
  const target = targetOf(run);
  if (!target) return giveUp(run, SECRET_LOST);
  await launchWith(run, target, values);
}

const SECRET_LOST = {
  message: "the secret cannot be read",
  detail: "It was encrypted with another SECRET_KEY: enter it again",
};

async function launchWith(
  run: ClaimedRun,
  target: TriggerTarget,
  values: TemplateValues,
): Promise<void> {
  const product = PRODUCTS[target.settings.template];
  let answer: TargetAnswer;
  try {
    const request = product.launch(target, values);
    if (!request) return await skip(run, "no host is left, and without a limit all would be meant");
    answer = await sendTo(request);
  } catch (error) {
    if (error instanceof TooLarge) {
      return giveUp(run, { message: "the request would be too long", detail: error.message });
    }
    if (error instanceof NoAnswer) {
      return retry(run, { message: "the server does not answer", detail: error.message });
    }
    // Otherwise it would be tried for ever.
    logProblem(error);
    return retry(run, { message: "the request could not be made" });
  }
  if (!isSuccess(answer)) return refused(run, answer, target);
  return note(run, "launching", product.launched(target, answer), target);
}

function isSuccess({ status }: TargetAnswer): boolean {
  return status >= 200 && status < 300;
}

/** A limit of Ansible has a length: further hosts get a run of their own, which follows. */
async function split(run: ClaimedRun): Promise<ClaimedRun> {
  if (run.hosts.length <= MOST_TRIGGER_HOSTS) return run;
  const sorted = run.hosts.toSorted((one, other) => one - other);
  const hosts = sorted.slice(0, MOST_TRIGGER_HOSTS);
  await database.transaction(async (tx) => {
    const kept = await tx.execute(sql`
      update trigger_runs set hosts = ${integers(hosts)}
      where id = ${run.id} and status = 'launching' and attempts = ${run.attempts} returning id`);
    if (kept.length === 0) return;
    await tx.execute(sql`
      insert into trigger_runs (subscription_id, status, changes, change_sets, hosts, groups, networks, kinds, created_at)
      select subscription_id, 'launching', changes, change_sets, ${integers(sorted.slice(MOST_TRIGGER_HOSTS))},
        groups, networks, kinds, created_at
      from trigger_runs where id = ${run.id}`);
  });
  return { ...run, hosts };
}

/** Undefined if the secret was sealed with another key. */
export function targetOf(
  run: Pick<ClaimedRun, "url" | "settings" | "secrets">,
): TriggerTarget | undefined {
  const { url, settings, secrets } = run;
  const opened = openSecrets(secrets);
  return opened && { url, settings, ...opened };
}

const WORTH_RETRYING = [408, 425, 429];

function isFinal({ status }: TargetAnswer): boolean {
  return status < 500 && !WORTH_RETRYING.includes(status);
}

async function refused(
  run: ClaimedRun,
  answer: TargetAnswer,
  target: TriggerTarget,
): Promise<void> {
  const { status, body } = answer;
  const said = {
    message: `the server answered ${status}`,
    detail: withoutSecrets(body, target),
  };
  if (isFinal(answer)) return giveUp(run, said);
  await retry(run, said, retryAfterOf(answer));
}

interface RunMessage {
  message: string;
  detail?: string | undefined;
}

async function retry(run: ClaimedRun, said: RunMessage, atLeast = 0): Promise<void> {
  if (run.attempts >= MOST_ATTEMPTS) return giveUp(run, said);
  const doubled = FIRST_RETRY * 2 ** (run.attempts - 1);
  const seconds = Math.min(LONGEST_RETRY, Math.max(atLeast, doubled * (0.8 + Math.random() * 0.4)));
  await update(run, "launching", {
    ...said,
    next_at: sql`now() + make_interval(secs => ${seconds})`,
  });
}

function giveUp(run: ClaimedRun, said: RunMessage): Promise<void> {
  return update(run, "launching", { ...said, status: "gave_up" });
}

function skip(run: ClaimedRun, message: string): Promise<void> {
  return update(run, "launching", { status: "skipped", message });
}

export async function look(run: ClaimedRun): Promise<void> {
  const target = targetOf(run);
  if (!target) {
    return update(run, "started", { status: "failed", ...SECRET_LOST });
  }
  const product = PRODUCTS[target.settings.template];
  const job = run.job ?? "";
  try {
    const answer = await sendTo(product.look(target, job));
    if (isSuccess(answer)) {
      return await note(run, "started", product.seen(target, job, answer), target);
    }
    const said = {
      message: `the server answered ${answer.status} when asked about the job`,
      detail: withoutSecrets(answer.body, target),
    };
    if (isFinal(answer)) return await update(run, "started", { ...said, status: "failed" });
    await lookLater(run, said);
  } catch (error) {
    if (error instanceof NoAnswer) {
      return lookLater(run, { message: "the server does not answer", detail: error.message });
    }
    // Otherwise it would be looked at for ever.
    logProblem(error);
    await lookLater(run, { message: "the job cannot be asked about" });
  }
}

/** Stores how far the job is. */
async function note(
  run: ClaimedRun,
  from: RunStatus,
  progress: Progress,
  target: TriggerTarget,
): Promise<void> {
  const detail =
    progress.detail === undefined ? {} : { detail: withoutSecrets(progress.detail, target) };
  const url = progress.url === undefined ? {} : { url: progress.url };
  if (progress.status !== "started") {
    const { status, message = null } = progress;
    return update(run, from, { status, message, ...url, ...detail });
  }
  if (from === "started") return lookLater(run, { message: null, ...url, ...detail }, progress.job);
  await update(run, from, {
    status: "started",
    job: progress.job,
    message: null,
    detail: null,
    ...url,
    ...detail,
    started_at: sql`now()`,
    next_at: sql`now() + make_interval(secs => ${FIRST_LOOK})`,
  });
}

async function lookLater(run: ClaimedRun, said: RunChanges, job = run.job): Promise<void> {
  if (run.age > MOST_HOURS * 3_600) {
    const message = `the job did not end within ${MOST_HOURS} hours`;
    return update(run, "started", { ...said, status: "failed", message });
  }
  const seconds = Math.min(LONGEST_LOOK, Math.max(FIRST_LOOK, run.age / 4));
  await update(run, "started", {
    ...said,
    job,
    next_at: sql`now() + make_interval(secs => ${seconds})`,
  });
}

type RunChanges = Partial<
  Record<"message" | "detail" | "job" | "url", string | null | undefined> & {
    status: RunStatus;
    started_at: SQL;
    next_at: SQL;
  }
>;

const ENDED: readonly RunStatus[] = ["succeeded", "failed", "gave_up", "skipped"];

/** Only of the attempt that has claimed it: a slow one is not believed any more. */
async function update(run: ClaimedRun, from: RunStatus, changes: RunChanges): Promise<void> {
  const set = Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => sql`${sql.identifier(name)} = ${value}`);
  const end = changes.status && ENDED.includes(changes.status) ? [sql`finished_at = now()`] : [];
  await database.execute(sql`
    update trigger_runs set ${sql.join([...set, ...end], sql`, `)}
    where id = ${run.id} and status = ${from} and attempts = ${run.attempts}`);
}

/** For the pages of the hosts: only those that the owner sees are concerned. */
async function noteResults(run: ClaimedRun, { hosts }: TemplateValues): Promise<void> {
  await database.execute(sql`
    insert into trigger_results (host_id, subscription_id, run_id)
    select host, ${run.subscription_id}, ${run.id} from unnest(${integers(hosts.map(({ id }) => id))}) host
    on conflict (host_id, subscription_id) do update set run_id = excluded.run_id
    where trigger_results.run_id < excluded.run_id`);
}

function logProblem(error: unknown): void {
  log.warn(INTERRUPTED, { error: String(error) });
}
