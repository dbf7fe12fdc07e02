// Dates of queries, in UTC: `2024-01-31 10:30`, ISO in every length, and reckoning from them, such as
// `now-7d/d` and `2024-01-01||+1M/M`.
import { type Rounding, reckoned } from "./date_math.ts";
import type { Bound } from "./tree.ts";

/** Milliseconds since 1970: from here, up to but without that. */
export interface Period {
  from?: number;
  until?: number;
}

/** What one date stands for: a day, a minute, the first day of a month; undefined if it is no date. */
export function periodOf(text: string, now: number): Period | undefined {
  const bound = { text, isInclusive: true };
  return periodBetween({ from: bound, to: bound }, now);
}

/** Undefined where an end is no date. */
export function periodBetween(
  { from, to }: { from?: Bound | undefined; to?: Bound | undefined },
  now: number,
): Period | undefined {
  const first = from && instant(from.text, { now, rounding: from.isInclusive ? "down" : "up" });
  const last = to && instant(to.text, { now, rounding: to.isInclusive ? "up" : "down" });
  if ((from && first === undefined) || (to && last === undefined)) return undefined;
  return {
    ...(from && first !== undefined && { from: from.isInclusive ? first : first + 1 }),
    ...(to && last !== undefined && { until: to.isInclusive ? last + 1 : last }),
  };
}

/** As times are shown. */
const SHOWN = "0000-00-00 00:00";
/** Year, month, day, hour and minute in it: where they stand, and what they can be. */
const PARTS = [
  { from: 0, to: 4, least: 1, most: () => 9999 },
  { from: 5, to: 7, least: 1, most: () => 12 },
  { from: 8, to: 10, least: 1, most: daysOf },
  { from: 11, to: 13, least: 0, most: () => 23 },
  { from: 14, to: 16, least: 0, most: () => 59 },
];
const MINUTE = 60_000;

/** All times that are shown as a text which begins with this. */
export function periodStarting(text: string): Period | undefined {
  const isLike = (sign: string, at: number) =>
    SHOWN[at] === "0" ? /[0-9]/.test(sign) : sign === SHOWN[at];
  if (![...text].every(isLike)) return undefined;
  const [first, last]: [string[], string[]] = [[], []];
  for (const { from, to, least, most } of PARTS) {
    const known = text.slice(from, to);
    const low = Math.max(least, Number(known.padEnd(to - from, "0")));
    const high = Math.min(most(last), Number(known.padEnd(to - from, "9")));
    if (low > high) return undefined;
    first.push(String(low).padStart(to - from, "0"));
    last.push(String(high).padStart(to - from, "0"));
  }
  return { from: timeOf(first), until: timeOf(last) + MINUTE };
}

function daysOf([year, month]: string[]): number {
  return new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

function timeOf([year, month, day, hour, minute]: string[]): number {
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}Z`);
}

interface Reading {
  now: number;
  rounding: Rounding;
}

/** The years 1 to 9999 are all that there is: what lies beyond is their end. */
const [FIRST, LAST] = [Date.parse("0001-01-01T00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

function instant(text: string, reading: Reading): number | undefined {
  const time = unlimited(text, reading);
  return time === undefined ? undefined : Math.min(Math.max(time, FIRST), LAST);
}

function unlimited(text: string, { now, rounding }: Reading): number | undefined {
  if (text.startsWith("now")) return reckoned(now, text.slice(3), rounding);
  const [date = "", steps] = split(text);
  if (steps === undefined) return read(date, rounding);
  const start = read(date, "down");
  return start === undefined ? undefined : reckoned(start, steps, rounding);
}

function split(text: string): string[] {
  const at = text.indexOf("||");
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 2)];
}

const DATE = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](.+))?)?)?$/;
const CLOCK = /^(\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/;
const SHORT_CLOCK = /^\d\d:\d\d$/;

/** Rounded up, the clock is filled to its end, but month and day with 01, as Elasticsearch has it. */
function read(text: string, rounding: Rounding): number | undefined {
  const [, year, month = "01", day = "01", clock] = DATE.exec(text) ?? [];
  if (!year) return undefined;
  const start = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(start) || new Date(start).getUTCDate() !== Number(day)) return undefined;
  if (text[10] === " " && !SHORT_CLOCK.test(clock ?? "")) return undefined;
  const time = timeOfDay(clock, rounding);
  return time === undefined ? undefined : start + time;
}

const FULL = { hours: 23, minutes: 59, seconds: 59, fraction: ".999" };
const NONE = { hours: 0, minutes: 0, seconds: 0, fraction: "0" };

function timeOfDay(clock: string | undefined, rounding: Rounding): number | undefined {
  const fill = rounding === "up" ? FULL : NONE;
  const [all, hour, minute, second, part, zone = "Z"] = CLOCK.exec(clock ?? "") ?? [];
  if (clock !== undefined && all === undefined) return undefined;
  const hours = Number(hour ?? fill.hours);
  const minutes = Number(minute ?? fill.minutes);
  const seconds = Number(second ?? fill.seconds);
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const milliseconds = Math.floor(Number(part === undefined ? fill.fraction : `.${part}`) * 1000);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds - offsetOf(zone);
}

function offsetOf(zone: string): number {
  if (zone === "Z") return 0;
  const digits = zone.replace(/\D/g, "");
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return minutes * 60_000 * (zone.startsWith("-") ? -1 : 1);
}
