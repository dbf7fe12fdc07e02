import { type FieldError, invalid, refuse } from "./errors.ts";
import { TOO_DEEP } from "./json.ts";
import { DEEPEST, MOST_MARKS, MOST_MARKS_IN_ALL } from "./limits.ts";

// Tabs and line ends are text; the other control characters are not. C1 and the bidirectional
// overrides can make one name look like another.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
/** Not trimmed: a blank may be part of a password. */
const VERBATIM = /password$/;

/** The body with its strings trimmed and composed (NFC). Refuses text that no field may contain. */
export function normalizeInput(body: unknown): unknown {
  refuseManyMarks(body);
  const errors: FieldError[] = [];
  const normalized = isObject(body)
    ? Object.fromEntries(Object.entries(body).map(([key, value]) => [key, trim(key, value)]))
    : body;
  checkTexts(normalized, "", 0, errors);
  if (errors.length > 0) throw refuse(errors.slice(0, 20));
  return normalized;
}

/** Escapes the text for a LIKE pattern. */
export function literal(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

/** Why no field may contain this text; undefined if it is valid. */
export function textError(text: string): string | undefined {
  if (!text.isWellFormed()) return "Use well-formed Unicode text";
  if (FORBIDDEN.test(text)) return "Leave out control characters";
  if (MANY_MARKS.test(text)) return `Use at most ${MOST_MARKS} combining marks in a row`;
  return undefined;
}

function trim(key: string, value: unknown): unknown {
  if (VERBATIM.test(key)) return value;
  if (typeof value === "string") return normalizedText(value);
  if (Array.isArray(value))
    return value.map((one) => (typeof one === "string" ? normalizedText(one) : one));
  return withComposedNames(value, 1);
}

/** Texts inside objects, such as variables, stay as they are; their names are composed, as queries are. */
function withComposedNames(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) return value;
  if (Array.isArray(value)) return value.map((one) => withComposedNames(one, depth + 1));
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, one]) => [
    key.isWellFormed() ? composed(key) : key,
    withComposedNames(one, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

// Normalization sorts combining marks in quadratic time. UAX #15 calls text with at most 30 of them in a row
// stream-safe; no script needs as many. A match begins before the first mark, because a match attempt at each mark
// would read the same marks again.
const MANY_MARKS = new RegExp(`(?:^|\\P{M})\\p{M}{${MOST_MARKS + 1}}`, "u");

/** The text composed (NFC); unchanged if it has more marks in a row than any field may hold. */
export function composed(text: string): string {
  return MANY_MARKS.test(text) ? text : text.normalize("NFC");
}

/** The text with characters that look alike in one form (NFKC), such as letters of full width. */
export function compatible(text: string): string {
  return MANY_MARKS.test(text) ? text : text.normalize("NFKC");
}

/** Letters without their accents: Zoë becomes Zoe. */
export function withoutMarks(text: string): string {
  const letters = MANY_MARKS.test(text) ? text : text.normalize("NFKD");
  return letters.replace(/\p{M}/gu, "");
}

function normalizedText(text: string): string {
  return text.isWellFormed() ? composed(text.replaceAll("\r\n", "\n").trim()) : text;
}

function checkTexts(value: unknown, path: string, depth: number, errors: FieldError[]): void {
  const field = path || "body";
  if (depth > DEEPEST) {
    errors.push({ field, message: TOO_DEEP });
  } else if (typeof value === "string") {
    const message = textError(value);
    if (message) errors.push({ field, message });
  } else if (Array.isArray(value)) {
    value.forEach((one, index) => {
      checkTexts(one, `${path}.${index}`, depth + 1, errors);
    });
  } else if (isObject(value)) {
    for (const [key, one] of Object.entries(value)) {
      const inside = path ? `${path}.${key}` : key;
      const message = textError(key);
      if (message) errors.push({ field, message });
      else checkTexts(one, inside, depth + 1, errors);
    }
  }
}

/** Even in short rows, a MiB of marks takes too long to compose. */
function refuseManyMarks(body: unknown): void {
  let left = MOST_MARKS_IN_ALL;
  const count = (text: string, field: string) => {
    left -= marksIn(text);
    if (left >= 0) return;
    const message = `Use at most ${MOST_MARKS_IN_ALL.toLocaleString("en")} combining marks`;
    throw invalid(field || "body", message);
  };
  const walk = (value: unknown, field: string, depth: number): void => {
    if (depth > DEEPEST) return;
    if (typeof value === "string") count(value, field);
    if (Array.isArray(value)) for (const one of value) walk(one, field, depth + 1);
    if (!isObject(value)) return;
    for (const [key, one] of Object.entries(value)) {
      count(key, field);
      walk(one, field || key, depth + 1);
    }
  };
  walk(body, "", 0);
}

function marksIn(text: string): number {
  return text.length - text.replace(/\p{M}+/gu, "").length;
}

/** An interface, a network. */
export function withArticle(noun: string): string {
  return `${/^[aeio]/i.test(noun) ? "an" : "a"} ${noun}`;
}

/** The present names with those that a form added and without those that it removed. */
export function mergedNames(
  present: string[],
  { before = [], entered }: { before?: string[]; entered: string[] },
): string[] {
  const setOf = (names: string[]) => new Set(names.map((name) => name.toLowerCase()));
  const has = (set: Set<string>, name: string) => set.has(name.toLowerCase());
  const [wanted, opened] = [setOf(entered), setOf(before)];
  const kept = present.filter((name) => has(wanted, name) || !has(opened, name));
  const stayed = setOf(kept);
  const added = entered.filter((name) => !has(stayed, name) && !has(opened, name));
  return [...kept, ...new Set(added)];
}

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** A number with thousands separators, for messages and pages. */
export function formatNumber(number: number): string {
  return number.toLocaleString("en");
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** As the name of a type: "MAC address" is MacAddress. */
export function inPascalCase(text: string): string {
  const words = text.toLowerCase().split(/[^a-z0-9]+/);
  return words.map(capitalized).join("");
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Appended to a prefix, it sorts after every text with that prefix. */
export const LAST = "\u{10FFFF}";

/** Without the ending of a plural, which is a part of it: `pumps` also finds a pump, `switches` a switch, and `supplies` a supply. */
export function singular(word: string): string {
  return word.length < SHORTEST_PLURAL
    ? word
    : word.replace(/ies$|(?<=ch|sh|ss|x)es$|(?<![isu])s$/i, "");
}

const SHORTEST_PLURAL = 4;

/** A part of a URL or a cookie as it was before it was encoded; undefined if it is not encoded so. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
