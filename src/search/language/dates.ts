// Dates in queries, in UTC: `2024-01-31 10:30`, ISO of any length, and date math such as `now-7d/d`
// and `2024-01-01||+1M/M`.
import type { Bound } from "./tree.ts";

/** Milliseconds since 1970; `from` is inclusive, `until` exclusive. */
export interface Period {
  from?: number;
  until?: number;
}

/**
 * The period that one date stands for: a day, a minute, the first day of a month. Undefined for
 * other texts.
 */
export function periodOf(text: string, now: number): Period | undefined {
  const bound = { text, isInclusive: true };
  return periodBetween({ from: bound, to: bound }, now);
}

/** Undefined if an end is not a date. */
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

/** The format in which times are shown. */
const SHOWN = "0000-00-00 00:00";
/** Year, month, day, hour and minute: their places in it and their ranges. */
const PARTS = [
  { from: 0, to: 4, least: 1, most: () => 9999 },
  { from: 5, to: 7, least: 1, most: () => 12 },
  { from: 8, to: 10, least: 1, most: daysOf },
  { from: 11, to: 13, least: 0, most: () => 23 },
  { from: 14, to: 16, least: 0, most: () => 59 },
];
const MINUTE = 60_000;

/** All times that, as they are shown, start with this text. */
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

interface TimeReader {
  now: number;
  rounding: Rounding;
}

/** Times are limited to the years 1 to 9999. */
const [FIRST, LAST] = [Date.parse("0001-01-01T00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

function instant(text: string, reading: TimeReader): number | undefined {
  const time = parseTime(text, reading);
  return time === undefined ? undefined : Math.min(Math.max(time, FIRST), LAST);
}

function parseTime(text: string, { now, rounding }: TimeReader): number | undefined {
  if (text.startsWith("now")) return addSteps(now, text.slice(3), rounding);
  const [date = "", steps] = split(text);
  if (steps === undefined) return parseDate(date, rounding);
  const start = parseDate(date, "down");
  return start === undefined ? undefined : addSteps(start, steps, rounding);
}

function split(text: string): string[] {
  const at = text.indexOf("||");
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 2)];
}

const DATE = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](.+))?)?)?$/;
const CLOCK = /^(\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/;
const SHORT_CLOCK = /^\d\d:\d\d$/;

/**
 * Like in Elasticsearch, rounding up fills the clock with its maximum, but month and day with 01.
 */
function parseDate(text: string, rounding: Rounding): number | undefined {
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

// Date math: `-7d/d` is seven days back, then the start of that day -------------------------------

type Rounding = "down" | "up";

type TimeUnit = "y" | "M" | "w" | "d" | "h" | "m" | "s";

const STEP = /([+-])(\d*)([yMwdhHms])|\/1?([yMwdhHms])/y;
const LENGTH = { w: 7 * 86_400_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };
/** The first Monday of 1970. */
const MONDAY = 4 * 86_400_000;

/**
 * Undefined for steps that are not valid or leave the range of dates. Rounding up gives the last
 * millisecond.
 */
function addSteps(start: number, steps: string, rounding: Rounding): number | undefined {
  let time = start;
  STEP.lastIndex = 0;
  while (STEP.lastIndex < steps.length) {
    const [step, sign, count, unit, rounded] = STEP.exec(steps) ?? [];
    if (!step) return undefined;
    if (rounded) time = roundTo(time, unitOf(rounded), rounding);
    else time = moveBy(time, Number(`${sign}${count || 1}`), unitOf(unit));
    if (Number.isNaN(time)) return undefined;
  }
  return time;
}

function roundTo(time: number, unit: TimeUnit, rounding: Rounding): number {
  const start = startOf(time, unit);
  return rounding === "up" ? moveBy(start, 1, unit) - 1 : start;
}

function startOf(time: number, unit: TimeUnit): number {
  if (unit === "y" || unit === "M") {
    const date = new Date(time);
    date.setUTCMonth(unit === "y" ? 0 : date.getUTCMonth(), 1);
    return date.setUTCHours(0, 0, 0, 0);
  }
  const offset = unit === "w" ? MONDAY : 0;
  return Math.floor((time - offset) / LENGTH[unit]) * LENGTH[unit] + offset;
}

/** A month after the 31st is the last day of the next month. NaN outside the range of dates. */
function moveBy(time: number, count: number, unit: TimeUnit): number {
  if (unit !== "y" && unit !== "M") return new Date(time + count * LENGTH[unit]).getTime();
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + (unit === "y" ? 12 : 1) * count);
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime();
}

function unitOf(letter: string | undefined): TimeUnit {
  return letter === "H" ? "h" : (letter as TimeUnit);
}
