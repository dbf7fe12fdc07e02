// Parses times: in UTC as they are shown, or in ISO 8601 with a zone.

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?(Z|[+-]\d{2}(?::?\d{2})?| \d{2}:?\d{2})?)?$/i;

interface WrittenTime {
  /** Begin and end of the period, as PostgreSQL reads them. */
  from: string;
  until: string;
  /** Begin and length of the period in whole milliseconds, since 1970. */
  begin: number;
  length: number;
}

/**
 * A day, a minute, a second or a part of one; undefined where the text is no time of the calendar. A time means the
 * whole period, because records show minutes and store microseconds: the time that is shown has to find the record.
 */
export function readTime(text: string): WrittenTime | undefined {
  const [, day, minute = "00:00", second = "00", fraction = "", zone = "Z"] = TIME.exec(text) ?? [];
  const ahead = minutesAhead(zone);
  if (day === undefined || ahead === undefined || day < "0001") return undefined;
  const local = `${day}T${minute}:${second}`;
  const known = Date.parse(`${local}Z`);
  // Date.parse takes 30 February for 1 March.
  if (Number.isNaN(known) || new Date(known).toISOString().slice(0, 19) !== local) return undefined;
  const seconds = known - ahead * MINUTE;
  const micros = Number(fraction.padEnd(6, "0"));
  const length = lengthOf({ text, fraction });
  return {
    from: instant(seconds, micros),
    until: instant(seconds, micros + length * 1_000),
    begin: seconds + Math.floor(micros / 1_000),
    length: Math.floor(length),
  };
}

/** In milliseconds. */
function lengthOf({ text, fraction }: { text: string; fraction: string }): number {
  if (fraction !== "") return 1_000 / 10 ** fraction.length;
  if (text.length === 10) return DAY;
  return /^.{16}:/.test(text) ? 1_000 : MINUTE;
}

// In the query of a URL a plus is decoded as a blank, and many programs do not escape it. A blank between a time and
// a zone can only be such a plus.
function minutesAhead(zone: string): number | undefined {
  if (/^z$/i.test(zone)) return 0;
  const [, sign, hours = "", minutes = "00"] = /^([+ -])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  if (Number(hours) > 15 || Number(minutes) > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

const FIRST = Date.parse("0001-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T23:59:59Z");

function instant(seconds: number, micros: number): string {
  const carried = new Date(seconds + Math.floor(micros / 1_000_000) * 1_000);
  if (carried.getTime() > LAST) return "infinity";
  if (carried.getTime() < FIRST) return "-infinity";
  const rest = String(Math.round(micros) % 1_000_000).padStart(6, "0");
  return `${carried.toISOString().slice(0, 19)}.${rest}Z`;
}
