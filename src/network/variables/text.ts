// Variables as people write them: in YAML, or as a JSON object.
import { type FieldError, invalid, Refusal } from "../../input/errors.ts";
import { INEXACT, inexactNumber, isExact } from "../../input/json.ts";
import { MOST_MERGES } from "../../input/limits.ts";
import { isObject, normalizeInput } from "../../input/text.ts";
import { excess } from "./limits.ts";
import type { Vars } from "./variables.ts";

/** The text that Bun.YAML returns for a mapping in place of a name, as in `{{ x }}`. */
const NO_NAME = "[object Object]";

/** Refuses the field `vars` with the line that cannot be read. */
export function readVars(text: string): Vars {
  if (text.trim() === "") return {};
  const isJson = /^\s*[{[]/.test(text);
  const value = parse(text, isJson);
  if (value === null) return {};
  if (!isObject(value)) throw invalidVars("Enter a name, a colon and a value for each variable");
  // Before anything else: YAML aliases can make a few lines into a huge tree, which must not be walked.
  const tooMuch = excess(value);
  if (tooMuch) throw invalidVars(tooMuch);
  refuseUnsupported(value);
  const vars = checkedText(value);
  const inexact = isJson ? inexactNumber(text) : roundedNumber(text, value);
  if (inexact) throw invalidVars(`${inexact.field}: ${inexact.message}`);
  return vars;
}

function parse(text: string, isJson: boolean): unknown {
  try {
    if (isJson) return JSON.parse(text);
    if (text.split("<<", MOST_MERGES + 2).length > MOST_MERGES + 1) {
      throw invalidVars(`Use at most ${MOST_MERGES} merge keys (<<)`);
    }
    return Bun.YAML.parse(text);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const line = isJson ? lineInJson(text) : lineInYaml(text);
    const reason = String(error).replace(/^.*Parse error: /, "");
    throw invalidVars(`Line ${line}: ${reason}`);
  }
}

function refuseUnsupported(value: object): void {
  const found: unknown[] = [value];
  for (const one of found) {
    if (typeof one === "number" && !Number.isFinite(one)) throw invalidVars("Use finite numbers");
    if (typeof one !== "object" || one === null) continue;
    if (NO_NAME in one) throw invalidVars("Put a value that begins with { in quotes");
    for (const inner of Object.values(one)) found.push(inner);
  }
}

const DECIMAL = /(?<![\w.])[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])/g;

/**
 * Bun.YAML does not return the text of numbers: a number is refused if the text has digits that round to it.
 */
function roundedNumber(text: string, value: object): FieldError | undefined {
  const written = text.match(DECIMAL) ?? [];
  const rounded = new Set(written.filter((one) => !isExact(one)).map(Number));
  if (rounded.size === 0) return undefined;
  const found: Array<{ path: string; value: unknown }> = [{ path: "", value }];
  for (const { path, value: one } of found) {
    if (typeof one === "number" && rounded.has(one)) return { field: path, message: INEXACT };
    if (typeof one !== "object" || one === null) continue;
    for (const [name, inner] of Object.entries(one)) {
      found.push({ path: path ? `${path}.${name}` : name, value: inner });
    }
  }
  return undefined;
}

/** Checks texts by the same rules as all input; returns the value unchanged, because tidy trims. */
function checkedText(vars: Vars): Vars {
  try {
    normalizeInput(vars);
  } catch (error) {
    const [first] = error instanceof Refusal ? error.errors : [];
    throw first ? invalidVars(`${first.field}: ${first.message}`) : error;
  }
  return vars;
}

function invalidVars(message: string): Refusal {
  return invalid("vars", message);
}

/** The line after the longest valid beginning: parsers report no positions. */
function lineInYaml(text: string): number {
  const lines = text.split("\n");
  const reads = (end: number) => canRead(() => Bun.YAML.parse(lines.slice(0, end).join("\n")));
  const entries = [...lines.keys()].filter((at) => /^[^\s#]/.test(lines[at] ?? ""));
  const broken = firstOf(entries.length, (at) => !reads(entries[at + 1] ?? lines.length));
  const start = entries[broken] ?? 0;
  const end = entries[broken + 1] ?? lines.length;
  return start + 1 + firstOf(end - start - 1, (at) => !reads(start + at + 1));
}

// An unterminated string extends to the end of its line: searching for the end from each quotation mark would take
// quadratic time.
const TOKENS = /"(?:[^"\\\n]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The line of the first unexpected token, or of the last one if the end is missing. */
function lineInJson(text: string): number {
  const open: string[] = [];
  let next: Expected = "value";
  let index = 0;
  for (const { 0: token, index: place } of text.matchAll(TOKENS)) {
    index = place;
    const after = nextAfter(token, next, open);
    if (!after) break;
    next = after;
  }
  return text.slice(0, index).split("\n").length;
}

/** What may come next; `first` ones may also be the end of an empty list or object. */
type Expected = "value" | "first value" | "name" | "first name" | "colon" | "more";

/** What may follow a token; undefined if the token was not expected. */
function nextAfter(token: string, next: Expected, open: string[]): Expected | undefined {
  const isValue = next === "value" || next === "first value";
  if (token === "]" || token === "}") {
    const empty = token === "]" ? "first value" : "first name";
    return (next === "more" || next === empty) && open.pop() === token ? "more" : undefined;
  }
  if (token === ":") return next === "colon" ? "value" : undefined;
  if (token === ",") {
    if (next !== "more" || open.length === 0) return undefined;
    return open.at(-1) === "}" ? "name" : "value";
  }
  if (token === "[" || token === "{") {
    open.push(token === "[" ? "]" : "}");
    if (!isValue) return undefined;
    return token === "[" ? "first value" : "first name";
  }
  if (!canRead(() => JSON.parse(token))) return undefined;
  if (isValue) return "more";
  return token.startsWith('"') && (next === "name" || next === "first name") ? "colon" : undefined;
}

function canRead(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

/** Binary search: the first of `count` places from which a condition holds, else `count`. */
function firstOf(count: number, holds: (place: number) => boolean): number {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
