// The words of a command as the values of a request, by the schemas of the document.
import { readFileSync } from "node:fs";
import { isObject } from "../input/text.ts";
import * as remote from "./document.ts";
import { wrongUse } from "./service.ts";

/** The texts of each name=value, in their order. */
export type GivenTexts = Map<string, string[]>;

export function splitWords(words: readonly string[]): { given: GivenTexts; plain: string[] } {
  const given: GivenTexts = new Map();
  const plain: string[] = [];
  for (const word of words) {
    const [, name, text = ""] = /^([A-Za-z_][\w-]*)=(.*)$/s.exec(word) ?? [];
    if (name === undefined) plain.push(word);
    else given.set(name, [...(given.get(name) ?? []), contentOf(text)]);
  }
  return { given, plain };
}

/** @file is what the file has, @- what standard input has, and @@ an @. */
function contentOf(text: string): string {
  if (!text.startsWith("@") || text.startsWith("@@")) return text.replace(/^@@/, "@");
  return Buffer.from(bytesOfFile(text.slice(1)))
    .toString()
    .replace(/\r?\n$/, "");
}

export function bytesOfFile(file: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(file === "-" ? 0 : file));
  } catch (error) {
    throw wrongUse(`${file} cannot be read: ${(error as Error).message}`);
  }
}

interface BoundRequest {
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown> | undefined;
}

/** Puts each value where the operation has its name: in the path, in the body, or in the query. */
export async function bind(
  document: remote.ServiceDocument,
  operation: remote.RemoteOperation,
  given: GivenTexts,
  idOf: (base: string, named: string) => Promise<string>,
): Promise<BoundRequest> {
  const fields = remote.bodyOf(document, operation)?.properties;
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  const inPath: Record<string, string> = {};
  for (const [name, texts] of given) {
    // Lookups, as in name__contains, are described together.
    const described = name.includes("__") ? "lookups" : name;
    const parameter = operation.parameters.find((one) => one.name === described);
    if (parameter?.in === "path") inPath[name] = texts[0] ?? "";
    else if (fields?.[name]) body[name] = typedValue(document, fields[name], name, texts);
    else if (parameter?.in === "query") for (const text of texts) query.append(name, text);
    else {
      const queried = operation.parameters.filter((one) => one.in === "query");
      const names = [...Object.keys(fields ?? {}), ...queried.map((one) => one.name)];
      throw wrongUse(`${name}: This is none of the values ${names.join(", ")}`);
    }
  }
  let path = "";
  for (const part of operation.path.split(/(\{\w+\})/)) {
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
    if (name && !inPath[name]) throw wrongUse(`${name.toUpperCase()} is missing`);
    path += name ? encodeURIComponent(await idOf(path, inPath[name] ?? "")) : part;
  }
  return { path, query, body: remote.bodyOf(document, operation) && body };
}

function typedValue(
  document: remote.ServiceDocument,
  schema: remote.ValueSchema,
  name: string,
  texts: string[],
): unknown {
  const all = remote.alternatives(document, schema);
  const types = all.flatMap(({ type, enum: words }) => type ?? (words ? "string" : "any"));
  const has = (...some: string[]) => some.some((one) => types.includes(one));
  const [text = "", another] = texts;
  if (text === "" && has("null")) return null;
  const json = has("object", "array", "any") ? parsed(text) : undefined;
  if (isObject(json) || Array.isArray(json) || (has("any") && json !== undefined)) return json;
  if (has("array")) {
    const { items = {} } = all.find((one) => one.items) ?? {};
    // Several texts are the elements; a single one is split at its commas.
    const parts = another === undefined ? text.split(",").map((part) => part.trim()) : texts;
    const filled = parts.filter((part) => part !== "");
    return filled.map((part) => typedValue(document, items, name, [part]));
  }
  if (another !== undefined) throw wrongUse(`${name}: Give this once`);
  if (has("boolean") && /^(true|yes|false|no)$/i.test(text)) return /^[ty]/i.test(text);
  const isNumber = /^-?\d+$/.test(text) || (has("number") && Number.isFinite(Number(text)));
  if (has("integer", "number") && isNumber) return Number(text);
  if (has("string", "any")) return text;
  throw wrongUse(
    `${name}: ${schema.description ?? `Use a value of the type ${types.join(" or ")}`}`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
