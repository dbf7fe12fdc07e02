// Variables as people write them: in YAML, or as a JSON object.
import { type Fault, invalid, Refusal } from "../../input/errors.ts";
import { INEXACT, inexactNumber, isExact } from "../../input/json.ts";
import { MOST_MERGES } from "../../input/limits.ts";
import { isObject, tidy } from "../../input/text.ts";
import { excess } from "./limits.ts";
import type { Vars } from "./variables.ts";

/** What Bun.YAML makes of a mapping in the place of a name, as in `{{ x }}`. */
const NO_NAME = "[object Object]";

/** Refuses the field `vars` with the line that cannot be read. */
export function readVars(text: string): Vars {
  if (text.trim() === "") return {};
  const isJson = /^\s*[{[]/.test(text);
  const value = parse(text, isJson);
  if (value === null) return {};
  if (!isObject(value)) throw wrong("Write a name, a colon and a value for each variable");
  // First of all: aliases make a few lines into a tree without end, which nobody else must walk.
  const tooMuch = excess(value);
  if (tooMuch) throw wrong(tooMuch);
  refuseStrange(value);
  const vars = examined(value);
  const inexact = isJson ? inexactNumber(text) : roundedNumber(text, value);
  if (inexact) throw wrong(`${inexact.field}: ${inexact.message}`);
  return vars;
}

function parse(text: string, isJson: boolean): unknown {
  try {
    if (isJson) return JSON.parse(text);
    if (text.split("<<", MOST_MERGES + 2).length > MOST_MERGES + 1) {
      throw wrong(`Use at most ${MOST_MERGES} merge keys (<<)`);
    }
    return Bun.YAML.parse(text);
  } catch (fault) {
    if (fault instanceof Refusal) throw fault;
    const line = isJson ? lineInJson(text) : lineInYaml(text);
    const reason = String(fault).replace(/^.*Parse error: /, "");
    throw wrong(`Line ${line}: ${reason}`);
  }
}

function refuseStrange(value: object): void {
  const found: unknown[] = [value];
  for (const one of found) {
    if (typeof one === "number" && !Number.isFinite(one)) throw wrong("Use finite numbers");
    if (typeof one !== "object" || one === null) continue;
    if (NO_NAME in one) throw wrong("Put a value that begins with { into quotes");
    for (const inner of Object.values(one)) found.push(inner);
  }
}

const DECIMAL = /(?<![\w.])[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])/g;

/**
 * Bun.YAML does not tell what a number was written as: one is refused where the text has digits that
 * are rounded to it.
 */
function roundedNumber(text: string, value: object): Fault | undefined {
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

/** Held to the same rules as text from anywhere; the value as it was, for tidy trims. */
function examined(vars: Vars): Vars {
  try {
    tidy(vars);
  } catch (fault) {
    const [first] = fault instanceof Refusal ? fault.faults : [];
    throw first ? wrong(`${first.field}: ${first.message}`) : fault;
  }
  return vars;
}

function wrong(message: string): Refusal {
  return invalid("vars", message);
}

/** The line behind the longest beginning that can be read; parsers tell no places. */
function lineInYaml(text: string): number {
  const lines = text.split("\n");
  const reads = (end: number) => canRead(() => Bun.YAML.parse(lines.slice(0, end).join("\n")));
  const entries = [...lines.keys()].filter((at) => /^[^\s#]/.test(lines[at] ?? ""));
  const broken = firstOf(entries.length, (at) => !reads(entries[at + 1] ?? lines.length));
  const start = entries[broken] ?? 0;
  const end = entries[broken + 1] ?? lines.length;
  return start + 1 + firstOf(end - start - 1, (at) => !reads(start + at + 1));
}

// A string that nobody closes goes to the end of its line: to look for the end again from each of its quotation
// marks would take the square of its length.
const TOKENS = /"(?:[^"\\\n]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The line of the first word that cannot stand where it does; of the last one where the end is missing. */
function lineInJson(text: string): number {
  const open: string[] = [];
  let next: Next = "value";
  let index = 0;
  for (const { 0: token, index: place } of text.matchAll(TOKENS)) {
    index = place;
    const after = behind(token, next, open);
    if (!after) break;
    next = after;
  }
  return text.slice(0, index).split("\n").length;
}

/** What may come next; `first` ones may also be the end of an empty list or object. */
type Next = "value" | "first value" | "name" | "first name" | "colon" | "more";

/** What may follow a token that stands where this was expected; undefined where it may not stand there. */
function behind(token: string, next: Next, open: string[]): Next | undefined {
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

/** The first of so many places from which on a condition holds; their number where it holds nowhere. */
function firstOf(count: number, holds: (place: number) => boolean): number {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
