// What people ask the one box in their own words: who has an address, where a record is, who changed it, what happened on
// a day. Reads the words only; answers.ts looks the answers up.

export interface Question {
  about:
    | "record"
    | "place"
    | "free"
    | "changes"
    | "days"
    | "user"
    | "without"
    | "added"
    | "tag"
    | "inside"
    | "network";
  /** What the question is about, as one would type it alone. */
  text: string;
  days?: Days;
  /** The kind of records that are meant; else all changes are. */
  kind?: "items" | "hosts";
  action?: "delete";
  /** What the records without the field have. */
  words?: string;
}

/** The first and the last day, in UTC. */
export interface Days {
  from: string;
  to: string;
}

const OF = "(?:in|on|of|at|for|from|inside|to|with)";
const THINGS =
  "(?:items?|crates?|hosts?|servers?|machines?|devices?|equipment|things?|contents?|everything|networks?|interfaces?|all)";
const FACTS =
  "(?:gateway|subnet|network|netmask|mask|prefix|range|dns|names?|alias|aliases|cnames?|hostname|owner|serial|model|status|labels?|macs?|ips?|address|addresses|vlan|scope|domain|capacity|groups?|variables|comments?)";
const CHANGED =
  "(?:changed?|edited?|touched|deleted?|removed|moved?|added|created|registered|renamed)";
const FREE = "free (?:ips?|add?resse?s?|ip add?resse?s?)";

