// Parses untrusted JSON. One walk over the text finds what JSON.parse does not report: the depth, the number of
// values, and numbers that JavaScript cannot represent exactly.
import { type FieldError, invalid, type Refusal } from "./errors.ts";
import { DEEPEST, MOST_VALUES } from "./limits.ts";

export const TOO_DEEP = `Nest at most ${DEEPEST} levels`;
export const INEXACT = "This number is too large or too precise to be stored; send it as text";

/** The value of a JSON text, or a refusal that names the wrong field. */
export function readJson(text: string): unknown {
  const { values, depth, tooDeep, inexact } = measure(text);
  if (depth > DEEPEST) throw invalid(pathTo(text, tooDeep), TOO_DEEP);
  if (values > MOST_VALUES) {
    throw invalid("body", `Send at most ${MOST_VALUES.toLocaleString("en")} values`);
  }
  const value = parse(text);
  if (inexact >= 0) throw invalid(pathTo(text, inexact), INEXACT);
  return value;
}

/** The error for the first number that would not be stored exactly, if there is one. */
export function inexactNumber(json: string): FieldError | undefined {
  const { inexact } = measure(json);
  return inexact < 0 ? undefined : { field: pathTo(json, inexact), message: INEXACT };
}

/** Whether JavaScript represents this number exactly. */
export function isExact(digits: string): boolean {
  if (digits.length <= 15 && !/[eE]/.test(digits)) return true;
  const value = Number(digits);
  return Number.isFinite(value) && normal(digits) === normal(String(value));
}

interface JsonMeasures {
  values: number;
  depth: number;
  /** The offset of the first list or object that is nested too deep; -1 if there is none. */
  tooDeep: number;
  /** The offset of the first number that is not exact; -1 if there is none. */
  inexact: number;
}

const [QUOTE, BACKSLASH, COMMA, MINUS] = [0x22, 0x5c, 0x2c, 0x2d];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

function measure(text: string): JsonMeasures {
  const found: JsonMeasures = { values: 1, depth: 0, tooDeep: -1, inexact: -1 };
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) found.values += 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      found.values += 1;
      if (depth === DEEPEST + 1 && found.tooDeep < 0) found.tooDeep = at;
      if (depth > found.depth) found.depth = depth;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      if (found.inexact < 0 && !isExact(text.slice(at, end))) found.inexact = at;
      at = end - 1;
    }
  }
  return found;
}

/** The position of the closing quotation mark. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  }
  return at;
}

function endOfNumber(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && isOfNumber(text.charCodeAt(at))) at += 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** A digit, or one of `.`, `e`, `E`, `+` and `-`. */
function isOfNumber(code: number): boolean {
  return (
    isDigit(code) || code === 0x2e || (code | 0x20) === 0x65 || code === 0x2b || code === MINUS
  );
}

/** The canonical form of a number: its digits without zeros at both ends, and the power of ten of the last one. */
function normal(written: string): string {
  const [, sign = "", whole = "", part = "", power = "0"] =
    /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/.exec(written) ?? [];
  const digits = whole + part;
  let [start, end] = [0, digits.length];
  while (start < end && digits[start] === "0") start += 1;
  while (end > start && digits[end - 1] === "0") end -= 1;
  if (start === end) return "0";
  const exponent = Number(power) - part.length + (digits.length - end);
  return `${sign === "-" ? "-" : ""}${digits.slice(start, end)}e${exponent}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

export function notJson(): Refusal {
  return invalid("body", "This is not JSON");
}

const LONGEST_FIELD = 200;

/** The path to the value at an offset of the text: names and indexes, joined by dots. */
function pathTo(text: string, place: number): string {
  const path: Array<string | number> = [];
  let name = "";
  for (let at = 0; at < place; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      name = text.slice(at, end + 1);
      at = end;
    } else if (code === OPEN_OBJECT) path.push("");
    else if (code === OPEN_LIST) path.push(0);
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) path.pop();
    else if (code === COMMA && typeof path.at(-1) === "number") path.push(Number(path.pop()) + 1);
    else if (text[at] === ":") path.splice(-1, 1, unquoted(name));
  }
  return path.join(".").slice(0, LONGEST_FIELD) || "body";
}

function unquoted(name: string): string {
  try {
    return String(JSON.parse(name));
  } catch {
    return name;
  }
}
