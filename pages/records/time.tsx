// Times and dates on pages: how long ago, or the date as 22 Nov 2026, with the exact time in the title. The server writes it in UTC; the script keeps both up to
// date, in the zone of the browser.

/** A time of the database, as 2026-11-22 12:05. */
export function Time({ at }: { at: string | null }) {
  if (at === null) return null;
  return (
    <time datetime={momentOf(at)} title={`${at} UTC`} data-ago>
      {ago(at)}
    </time>
  );
}

/** A date of the database, as 2026-11-22. */
export function Day({ at }: { at: string }) {
  return (
    <time datetime={at} title={at}>
      {dayInWords(at)}
    </time>
  );
}

export function isDay(value: unknown): value is string {
  const isDate = typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);
  return isDate && !Number.isNaN(Date.parse(value));
}

/** 22 Nov 2026; of a time, its day. */
export function dayInWords(at: string): string {
  return DAY.format(new Date(at.slice(0, 10)));
}

/** 22 Nov 2026, 12:05 UTC; with seconds if there are some. */
export function momentInWords(at: string): string {
  return `${dayInWords(at)}, ${at.slice(11)} UTC`;
}

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
  if (!found) return DAY.format(moment);
  const [unit, length] = found;
  return AGO.format(-Math.floor(seconds / length), unit);
}
