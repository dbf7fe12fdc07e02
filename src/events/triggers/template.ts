// Templates of requests: a JSON document whose strings may contain placeholders, as {{ hosts.name | join "," }}. There
// are neither loops nor conditions, what a placeholder writes is never read again, and JSON is made of values, so that
// no name can leave its string.
import { invalid } from "../../input/errors.ts";
import {
  LARGEST_TRIGGER_REQUEST,
  MOST_PLACEHOLDER_FILTERS,
  MOST_PLACEHOLDERS,
} from "../../input/limits.ts";

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const PATH = /^[a-z_]+(\.[a-z_]+)*$/;
const FILTER = /^([a-z]+)(?:\s+"([^"]*)")?$/;

type PlaceholderFilter = (value: Json, argument: string | undefined) => Json;

const FILTERS = new Map<string, PlaceholderFilter>([
  ["join", (value, by = ",") => listOf(value).map(jsonAsText).join(by)],
  ["first", (value) => listOf(value)[0] ?? ""],
  ["count", (value) => listOf(value).length],
  ["unique", (value) => [...new Set(listOf(value).map(jsonAsText))]],
  ["json", (value) => JSON.stringify(value)],
]);
/** Only this filter has an argument. */
const WITH_ARGUMENT = "join";

interface Placeholder {
  path: string[];
  filters: Array<{ apply: PlaceholderFilter; argument: string | undefined }>;
}

/** Thrown while rendering; the message is for admins. */
export class TooLarge extends Error {}

/** The document with all placeholders replaced. */
export function render(template: Json, values: Json): Json {
  let left = LARGEST_TRIGGER_REQUEST;
  const spend = (value: Json): Json => {
    left -= typeof value === "string" ? value.length : JSON.stringify(value).length;
    if (left < 0) {
      throw new TooLarge(`The request is longer than ${LARGEST_TRIGGER_REQUEST / 1024} KiB`);
    }
    return value;
  };
  return mapTexts(template, (text) => spend(rendered(text, values)));
}

/** A string that is one placeholder becomes its value; in other strings values become text. */
function rendered(text: string, values: Json): Json {
  const [only] = text.matchAll(PLACEHOLDER);
  if (only?.[0] === text.trim()) return resolved(only[1] ?? "", values);
  return text.replaceAll(PLACEHOLDER, (_, inner: string) => jsonAsText(resolved(inner, values)));
}

/** The same for templates that become texts, with their names. */
export function renderTexts(templates: object, values: Json): Array<[string, string]> {
  const rendered = render(templates as Json, values);
  return Object.entries(rendered ?? {}).map(([name, value]) => [name, jsonAsText(value)]);
}

/** Refuses a template with a mistake. The example has every value, and no list in it is empty. */
export function requireTemplate(field: string, template: Json, example: Json): void {
  let count = 0;
  mapTexts(template, (text) => {
    for (const [, inner = ""] of text.matchAll(PLACEHOLDER)) {
      count += 1;
      const problem = problemIn(inner, example);
      if (problem) throw invalid(field, problem);
    }
    if (/\{\{|\}\}/.test(text.replaceAll(PLACEHOLDER, ""))) {
      throw invalid(field, 'Write placeholders as {{ hosts.name | join "," }}');
    }
    return text;
  });
  if (count > MOST_PLACEHOLDERS) {
    throw invalid(field, `Use at most ${MOST_PLACEHOLDERS} placeholders`);
  }
}

function problemIn(inner: string, example: Json): string | undefined {
  const [path = "", ...filters] = partsOf(inner);
  if (!PATH.test(path) || at(example, path.split(".")) === undefined) {
    return `There is no value '${path}'; use ${pathsIn(example).join(", ")}`;
  }
  if (filters.length > MOST_PLACEHOLDER_FILTERS) {
    return `Use at most ${MOST_PLACEHOLDER_FILTERS} filters in a placeholder`;
  }
  for (const filter of filters) {
    const [, name = "", argument] = FILTER.exec(filter) ?? [];
    if (!FILTERS.has(name) || (argument !== undefined && name !== WITH_ARGUMENT)) {
      return `There is no filter '${filter}'; use join ",", first, count, unique or json`;
    }
  }
  return undefined;
}

function resolved(inner: string, values: Json): Json {
  const { path, filters } = read(inner);
  const value = at(values, path) ?? "";
  return filters.reduce<Json>((piped, { apply, argument }) => apply(piped, argument), value);
}

function read(inner: string): Placeholder {
  const [path = "", ...filters] = partsOf(inner);
  return {
    path: path.split("."),
    filters: filters.flatMap((text) => {
      const [, name = "", argument] = FILTER.exec(text) ?? [];
      const apply = FILTERS.get(name);
      return apply ? [{ apply, argument }] : [];
    }),
  };
}

/** Split at the bars that are not within quotes. */
function partsOf(inner: string): string[] {
  return Array.from(inner.matchAll(/(?:[^|"]|"[^"]*"?)+/g), ([part]) => part.trim());
}

/** In a list, the value of each element: hosts.name is the list of all names. */
function at(value: Json, [name, ...rest]: string[]): Json | undefined {
  if (name === undefined) return value;
  if (Array.isArray(value)) {
    const found = value.map((one) => at(one, [name, ...rest]));
    return found.some((one) => one === undefined) ? undefined : (found as Json[]);
  }
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return at(value[name] ?? "", rest);
}

/** The paths of all values, for messages and documents. */
export function pathsIn(example: Json): string[] {
  const inner = Array.isArray(example) ? example[0] : example;
  if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return [];
  return Object.entries(inner).flatMap(([name, value]) => {
    const below = pathsIn(value).map((path) => `${name}.${path}`);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? below
      : [name, ...below];
  });
}

function mapTexts(value: Json, change: (text: string) => Json): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, mapTexts(one, change)]),
  );
}

function listOf(value: Json): Json[] {
  return Array.isArray(value) ? value : [value];
}

export function jsonAsText(value: Json): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(jsonAsText).join(", ");
  return value === null ? "" : JSON.stringify(value);
}