/** The first that matches decides; its groups are what the question is about. */
const QUESTIONS: Array<[RegExp, Question["about"]]> = [
  [
    new RegExp(
      `^(?:what (?:is|are) )?(?:the )?(?:next |first |a |an |any |get |give me |how many )*${FREE}(?: ${OF}| has)?(?: (?:the )?(.*))?$`,
      "i",
    ),
    "free",
  ],
  [new RegExp(`^next (?:ips?|address|ip address)(?: ${OF})?(?: (.*))?$`, "i"), "free"],
  [new RegExp(`^(.+?) ${FREE}$`, "i"), "free"],
  [/^how many (?:ips?|addresses) (?:are )?(?:free|left) (?:in|on) (?:the )?(.+)$/i, "free"],
  [/^(?:vlan|subnet|gateway|netmask|mask|prefix|range) (?:of|for) (?:the )?(.+)$/i, "network"],
  [/^(?:(?:changes|history|work) (?:made )?by|user) (.+)$/i, "user"],
  [/^who is (?!(?:using|at|on|in) |(?:the |an )?admin)(.+)$/i, "user"],
  [/^(.+?)(?:'s|’s) (?:changes|history|work)$/i, "user"],
  [/^what (?:did|has) (.+?) (?:do|done|change|changed)$/i, "user"],
  [
    /^(?:who (?:added|created|registered)|when was) (?:the )?(.+?)(?: (?:added|created|registered))$/i,
    "added",
  ],
  [/^who (?:added|created|registered) (?:the )?(.+)$/i, "added"],
  [/^(?:(?:items|hosts) |all |with |the )*tag(?:ged)? (?:with )?(.+)$/i, "tag"],
  [/^is (.+?) (?:free|used|in use|taken|available)$/i, "record"],
  [
    /^(?:what(?: is|'s|’s|s)? (?:inside|in|on) )?(?:the )?(?:rack|crate|cabinet|chassis|box|label) ([a-z]{3}\d{3})$/i,
    "record",
  ],
  [/^what(?: is|'s|’s|s)? (?:inside|in|on|at) (?:the )?(.+)$/i, "record"],
  [/^(?:what (?:changed|happened)|changes) (?:inside|in|at) (?:the )?(.+)$/i, "inside"],
  [
    new RegExp(`^(?:who|when was|when did somebody) (?:last )?${CHANGED} (?:the )?(.+)$`, "i"),
    "changes",
  ],
  [new RegExp(`^when was (.+?) (?:last )?${CHANGED}$`, "i"), "changes"],
  [
    new RegExp(
      `^(?:what (?:changed|happened) ${OF}|(?:last )?changes? ${OF}|(?:the )?history ${OF}|history) (.+)$`,
      "i",
    ),
    "changes",
  ],
  [/^(.+?) (?:history|changes)$/i, "changes"],
  [/^where(?: is|'s| are| was| do i find) (?:the )?(.+)$/i, "place"],
  [/^(?:location|place) of (.+)$/i, "place"],
  [
    /^(?:who|which host|what host|what) (?:has|uses|is using|owns|is at|is on|is in|is) (?:the )?(.+)$/i,
    "record",
  ],
  [/^(?:mac|ip)(?: address)?(?: of)? (?!address)(.+)$/i, "record"],
  [/^(?:address|alias|cname|serial(?: number)?|sn|s\/n) (?!number)(.+)$/i, "record"],
  [/^(?:gateway|host|network|subnet|net|netmask|mask|prefix) (?=\d)(.+)$/i, "record"],
  [
    new RegExp(
      `^(?:(?:list|show|all|the|which|what|how many|number of) )*${THINGS} (?:are )?${OF} (?:the )?(.+)$`,
      "i",
    ),
    "record",
  ],
  [new RegExp(`^(.+?) ${THINGS} ${OF} (?:the )?(.+)$`, "i"), "record"],
  [
    new RegExp(
      `^(?:the )?${FACTS}(?: names?| numbers?| address(?:es)?)? ${OF} (?:the )?(.+)$`,
      "i",
    ),
    "record",
  ],
  [
    /^(?:please )?(?:find|list|show me|show|open|go to|look up|look for|search for|search) (?:all )?(?:the )?(.+)$/i,
    "record",
  ],
];
const CHANGES_ON =
  /^(?:changes?|history|what (?:changed|happened)|work|added|changed|edited)(?: (?:of|on|from))? (.+)$/i;

const GONE = /^(?:show |list |all |the )*deleted (item|host)s? (?:of |on |from )?(.+)$/i;
const NEW = [
  /^(?:show |list |all |the )*(?:new|recently added) (item|host)s? (?:of |on |from )?(.+)$/i,
  /^(?:show |list |all |the )*(item|host)s? (?:that were )?(?:added|created|registered) (?:on |from )?(.+)$/i,
];

const WITHOUT =
  /^(?:show |list |all |the )*(?:(?:(item|crate|host|server)s?|(.+?)) )?(?:without|with no|not) (?:an? |any )?(.+)$/i;

function listOf(noun: string): "items" | "hosts" {
  return /^(?:item|crate)$/i.test(noun) ? "items" : "hosts";
}

/** Undefined for a text that is no question. */
export function readQuestion(typed: string, now = Date.now()): Question | undefined {
  const text = typed
    .trim()
    .replace(/\s+/g, " ")
    .replace(/\s?\?+$/, "");
  if (text.length > LONGEST) return undefined;
  const days = daysIn(CHANGES_ON.exec(text)?.[1] ?? text, now);
  if (days) return { about: "days", text: "", days };
  for (const pattern of [GONE, ...NEW]) {
    const [, noun = "", when = ""] = pattern.exec(text) ?? [];
    const then = daysIn(when, now);
    const kind = listOf(noun);
    const action = pattern === GONE && { action: "delete" as const };
    if (then) return { about: "days", text: "", days: then, kind, ...action };
  }
  const [, lacking, words = "", field] = WITHOUT.exec(text) ?? [];
  if (field)
    return { about: "without", text: field, words, ...(lacking && { kind: listOf(lacking) }) };
  const dated = withoutDays(text, now);
  for (const [pattern, about] of QUESTIONS) {
    const hasDays = ["changes", "inside", "user"].includes(about);
    const found = pattern.exec(hasDays ? dated.text : text);
    if (!found) continue;
    const wanted = found.slice(1).join(" ").trim();
    return { ...(hasDays && dated), about, text: wanted };
  }
  const [who = "", ...when] = text.split(" ");
  const theirs = daysIn(when.join(" "), now);
  return theirs && { about: "user", text: who, days: theirs };
}

const WHEN =
  /^(.+?) (?:on )?(today|yesterday|\d+ days? ago|(?:this|last) (?:week|month|year)|(?:in the )?(?:last|past) \d+ days|(?:last )?\w+day|in \w+(?: \d{4})?)$/i;

/** The text, and the days that its end names. */
function withoutDays(text: string, now: number): Pick<Question, "text" | "days"> {
  const [, rest = text, when = ""] = WHEN.exec(text) ?? [];
  const days = daysIn(when, now);
  return days ? { text: rest, days } : { text };
}

const LONGEST = 200;

const ASKING =
  "(?:which|what|how many|do we have|we have|show|list|me|any|the|an?|are|is|our|please|building|password|photos?|manual)";
const NOISE = new RegExp(
  `(?<![\\p{L}\\p{N}-])(?:${THINGS}|${OF}|${ASKING})(?![\\p{L}\\p{N}-])`,
  "giu",
);

/** The words that a record may have, without those that only ask for one: of "all virtual machines", virtual. */
export function withoutNoise(text: string): string {
  // A command says what to add.
  if (/^(?:add|create|new|make|register|insert) /i.test(text)) return text;
  return text.replace(NOISE, "").replace(/\s+/g, " ").trim();
}

const KIND = "(?<kind>item|network|host|scope|domain|group|location|model|manufacturer|status)";
const NAMED = [new RegExp(`^${KIND} (?<name>.+)$`, "i"), new RegExp(`^(?<name>.+) ${KIND}$`, "i")];

/** The kind of record that a text names besides the name: of "timing network", a network. */
export function kindIn(text: string): { kind: string; name: string } | undefined {
  const found = NAMED.map((pattern) => pattern.exec(text)?.groups).find(Boolean);
  const { kind = "", name = "" } = found ?? {};
  return found && { kind: kind.toLowerCase(), name };
}

// Days --------------------------------------------------------------------------------------------

const DAY = 86_400_000;
const MONTHS =
  "january february march april may june july august september october november december".split(
    " ",
  );
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const SHORT = 3;
const MONTH = `(${MONTHS.map((name) => `${name.slice(0, SHORT)}(?:${name.slice(SHORT)})?`).join("|")}|sept)\\.?`;
const DATES: Array<[RegExp, order: "ymd" | "dmy" | "mdy"]> = [
  [/^(\d{4})-(\d{1,2})-(\d{1,2})$/, "ymd"],
  [/^(\d{1,2})[./](\d{1,2})[./](\d{4})$/, "dmy"],
  [new RegExp(`^(\\d{1,2})(?:st|nd|rd|th|\\.)? ${MONTH}(?: (\\d{4}))?$`), "dmy"],
  [new RegExp(`^${MONTH} (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?$`), "mdy"],
];

function daysIn(text: string, now: number): Days | undefined {
  const said = text.toLowerCase();
  const today = Math.floor(now / DAY) * DAY;
  const weekday = WEEKDAYS.indexOf(said.replace(/^(last|on) /, ""));
  const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * DAY;
  if (said === "today") return between(today, today);
  if (said === "yesterday") return between(today - DAY, today - DAY);
  const ago = /^(\d{1,4}) days? ago$/.exec(said)?.[1];
  if (ago) return between(today - Number(ago) * DAY, today - Number(ago) * DAY);
  const lately = /^(?:in the )?(?:last|past) (\d{1,4}) days$/.exec(said)?.[1];
  if (lately) return between(today - Number(lately) * DAY, today);
  const start = /^since (.+)$/.exec(said)?.[1];
  if (start) {
    const first = daysIn(start, now) ?? daysIn(`in ${start}`, now);
    return first && { ...between(today, today), from: first.from };
  }
  const year = { "this year": 0, "last year": -1 }[said];
  if (year !== undefined) return yearOf(new Date(today).getUTCFullYear() + year, today);
  if (said === "this week") return between(monday, today);
  if (said === "last week") return between(monday - 7 * DAY, monday - DAY);
  const month = monthIn(said, today);
  if (month) return month;
  if (weekday >= 0) {
    const back = (new Date(today).getUTCDay() - weekday + 7) % 7 || 7;
    return between(today - back * DAY, today - back * DAY);
  }
  const date = dateIn(said, today);
  return date === undefined ? undefined : between(date, date);
}

function yearOf(year: number, today: number): Days {
  return between(Date.UTC(year, 0, 1), Math.min(Date.UTC(year, 11, 31), today));
}

/** A short word alone may be a name. */
const IN_MONTH = new RegExp(`^(?:in |last |(?=\\w{4,}|\\w+ \\d{4}))${MONTH}(?: (\\d{4}))?$`);

/** This month, the last one, or one by its name; without a year, the last one that has begun. */
function monthIn(said: string, today: number): Days | undefined {
  const now = new Date(today);
  const [, name, wanted] = IN_MONTH.exec(said) ?? [];
  const ago = { "this month": 0, "last month": 1 }[said];
  if (ago === undefined && name === undefined) return undefined;
  const current = now.getUTCMonth();
  const month = name === undefined ? current - (ago ?? 0) : monthOf(name);
  const year = Number(wanted ?? now.getUTCFullYear() - Number(month > current));
  if (Date.UTC(year, month) > today) return undefined;
  return between(Date.UTC(year, month, 1), Math.min(Date.UTC(year, month + 1, 0), today));
}

/** A date without a year is the last one that is not in the future. */
function dateIn(said: string, today: number): number | undefined {
  for (const [pattern, order] of DATES) {
    const parts = pattern.exec(said)?.slice(1);
    if (!parts) continue;
    const [year, month = "", day = ""] = [..."ymd"].map((part) => parts[order.indexOf(part)]);
    const named = monthOf(month);
    const inYear = (one: number) => dayOf(one, named < 0 ? Number(month) - 1 : named, Number(day));
    if (year !== undefined) return inYear(Number(year));
    const thisYear = new Date(today).getUTCFullYear();
    const date = inYear(thisYear);
    return date !== undefined && date > today ? inYear(thisYear - 1) : date;
  }
  return undefined;
}

/** Below 0 for a number. */
function monthOf(written: string): number {
  return MONTHS.findIndex((name) => name.startsWith(written.slice(0, SHORT)));
}

/** Undefined for a day that does not exist. */
function dayOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(Date.UTC(year, month, day));
  return date.getUTCMonth() === month && date.getUTCDate() === day ? date.getTime() : undefined;
}

function between(from: number, to: number): Days {
  const written = (time: number) => new Date(time).toISOString().slice(0, 10);
  return { from: written(from), to: written(to) };
}
