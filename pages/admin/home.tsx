// GET /admin: the overview of the pages for admins.
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { standardResources } from "../../src/resources.ts";
import { ageOf } from "../../src/system/backup/findings.ts";
import { type BackupState, backupState } from "../../src/system/backup/records.ts";
import { type Figures, figures } from "../../src/user/administration.ts";
import { TRIGGERS, WEBHOOKS } from "../events/paths.ts";
import { type AreaCardProps, AreaPage } from "../layout/area_page.tsx";
import { page } from "../layout/page.tsx";
import { countOf } from "../parts/count.ts";
import { guard } from "../request/guard.ts";
import { inTitle } from "../texts.ts";
import { AUDIT, JOBS, SERVICE_ACCOUNTS, SIGN_IN, SYSTEM, TOKENS, USERS } from "./paths.ts";

export const adminPages = new Elysia({ normalize: false })
  .use(guard)
  .get("/admin", ({ request, caller }) => show(request, caller), { see: ["admin"] });

async function show(request: Request, caller: Caller): Promise<Response> {
  const [found, backups] = await Promise.all([figures(caller), backupState()]);
  return page(request, {
    title: "Administration",
    crumbs: [{ label: "Administration" }],
    body: (
      <AreaPage
        title="Administration"
        lead="Users, access and the system"
        cards={cardsWith(found, backups)}
      />
    ),
  });
}

function cardsWith(found: Figures | undefined, backups: BackupState): AreaCardProps[] {
  return [
    {
      title: "Users",
      href: USERS,
      figure: found && `${countOf(found.users, "active user")}, ${found.deactivated} deactivated`,
      text: "Who may log in, and with which rights.",
      ways: [{ label: "Add user", href: `${USERS}/create` }],
    },
    {
      title: "Sign-in",
      href: SIGN_IN,
      text: "Log in by OpenID Connect or a directory, and groups from there.",
    },
    {
      title: "Service accounts",
      href: SERVICE_ACCOUNTS,
      figure: found && countOf(found.service_accounts, "active account"),
      text: "Programs with groups and tokens of their own.",
      ways: [{ label: "Add service account", href: `${SERVICE_ACCOUNTS}/create` }],
    },
    {
      title: "Tokens",
      href: TOKENS,
      figure: found && countOf(found.tokens, "token"),
      text: "Personal tokens of all users, with their last use.",
    },
    {
      title: "Audit log",
      href: AUDIT,
      figure: found && `${countOf(found.events, "event")} in 24 hours`,
      text: found?.refusals
        ? `Failed logins and refusals: ${found.refusals.toLocaleString("en")}.`
        : "Logins, refusals, tokens and changes of users.",
    },
    {
      title: "Webhooks",
      href: WEBHOOKS,
      text: "Programs that are told of each change.",
      ways: [{ label: "Add webhook", href: `${WEBHOOKS}/create` }],
    },
    {
      title: "Triggers",
      href: TRIGGERS,
      text: "Changes start jobs of AWX, GitLab, Jenkins or another server.",
    },
    {
      title: "Jobs",
      href: JOBS,
      figure: found && `${found.jobs} open, ${found.failed_jobs} failed`,
      text: "Exports and other work in the background.",
    },
    {
      title: "System",
      href: SYSTEM,
      figure: backupFigure(backups),
      text: "Version, database, backup, checks and settings.",
    },
    ...standardResources.map(({ plural, path, standard }) => ({
      title: inTitle(plural),
      href: path,
      text: `${standard?.lead ?? ""}.`,
    })),
  ];
}

function backupFigure({ last, written }: BackupState): string {
  if (last?.result === "failed") return `Backup failed ${ageOf(last.age)} ago`;
  return written ? `Last backup ${ageOf(written.age)} ago` : "No backup yet";
}
