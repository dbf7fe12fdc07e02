// Reckoning with dates: `-7d/d` is seven days less, and then the beginning of that day.

export type Rounding = "down" | "up";

type Unit = "y" | "M" | "w" | "d" | "h" | "m" | "s";

const STEP = /([+-])(\d*)([yMwdhHms])|\/1?([yMwdhHms])/y;
const LENGTH = { w: 7 * 86_400_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };
/** The first Monday of 1970. */
const MONDAY = 4 * 86_400_000;

/** Undefined if the steps cannot be read, or lead beyond all dates. Rounded up, it is the last millisecond. */
export function reckoned(start: number, steps: string, rounding: Rounding): number | undefined {
  let time = start;
  STEP.lastIndex = 0;
  while (STEP.lastIndex < steps.length) {
    const [step, sign, count, unit, rounded] = STEP.exec(steps) ?? [];
    if (!step) return undefined;
    if (rounded) time = roundedTo(time, unitOf(rounded), rounding);
    else time = moved(time, Number(`${sign}${count || 1}`), unitOf(unit));
    if (Number.isNaN(time)) return undefined;
  }
  return time;
}

function roundedTo(time: number, unit: Unit, rounding: Rounding): number {
  const start = startOf(time, unit);
  return rounding === "up" ? moved(start, 1, unit) - 1 : start;
}

function startOf(time: number, unit: Unit): number {
  if (unit === "y" || unit === "M") {
    const date = new Date(time);
    date.setUTCMonth(unit === "y" ? 0 : date.getUTCMonth(), 1);
    return date.setUTCHours(0, 0, 0, 0);
  }
  const since = unit === "w" ? MONDAY : 0;
  return Math.floor((time - since) / LENGTH[unit]) * LENGTH[unit] + since;
}

/** A month on from the 31st is the last of the next. NaN beyond what a date can be. */
function moved(time: number, count: number, unit: Unit): number {
  if (unit !== "y" && unit !== "M") return new Date(time + count * LENGTH[unit]).getTime();
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + (unit === "y" ? 12 : 1) * count);
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime();
}

function unitOf(letter: string | undefined): Unit {
  return letter === "H" ? "h" : (letter as Unit);
}
