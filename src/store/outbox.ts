// Work that waits in rows, and that any instance may do: jobs, mails, runs of triggers, the messages of webhooks.
//
// A worker takes a row until a time ahead, and moves that time on while it works. If its process dies, the row is due when
// the time has come, and another worker takes it. Each time a row is taken it gets another holder, and what an earlier one
// writes is ignored. So nothing is lost, all is done at least once, and never by two at a time.
import { type SQL, sql } from "drizzle-orm";
import { inBackground, keepDoing, type Loop, type LoopOptions } from "../../db/background.ts";
import * as database from "../../db/client.ts";
import type { Read } from "./read.ts";

export interface Outbox {
  table: "jobs" | "mails" | "subscriptions" | "trigger_runs";
  /** True of the rows that wait or are worked on. */
  isOpen: SQL;
  /** The time until which a row is held; before that, the time at which it is due. */
  until: "lease_until" | "next_at";
  /** Another value for each holder: `attempts` counts them. */
  holder: "attempts" | "lease_by";
  /** Seconds until the row of a process that has died is due. */
  lease: number;
}

export interface TakenRow {
  id: number;
  holder: string;
}

type Values = Record<string, unknown>;

interface TakeOptions {
  /** Which of the rows that are due. */
  where?: SQL;
  order: SQL;
  most?: number;
  set?: Values;
  read?: Read;
}

/** Takes rows that are due, the first ones in this order. Rows that others take at this moment are passed over. */
export function take(
  outbox: Outbox,
  { where = sql`true`, order, most = 1, set = {}, read = database.execute }: TakeOptions,
): Promise<TakenRow[]> {
  const { isOpen, holder } = outbox;
  const [table, until] = [sql.identifier(outbox.table), sql.identifier(outbox.until)];
  const next = holder === "attempts" ? sql`attempts + 1` : sql`gen_random_uuid()`;
  // For no key update: a write that refers to the row does not wait.
  return read<TakenRow>(sql`
    update ${table} set ${assigned({ [outbox.until]: leaseEnd(outbox), [holder]: next, ...set })}
    where id = any(array(
      select id from ${table} where ${isOpen} and (${until} is null or ${until} <= now()) and ${where}
      order by ${order} limit ${most} for no key update skip locked))
    returning id::float8 as id, ${sql.identifier(holder)}::text as holder`);
}

/** True of the row while it has this holder. */
export function isHeld({ isOpen, holder }: Outbox, row: TakenRow): SQL {
  return sql`id = ${row.id} and ${sql.identifier(holder)}::text = ${row.holder} and ${isOpen}`;
}

function leaseEnd({ lease }: Outbox): SQL {
  return sql`now() + ${sql.raw(`interval '${lease} seconds'`)}`;
}

async function update(outbox: Outbox, row: TakenRow, set: Values): Promise<boolean> {
  const changed = await database.execute(sql`
    update ${sql.identifier(outbox.table)} set ${assigned(set)} where ${isHeld(outbox, row)} returning id`);
  return changed.length > 0;
}

function assigned(set: Values): SQL {
  const each = Object.entries(set).map(([name, value]) => sql`${sql.identifier(name)} = ${value}`);
  return sql.join(each, sql`, `);
}

/** Seconds until the next attempt, up to a fifth more or less, so that servers are not asked by all at once. */
export function pauseAfter(attempts: number, pauses: readonly number[]): number {
  const pause = pauses[Math.min(attempts, pauses.length) - 1] ?? pauses[0] ?? 0;
  return pause * (0.8 + 0.4 * Math.random());
}

/** Work that has stopped because its signal was aborted: the row is given back as if it had not been taken. */
export class Interrupted extends Error {}

/** A row in the hands of this process, which moves its time on. */
export interface HeldRow extends TakenRow {
  /** Aborted when the process ends: nothing new is begun. */
  ending: AbortSignal;
  /** Aborted when the work has to stop, as the process ends or another worker has the row. */
  signal: AbortSignal;
  /** Changes the row, if it is still held; returns whether. */
  change(set: Values): Promise<boolean>;
  /** The last change. A row that gets none is due when its time has come. */
  settle(set: Values): Promise<boolean>;
}

export interface OutboxWork {
  outbox: Outbox;
  /** Logged with a failure. */
  interrupted: string;
  take: (most: number) => Promise<TakenRow[]>;
  /** Its failures are logged. */
  perform: (held: HeldRow) => Promise<void>;
  /** What a row gets that is given back. */
  givenBack: Values;
  /** Rows that this process works on at once. */
  atOnce: number;
  /** When it looks for rows: besides, `wokenBy` gets a function that makes it look, and returns one that ends this. */
  pace: LoopOptions;
  wokenBy: (wake: () => void) => () => void;
  /** Milliseconds that the work under way may go on when the process ends. */
  patience: number;
}

export interface OutboxWorker {
  /** What is under way is finished soon, or given back. */
  stop(): Promise<void>;
}

export function start(work: OutboxWork): OutboxWorker {
  const ending = new AbortController();
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const looking: Loop = keepDoing(work.interrupted, look, work.pace);
  const stopWaking = work.wokenBy(looking.wake);
  looking.wake();

  async function look(): Promise<void> {
    while (!ending.signal.aborted && running.size < work.atOnce) {
      const rows = await work.take(work.atOnce - running.size);
      if (rows.length === 0) return;
      for (const row of rows) {
        const done = inBackground(work.interrupted, goOn(row)).finally(() => running.delete(done));
        running.add(done);
      }
    }
  }

  /** Until nothing is due. */
  async function goOn(first: TakenRow): Promise<void> {
    let row: TakenRow | undefined = first;
    while (row) {
      await performHeld(work, row, { ending: ending.signal, stopping: stopping.signal });
      [row] = ending.signal.aborted ? [] : await work.take(1);
    }
  }

  return {
    stop: async () => {
      ending.abort();
      stopWaking();
      await looking.stop();
      const timer = setTimeout(() => stopping.abort(), work.patience);
      await Promise.all(running);
      clearTimeout(timer);
    },
  };
}

/** Does what is due, and waits for it. */
export async function doAll(work: OutboxWork): Promise<void> {
  const { signal } = new AbortController();
  for (let rows = await work.take(1); rows[0]; rows = await work.take(1)) {
    await performHeld(work, rows[0], { ending: signal, stopping: signal });
  }
}

async function performHeld(
  { outbox, perform, givenBack }: OutboxWork,
  row: TakenRow,
  { ending, stopping }: { ending: AbortSignal; stopping: AbortSignal },
): Promise<void> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  stopping.addEventListener("abort", abort);
  if (stopping.aborted) abort();
  const change = async (set: Values) => {
    const isOurs = await update(outbox, row, { [outbox.until]: leaseEnd(outbox), ...set });
    if (!isOurs) abort();
    return isOurs;
  };
  const every = (outbox.lease * 1_000) / 3;
  const renewing = keepDoing("A lease was not renewed", () => change({}), { every });
  const settle = async (set: Values) => {
    await renewing.stop();
    return update(outbox, row, set);
  };
  try {
    await perform({ ...row, ending, signal: stop.signal, change, settle });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    await settle(givenBack);
  } finally {
    stopping.removeEventListener("abort", abort);
    await renewing.stop();
  }
}
