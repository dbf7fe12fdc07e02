// How the installation does, in short, for the home page of its admins.
import { sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { onOpen } from "../../db/on_open.ts";
import { type BackupState, backupState } from "./backup/records.ts";
import { findings } from "./facts.ts";
import type { Finding } from "./finding.ts";

/** Of a webhook or a trigger. */
export interface FailedDeliveries {
  kind: "webhook" | "trigger";
  id: number;
  name: string;
  count: number;
}

export interface SiteState {
  backup: BackupState["written"];
  /** Those that were given up within seven days. */
  failed: FailedDeliveries[];
  /** Problems and warnings; undefined while they are looked for. */
  troubles: Finding[] | undefined;
}

export async function siteState(): Promise<SiteState> {
  const [{ last, written }, failed] = await Promise.all([backupState(), failedDeliveries()]);
  const troubles = await troublesAfter(`${last?.at} ${last?.result}`);
  return { backup: written, failed, troubles };
}

const MOST_NAMED = 3;
/** Further ones are not counted. */
const MOST_COUNTED = 1_000;

function failedDeliveries(): Promise<FailedDeliveries[]> {
  return database.rows<FailedDeliveries>(sql`
    select kind, subscriptions.id, name, count(*)::int as count
    from (
      (select subscription_id from deliveries
        where status = 'failed' and finished_at > now() - interval '7 days' limit ${MOST_COUNTED})
      union all
      (select subscription_id from trigger_runs
        where status in ('failed', 'gave_up') and not is_test and finished_at > now() - interval '7 days'
        limit ${MOST_COUNTED})
    ) failed join subscriptions on subscriptions.id = subscription_id
    group by subscriptions.id order by count desc, name limit ${MOST_NAMED}`);
}

interface KnownTroubles {
  name: string;
  until: number;
  found: Promise<Finding[]>;
}

const MINUTE = 60_000;
/** Milliseconds: a bucket that does not answer holds up no page. */
const PATIENCE = 500;
let known: KnownTroubles | undefined;

onOpen(() => {
  known = undefined;
});

/** Looked for once a minute, and after each backup. */
async function troublesAfter(backup: string): Promise<Finding[] | undefined> {
  if (known?.name !== backup || known.until < performance.now()) {
    known = { name: backup, until: performance.now() + MINUTE, found: findings() };
  }
  const found = await Promise.race([known.found, Bun.sleep(PATIENCE)]);
  return found?.filter(({ ok, isWarning }) => !ok || isWarning);
}
