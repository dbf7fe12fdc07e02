// Hints for queries that name a field that does not exist, or that are not valid.
import { isPath, type SearchDocument } from "../document.ts";
import { type QueryToken, tokenize } from "../language/lexer.ts";
import type { QuerySyntaxError } from "../language/syntax_error.ts";
import type { TextPlace } from "../language/tree.ts";
import { distance } from "../language/words.ts";

type KnownFields = Pick<SearchDocument, "aliases" | "otherNames" | "sources" | "variables">;

export interface Hint {
  message: string;
  /** The query with its fields corrected, if they are typing errors. */
  query?: string;
}

/** What to say of the fields in a query that do not exist. */
export function fieldNote(query: string, fields: KnownFields): Hint | undefined {
  const hint = fieldHint(query, fields);
  if (hint) return hint;
  const tokens = [...tokenize(query)];
  const unknown = tokens.find(
    ({ type, text }, at) =>
      type === "TERM" && tokens[at + 1]?.type === ":" && !isKnown(text, fields),
  );
  return unknown && { message: `There is no field ${unknown.text} here` };
}

interface Correction extends TextPlace {
  message: string;
  text: string;
}

/** A query can name thousands. */
const MOST_UNKNOWN = 16;

/** Undefined if the first fields that the query names and that do not exist are no typing errors. */
export function fieldHint(query: string, fields: KnownFields): Hint | undefined {
  const names: FieldNames = { fields, found: new Map(), unknown: 0 };
  const corrections: Correction[] = [];
  let last: Array<QueryToken | undefined> = [];
  for (const next of tokenize(query)) {
    const [token, ...before] = last;
    const found =
      next.type === ":"
        ? fieldCorrection(token, names)
        : termCorrection(token, { before, names, query });
    if (found) corrections.push(found);
    if (names.unknown >= MOST_UNKNOWN) break;
    last = [next, token, before[0]];
  }
  if (corrections.length === 0) return undefined;
  let text = "";
  let end = 0;
  for (const one of corrections) {
    text += query.slice(end, one.offset) + one.text;
    end = one.end;
  }
  const message = corrections.map((one) => one.message).join("; ");
  return { message, query: text + query.slice(end) };
}

interface FieldNames {
  fields: KnownFields;
  /** The fields that names mean. */
  found: Map<string, string | undefined>;
  unknown: number;
}

function fieldFor(name: string, names: FieldNames): string | undefined {
  const { fields, found } = names;
  if (!found.has(name)) {
    found.set(name, isKnown(name, fields) ? name : nearestField(name, fields));
  }
  const field = found.get(name);
  if (field !== name) names.unknown += 1;
  return field;
}

function fieldCorrection(token: QueryToken | undefined, names: FieldNames): Correction | undefined {
  if (token?.type !== "TERM") return undefined;
  const { text, offset, end } = token;
  const suggested = fieldFor(text, names);
  if (suggested === undefined || suggested === text) return undefined;
  return {
    offset,
    end,
    text: suggested,
    message: `There is no field ${text}, but there is ${suggested}`,
  };
}

const ASSIGNED = /^([a-z_][\w.]*)=(?=.)/i;
const EXISTS = "_exists_";

interface HintContext {
  /** The tokens before, the last one first: perhaps a colon and a field. */
  before: Array<QueryToken | undefined>;
  names: FieldNames;
  query: string;
}

/** `type=VME`, and the name after `_exists_:`. */
function termCorrection(
  token: QueryToken | undefined,
  { before: [colon, field], names, query }: HintContext,
): Correction | undefined {
  if (token?.type !== "TERM") return undefined;
  if (colon?.type === ":")
    return field?.text === EXISTS ? fieldCorrection(token, names) : undefined;
  const [start = "", name = ""] = ASSIGNED.exec(token.text) ?? [];
  const suggested = name === "" ? undefined : fieldFor(name, names);
  if (suggested === undefined) return undefined;
  const { offset } = token;
  const end = offset + start.length;
  if (query.slice(offset, end) !== start) return undefined;
  return {
    offset,
    end,
    text: `${suggested}:`,
    message: "A field and its value have a colon between them",
  };
}

/** FieldNames of other fields find nothing. */
function isKnown(name: string, { aliases = {}, sources, variables }: KnownFields): boolean {
  if (name === EXISTS || name.includes("*") || Object.hasOwn(aliases, name)) return true;
  if (variables && (name === variables.path || name.startsWith(`${variables.path}.`))) return true;
  return sources.some(({ path }) => path === name || isPath(path, `${name}.*`));
}

const SHORTEST = 4;

/** Ignoring case, without the path before it, by its start, or with one letter wrong. */
function nearestField(name: string, fields: KnownFields): string | undefined {
  const wanted = name.toLowerCase();
  const { aliases = {}, otherNames = {}, sources } = fields;
  if (Object.hasOwn(otherNames, wanted)) return otherNames[wanted];
  const names = [...new Set([...Object.keys(aliases), ...sources.map(({ path }) => path)])];
  const last = (path: string) => path.slice(path.lastIndexOf(".") + 1);
  const tests: Array<(one: string) => boolean> = [
    (one) => one === wanted,
    (one) => last(one) === wanted,
    ...(wanted.length < SHORTEST
      ? []
      : [
          (one: string) => last(one).startsWith(wanted),
          (one: string) => distance(one, wanted, 1) <= 1,
          (one: string) => distance(last(one), wanted, 1) <= 1,
        ]),
  ];
  for (const test of tests) {
    const found = names.find(test);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** How a query that is not valid can be corrected. */
export function syntaxHint(
  query: string,
  { remedy }: QuerySyntaxError,
  fields: KnownFields,
): string | undefined {
  return fieldHint(query, fields)?.message ?? remedy;
}
