// Times on pages: how long ago, with the exact time in the title. The script of the page writes the title in the zone of
// the browser; without scripting it is in UTC.
import { precompiled } from "../parts/precompiled_markup.ts";

/** A time of the database, as 2026-11-22 12:05. */
export function timeAgo(at: string) {
  return Ago({ moment: momentOf(at), exact: `${at} UTC`, text: ago(at) });
}

export function Time({ at }: { at: string | null }) {
  return at === null ? null : timeAgo(at);
}

/** The time itself, where it is what the page is about. */
export function ExactTime({ at }: { at: string }) {
  return (
    <time datetime={momentOf(at)} data-exact>
      {at} UTC
    </time>
  );
}

const Ago = precompiled<{ moment: string; exact: string; text: string }>(
  ({ moment, exact, text }) => (
    <time datetime={moment} title={exact}>
      {text}
    </time>
  ),
);

function momentOf(at: string): string {
  return `${at.replace(" ", "T")}Z`;
}

const MINUTE = 60_000;
const [HOUR, DAY, MONTH] = [60, 24 * 60, 30 * 24 * 60];

/** After a month the date says more. */
function ago(at: string): string {
  const minutes = Math.floor((Date.now() - Date.parse(momentOf(at))) / MINUTE);
  if (minutes < 1) return "just now";
  if (minutes < HOUR) return inUnits(minutes, "minute");
  if (minutes < DAY) return inUnits(Math.floor(minutes / HOUR), "hour");
  if (minutes < MONTH) return inUnits(Math.floor(minutes / DAY), "day");
  return at.slice(0, 10);
}

function inUnits(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}
