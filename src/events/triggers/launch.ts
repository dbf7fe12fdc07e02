// Launches the job of a run, and looks at the job until it has ended: see store/outbox.ts. A launch whose answer was lost
// is repeated, so a job is launched at least once.
import { type SQL, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import type { RunStatus } from "../../../db/tables/events.ts";
import { ownerCaller } from "../../auth/owner.ts";
import { integers } from "../../input/keys.ts";
import { MOST_TRIGGER_HOSTS } from "../../input/limits.ts";
import * as log from "../../monitoring/log.ts";
import * as outbox from "../../store/outbox.ts";
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

export const RUNS: outbox.Outbox = {
  table: "trigger_runs",
  isOpen: sql`status in ('waiting', 'launching', 'started')`,
  until: "next_at",
  holder: "attempts",
  lease: 60,
};
export const INTERRUPTED = "The work on triggers was interrupted";

/** Seconds between launches that failed, and how many are tried: for about two hours. */
const PAUSES = [5, 10, 20, 40, 80, 160, 320, 640, 900];
const LONGEST_RETRY = 900;
const MOST_ATTEMPTS = 15;
/** Seconds between looks at a job: a part of its age, within these. */
const FIRST_LOOK = 2;
const LONGEST_LOOK = 30;
/** Hours after which a job is not looked at any more. */
export const MOST_HOURS = 12;

type TakenRun = Gathered & {
  held: outbox.HeldRow;
  status: RunStatus;
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

/** Its next step. */
export async function perform(held: outbox.HeldRow): Promise<void> {
  const run = await database.row<Omit<TakenRun, "held">>(sql`
    select run.id::float8 as id, run.status, run.subscription_id, run.changes, run.change_sets::text[] as change_sets,
      run.hosts::text[] as hosts, run.groups::text[] as groups, run.networks::text[] as networks, run.kinds, run.is_test,
      run.attempts, run.job, coalesce(extract(epoch from now() - run.started_at), 0)::float8 as age,
      subscriptions.name, subscriptions.owner_id, subscriptions.url, subscriptions.filters, subscriptions.settings,
      subscriptions.secrets
    from trigger_runs run join subscriptions on subscriptions.id = subscription_id where run.id = ${held.id}`);
  if (!run) return;
  const taken = withNumbers({ ...run, held });
  await (run.status === "started" ? look(taken) : launch(taken));
}

/** The driver returns arrays of integers as typed arrays, and large ones as texts. */
function withNumbers(run: TakenRun): TakenRun {
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

async function launch(taken: TakenRun): Promise<void> {
  const run = await split(taken);
  const owner = await ownerCaller(run.owner_id);
  if (!owner) {
    await giveUp(run, { message: "the owner is no longer a user" });
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
  run: TakenRun,
  target: TriggerTarget,
  values: TemplateValues,
): Promise<void> {
  const product = PRODUCTS[target.settings.template];
  let answer: TargetAnswer;
  try {
    const request = product.launch(target, values);
    if (!request) return await skip(run, "no host is left, and without a limit all would be meant");
    answer = await sendTo({ ...request, signal: run.held.signal });
  } catch (error) {
    if (error instanceof TooLarge) {
      return giveUp(run, { message: "the request would be too long", detail: error.message });
    }
    if (run.held.signal.aborted) throw new outbox.Interrupted();
    if (error instanceof NoAnswer) {
      return retry(run, { message: "the server does not answer", detail: error.message });
    }
    // Otherwise it would be tried for ever.
    logProblem(error);
    return retry(run, { message: "the request could not be made" });
  }
  if (!isSuccess(answer)) return refused(run, answer, target);
  return note(run, product.launched(target, answer), target);
}

function isSuccess({ status }: TargetAnswer): boolean {
  return status >= 200 && status < 300;
}

/** A limit of Ansible has a length: further hosts get a run of their own, which follows. */
async function split(run: TakenRun): Promise<TakenRun> {
  if (run.hosts.length <= MOST_TRIGGER_HOSTS) return run;
  const sorted = run.hosts.toSorted((one, other) => one - other);
  const hosts = sorted.slice(0, MOST_TRIGGER_HOSTS);
  await database.transaction(async (tx) => {
    const kept = await tx.execute(sql`
      update trigger_runs set hosts = ${integers(hosts)}
      where ${outbox.isHeld(RUNS, run.held)} returning id`);
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
  run: Pick<TakenRun, "url" | "settings" | "secrets">,
): TriggerTarget | undefined {
  const { url, settings, secrets } = run;
  const opened = openSecrets(secrets);
  return opened && { url, settings, ...opened };
}

const WORTH_RETRYING = [408, 425, 429];

function isFinal({ status }: TargetAnswer): boolean {
  return status < 500 && !WORTH_RETRYING.includes(status);
}

async function refused(run: TakenRun, answer: TargetAnswer, target: TriggerTarget): Promise<void> {
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

async function retry(run: TakenRun, said: RunMessage, atLeast = 0): Promise<void> {
  if (run.attempts >= MOST_ATTEMPTS) return giveUp(run, said);
  const pause = Math.max(atLeast, outbox.pauseAfter(run.attempts, PAUSES));
  const next_at = sql`now() + make_interval(secs => ${Math.min(LONGEST_RETRY, pause)})`;
  await update(run, { ...said, next_at });
}

function giveUp(run: TakenRun, said: RunMessage): Promise<void> {
  return update(run, { ...said, status: "gave_up" });
}

function skip(run: TakenRun, message: string): Promise<void> {
  return update(run, { status: "skipped", message });
}

async function look(run: TakenRun): Promise<void> {
  const target = targetOf(run);
  if (!target) {
    return update(run, { status: "failed", ...SECRET_LOST });
  }
  const product = PRODUCTS[target.settings.template];
  const job = run.job ?? "";
  try {
    const request = product.look(target, job);
    const answer = await sendTo({ ...request, signal: run.held.signal });
    if (isSuccess(answer)) {
      return await note(run, product.seen(target, job, answer), target);
    }
    const said = {
      message: `the server answered ${answer.status} when asked about the job`,
      detail: withoutSecrets(answer.body, target),
    };
    if (isFinal(answer)) return await update(run, { ...said, status: "failed" });
    await lookLater(run, said);
  } catch (error) {
    if (run.held.signal.aborted) return update(run, { next_at: sql`now()` });
    if (error instanceof NoAnswer) {
      return lookLater(run, { message: "the server does not answer", detail: error.message });
    }
    // Otherwise it would be looked at for ever.
    logProblem(error);
    await lookLater(run, { message: "the job cannot be asked about" });
  }
}

/** Stores how far the job is. */
async function note(run: TakenRun, progress: Progress, target: TriggerTarget): Promise<void> {
  const detail =
    progress.detail === undefined ? {} : { detail: withoutSecrets(progress.detail, target) };
  const url = progress.url === undefined ? {} : { url: progress.url };
  if (progress.status !== "started") {
    const { status, message = null } = progress;
    return update(run, { status, message, ...url, ...detail });
  }
  if (run.status === "started")
    return lookLater(run, { message: null, ...url, ...detail }, progress.job);
  await update(run, {
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

async function lookLater(run: TakenRun, said: RunChanges, job = run.job): Promise<void> {
  if (run.age > MOST_HOURS * 3_600) {
    const message = `the job did not end within ${MOST_HOURS} hours`;
    return update(run, { ...said, status: "failed", message });
  }
  const seconds = Math.min(LONGEST_LOOK, Math.max(FIRST_LOOK, run.age / 4));
  await update(run, {
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

async function update({ held }: TakenRun, changes: RunChanges): Promise<void> {
  const known = Object.entries(changes).filter(([, value]) => value !== undefined);
  const end = changes.status && ENDED.includes(changes.status) ? { finished_at: sql`now()` } : {};
  await held.settle({ ...Object.fromEntries(known), ...end });
}

/** For the pages of the hosts: only those that the owner sees are concerned. */
async function noteResults(run: TakenRun, { hosts }: TemplateValues): Promise<void> {
  await database.execute(sql`
    insert into trigger_results (host_id, subscription_id, run_id)
    select host, ${run.subscription_id}, ${run.id} from unnest(${integers(hosts.map(({ id }) => id))}) host
    on conflict (host_id, subscription_id) do update set run_id = excluded.run_id
    where trigger_results.run_id < excluded.run_id`);
}

function logProblem(error: unknown): void {
  log.warn(INTERRUPTED, { error: String(error) });
}
