// GET /admin/system: which version runs, the database, backup, checks, and the settings in force.

import { Elysia } from "elysia";
import type { ComponentChildren } from "preact";
import type { Caller } from "../../src/auth/auth.ts";
import * as jobs from "../../src/jobs/jobs.ts";
import { type FeedHealth, feedHealth } from "../../src/network/feeds/health.ts";
import { type SearchHealth, searchHealth } from "../../src/network/hosts/search_health.ts";
import type { BackupAttempt } from "../../src/system/backup/records.ts";
import * as system from "../../src/system/facts.ts";
import type { Finding } from "../../src/system/finding.ts";
import { jobPath } from "../jobs/progress.tsx";
import { page, redirect } from "../layout/page.tsx";
import { PageHead } from "../layout/page_head.tsx";
import { countOf } from "../parts/count.ts";
import { Fact } from "../parts/facts.tsx";
import { Time } from "../records/time.tsx";
import { guard } from "../request/guard.ts";
import { BACKUP_HELP, CRUMB, SYSTEM } from "./paths.ts";

export const systemPages = new Elysia({ prefix: SYSTEM, normalize: false })
  .use(guard)
  .get("", ({ request, caller }) => show(request, caller), { see: ["admin"] })
  .post(
    "",
    async ({ request, caller }) =>
      redirect(request, jobPath(await jobs.request(caller, { name: jobs.BACKUP, arguments: {} }))),
    { see: ["admin"] },
  );

interface SystemPageProps {
  facts: system.SystemFacts;
  findings: Finding[];
  feeds: FeedHealth[];
  search: SearchHealth;
}

async function show(request: Request, caller: Caller): Promise<Response> {
  const [facts, findings, feeds, search] = await Promise.all([
    system.readFacts(),
    system.findings(),
    feedHealth(),
    searchHealth(caller),
  ]);
  return page(request, {
    title: "System",
    crumbs: [CRUMB, { label: "System" }],
    body: <SystemPage facts={facts} findings={findings} feeds={feeds} search={search} />,
  });
}

function SystemPage(shown: SystemPageProps) {
  const problems = shown.findings.filter(({ ok }) => !ok).length;
  const warnings = shown.findings.filter(({ isWarning }) => isWarning).length;
  const found = [
    ...(problems > 0 ? [countOf(problems, "problem")] : []),
    ...(warnings > 0 ? [countOf(warnings, "warning")] : []),
  ];
  return (
    <>
      <PageHead title="System" lead={found.join(", ") || "No problems found"} />
      <div class="cards flow">
        <Checks {...shown} />
        <Versions {...shown} />
        <Database {...shown} />
        <Feeds {...shown} />
        <SettingsInForce {...shown} />
      </div>
    </>
  );
}

interface CardProps {
  id: string;
  title: string;
  children: ComponentChildren;
}

function Card({ id, title, children }: CardProps) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function Checks({ findings, search }: SystemPageProps) {
  const found: Finding[] = [...findings, search];
  return (
    <Card id="checks-title" title="Checks">
      <ul class="plain">
        {found.map(({ ok, isWarning, text, command }) => (
          <li>
            <Level ok={ok} isWarning={isWarning} /> {text}{" "}
            {isWarning && (
              <>
                <a href={BACKUP_HELP}>How backups work</a> <BackUpNow />
              </>
            )}
            {command && (
              <>
                <br />
                <code class="mono">{command}</code>
              </>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Level({ ok, isWarning }: Pick<Finding, "ok" | "isWarning">) {
  if (isWarning) return <span class="tag warn">warning</span>;
  return <span class={ok ? "tag good" : "tag bad"}>{ok ? "ok" : "problem"}</span>;
}

function Versions({ facts }: SystemPageProps) {
  return (
    <Card id="versions-title" title="Version">
      <dl class="facts">
        <Fact label="Cadastre">{facts.version}</Fact>
        <Fact label="PostgreSQL">{facts.postgresql}</Fact>
        <Fact label="Schema">{facts.schema}</Fact>
        <Fact label="Migrated">
          <Time at={facts.migrated_at} />
        </Fact>
        <Fact label="Running since">
          <Time at={facts.started_at} />
        </Fact>
      </dl>
    </Card>
  );
}

function Database({ facts }: SystemPageProps) {
  const { good, written } = facts.backup;
  return (
    <Card id="database-title" title="Database">
      <dl class="facts">
        <Fact label="Kind">{facts.isEmbedded ? "embedded" : "external"}</Fact>
        <Fact label="Access">{facts.onlyReads ? "read only, a replica" : "read and write"}</Fact>
        <Fact label="Size">{sizeOf(facts.size)}</Fact>
        <Fact label="Last backup">{written ? <BackupTime {...written} /> : "none"}</Fact>
        {good && (
          <Fact label="Last good backup">
            <BackupTime {...good} />
          </Fact>
        )}
      </dl>
      {written && !facts.onlyReads && <BackUpNow />}
    </Card>
  );
}

/** Beside the warning that there is no backup, later beside the last one. */
function BackUpNow() {
  return (
    <form method="post" action={SYSTEM}>
      <button type="submit">Back up now</button>
    </form>
  );
}

function BackupTime({ at, file }: BackupAttempt) {
  return (
    <>
      <Time at={at} />, {file ?? "to standard output"}
    </>
  );
}

function Feeds({ feeds }: SystemPageProps) {
  return (
    <Card id="feeds-title" title="Feeds">
      {feeds.length === 0 && <p class="muted">No feed was requested in the last 90 days</p>}
      <dl class="facts">
        {feeds.map(({ name, asked_at, changed_at }) => (
          <Fact label={name}>
            last asked for <Time at={asked_at} />, changed <Time at={changed_at} />
          </Fact>
        ))}
      </dl>
    </Card>
  );
}

function SettingsInForce({ facts }: SystemPageProps) {
  return (
    <Card id="settings-title" title="Settings">
      <dl class="facts">
        {facts.settings.map(({ name, value }) => (
          <Fact label={name}>
            <span class="mono">{value}</span>
          </Fact>
        ))}
      </dl>
    </Card>
  );
}

function sizeOf(bytes: number): string {
  const megabytes = bytes / 1_000_000;
  return megabytes < 1_000 ? `${megabytes.toFixed(1)} MB` : `${(megabytes / 1_000).toFixed(1)} GB`;
}
