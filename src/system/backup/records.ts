// What is known of the backups by Cadastre: one row for each attempt, which is its lock as well. Backups by other
// programs are not recorded.
import type { SQL } from "bun";
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { connect, type DatabaseTarget } from "../../../db/connect.ts";

/** `written` was not compared; `unproven` could not be compared. */
export type BackupResult = "written" | "unproven" | "good" | "failed";

export interface BackupAttempt {
  /** As pages show times. */
  at: string;
  /** Hours since it began. */
  age: number;
  file: string | null;
  destination: string | null;
  result: BackupResult;
  message: string | null;
}

export interface BackupState {
  last: BackupAttempt | undefined;
  good: BackupAttempt | undefined;
  /** Of any result but failed. */
  written: BackupAttempt | undefined;
}

export interface BackupClaim {
  /** Identifies the attempt. */
  at: string;
}

/** Two renewals may fail. */
export const RENEWAL_INTERVAL = 15_000;
const LEASE = "60 seconds";
const RETRY = "15 minutes";
export const INTERRUPTED = "The process that made it was ended";

/** One that is under way is left out; one whose lease has expired has failed. */
const STATE = `
  with attempts as (
    select at, file, destination, case result when 'started' then 'failed' else result end as result,
      case result when 'started' then '${INTERRUPTED}' else message end as message
    from backups where (lease_until > now()) is not true)
  select kind, shown(at) as at, extract(epoch from now() - at)::float8 / 3600 as age,
    file, destination, result, message
  from (values
    ('last', array['written', 'unproven', 'good', 'failed']),
    ('good', array['good']),
    ('written', array['written', 'unproven', 'good'])) kinds (kind, results)
  cross join lateral (
    select * from attempts where result = any (results) order by at desc limit 1) newest`;

type StateRow = BackupAttempt & { kind: keyof BackupState };

/** Of the open database. */
export async function backupState(): Promise<BackupState> {
  return stateOf(await database.rows<StateRow>(sql.raw(STATE)));
}

export async function backupStateOn(using: SQL): Promise<BackupState> {
  return stateOf(await using.unsafe(STATE));
}

function stateOf(rows: StateRow[]): BackupState {
  const find = (kind: keyof BackupState) => rows.find((row) => row.kind === kind);
  return { last: find("last"), good: find("good"), written: find("written") };
}

/** For a database that is not open. Fails on a read-only or unmigrated database, which callers ignore. */
export async function noteBackup(target: DatabaseTarget, file: string): Promise<void> {
  const using = connect(target, 1);
  try {
    await using`insert into backups (file) values (${file === "-" ? null : file})`;
    await deleteOld(using);
  } catch {
    // The backup is complete even if it cannot be recorded.
  } finally {
    await using.close({ timeout: 1 });
  }
}

interface ClaimOptions {
  destination: string;
  /** Seconds since the last backup to this destination. */
  every?: number | undefined;
}

/** Takes the right to make a backup: null while another one is made, or if it is not due yet. */
export function claim(
  using: SQL,
  { destination, every }: ClaimOptions,
): Promise<BackupClaim | null> {
  return using.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('backups', 0))`;
    await tx`
      update backups set result = 'failed', message = ${INTERRUPTED}, finished_at = now(), lease_until = null
      where result = 'started' and lease_until < now()`;
    const [claimed] = await tx`
      insert into backups (destination, result, lease_until)
      select ${destination}, 'started', now() + ${LEASE}::interval
      where not exists (select from backups where result = 'started') and not exists (
        select from backups, make_interval(secs => ${every ?? 0}) as every
        where destination = ${destination} and (
          result in ('good', 'unproven') and at > now() - every
          or result = 'failed' and at > now() - least(every, ${RETRY}::interval)))
      returning at::text as at`;
    return claimed ?? null;
  });
}

/** Whether the claim is still held. */
export async function renew(using: SQL, { at }: BackupClaim): Promise<boolean> {
  const renewed = await using`
    update backups set lease_until = now() + ${LEASE}::interval
    where at = ${at}::timestamptz and result = 'started' returning at`;
  return renewed.length > 0;
}

export async function finish(
  using: SQL,
  { at }: BackupClaim,
  { file, result, message }: Pick<BackupAttempt, "file" | "result" | "message">,
): Promise<void> {
  await using`
    update backups set file = ${file}, result = ${result}, message = ${message}, finished_at = now(),
      lease_until = null
    where at = ${at}::timestamptz and result = 'started'`;
  await deleteOld(using);
}

/** Lets another process make it at once. */
export async function giveUp(using: SQL, { at }: BackupClaim): Promise<void> {
  await using`delete from backups where at = ${at}::timestamptz and result = 'started'`;
}

async function deleteOld(using: SQL): Promise<void> {
  await using`delete from backups where at < now() - interval '365 days'`;
}
