// Variables as people write them: in YAML, or as a JSON object.
import { invalid, Refusal } from "../errors.ts";
import { isObject, tidy } from "../text.ts";
import type { Vars } from "./group_vars.ts";

const MOST_VALUES = 10_000;
/** What Bun.YAML makes of a mapping in the place of a name, as in `{{ x }}`. */
const NO_NAME = "[object Object]";

/** Refuses the field `vars` with the line that cannot be read. */
export function readVars(text: string): Vars {
  if (text.trim() === "") return {};
  const value = parse(text);
  if (value === null) return {};
  if (!isObject(value)) throw wrong("Write a name, a colon and a value for each variable");
  refuseStrange(value);
  return examined(value);
}

function parse(text: string): unknown {
  const isJson = /^\s*[{[]/.test(text);
  try {
    return isJson ? JSON.parse(text) : Bun.YAML.parse(text);
  } catch (fault) {
    const line = isJson ? lineInJson(text) : lineInYaml(text);
    const reason = String(fault).replace(/^.*Parse error: /, "");
    throw wrong(`Line ${line}: ${reason}`);
  }
}

// Aliases make a few lines into a tree without end, which must be noticed before anybody walks it.
function refuseStrange(value: unknown): void {
  const found = [value];
  for (const one of found) {
    if (found.length > MOST_VALUES) throw wrong(`Use at most ${MOST_VALUES} values`);
    if (typeof one === "number" && !Number.isFinite(one)) throw wrong("Use finite numbers");
    if (typeof one !== "object" || one === null) continue;
    if (NO_NAME in one) throw wrong("Put a value that begins with { into quotes");
    found.push(...Object.values(one));
  }
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

const TOKENS = /"(?:[^"\\\n]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+|"/g;
const FILLINGS = ["", "0", ":0", '"":0'];

/** The line of the first word after which no ending makes it JSON. */
function lineInJson(text: string): number {
  const tokens = [...text.matchAll(TOKENS)];
  const at = firstOf(tokens.length, (place) => !canEnd(tokens.slice(0, place + 1).map(String)));
  const index = tokens[Math.min(at, tokens.length - 1)]?.index ?? 0;
  return text.slice(0, index).split("\n").length;
}

function canEnd(tokens: string[]): boolean {
  const open: string[] = [];
  for (const token of tokens) {
    if (token === "{") open.unshift("}");
    if (token === "[") open.unshift("]");
    if (token === "}" || token === "]") open.shift();
  }
  const beginning = tokens.join(" ");
  return FILLINGS.some((filling) => canRead(() => JSON.parse(beginning + filling + open.join(""))));
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
