// Times on pages: how long ago, or the date, with the exact time in the title. The server writes it in UTC; the script keeps both up to
// date, in the zone of the browser.
import { precompiled } from "../parts/precompiled_markup.ts";

/** A time of the database, as 2026-11-22 12:05. */
export function timeAgo(at: string) {
  return Ago({ moment: momentOf(at), exact: `${at} UTC`, text: ago(at) });
}

export function Time({ at }: { at: string | null }) {
  return at === null ? null : timeAgo(at);
}

const Ago = precompiled<{ moment: string; exact: string; text: string }>(
  ({ moment, exact, text }) => (
    <time datetime={moment} title={exact} data-ago>
      {text}
    </time>
  ),
);

function momentOf(at: string): string {
  return `${at.replace(" ", "T")}Z`;
}

// The same formats as in static/times.js, so that nothing on the page moves when the script runs.
const AGO = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const DAY = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});
const UNITS = [
  ["minute", 60, 3_600],
  ["hour", 3_600, 86_400],
  ["day", 86_400, 30 * 86_400],
] as const;

/** By how many seconds clocks may differ; what is further ahead is shown as a date. */
const FAST_CLOCK = 300;

function ago(at: string): string {
  const moment = Date.parse(momentOf(at));
  const seconds = (Date.now() - moment) / 1_000;
  if (seconds > -FAST_CLOCK && seconds < 60) return "just now";
  const found = seconds > 0 && UNITS.find(([, , most]) => seconds < most);
  if (!found) return once(at.slice(0, 10), () => DAY.format(moment));
  const [unit, length] = found;
  const count = Math.floor(seconds / length);
  return once(`${count} ${unit}`, () => AGO.format(-count, unit));
}

const MOST_TEXTS = 10_000;
const texts = new Map<string, string>();

/** Formatting a time takes as long as the rest of its cell, and a list shows the same few texts. */
function once(name: string, format: () => string): string {
  const known = texts.get(name);
  if (known !== undefined) return known;
  if (texts.size >= MOST_TEXTS) texts.clear();
  const text = format();
  texts.set(name, text);
  return text;
}
