// How an entry of the audit log is written on pages.
import { EVENTS } from "../../src/auth/audit.ts";
import type { AuditRow } from "../../src/user/audit_entry.ts";
import { Time } from "../records/time.tsx";

const BAD = [
  "login.failed",
  "login.break_glass",
  "access.refused",
  "name.probed",
  "user.deactivated",
];

const LABELS: Readonly<Record<string, string>> = EVENTS;

export function EventTag({ event }: Pick<AuditRow, "event">) {
  return (
    <span class={BAD.includes(event) ? "tag bad" : "tag"} title={event}>
      {LABELS[event] ?? event}
    </span>
  );
}

/** Empty details are left out. */
export function detailsOf({ event, details }: Pick<AuditRow, "event" | "details">): string {
  if (event === "access.refused") return `${details.method} ${details.route}: ${details.reason}`;
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== "" && value !== false)
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${value}`)
    .join(", ");
}

/** One line for the page of a user, whose name it leaves out. */
export function EntryLine({ entry }: { entry: AuditRow }) {
  return (
    <>
      <Time at={entry.at} /> <EventTag event={entry.event} />{" "}
      {entry.target && entry.target !== entry.username && `${entry.target} `}
      <span class="muted">
        {entry.address && `from ${entry.address}`}
        {entry.count > 1 && `, ${entry.count.toLocaleString("en")} times`}
      </span>
    </>
  );
}
