// Values of a hostile or careless client: some match a schema, some match nothing.
import fc, { type Arbitrary } from "fast-check";
import { publicId } from "../../src/input/change_ids.ts";
import { allChecks } from "../support/checks.ts";

/** The number of requests for each route, with a fixed seed; CADASTRE_FUZZ sets more, with a random seed. */
const more = Number(process.env.CADASTRE_FUZZ ?? 0);
const usual = { numRuns: allChecks ? 20 : 4, seed: 20_261_122 };
export const BUDGET = more > 0 ? { numRuns: more } : usual;

export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/** Texts that have broken programs of this kind. */
const HOSTILE = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udfff\ud800",
  "\u202e\u200b",
  "İıſK",
  "e\u0301",
  "'",
  "\"'`;--",
  "' or 1=1 --",
  "%",
  "%00",
  "%ff",
  "..",
  "../../etc/passwd",
  "//example.org",
  "\\\\",
  "<script>alert(1)</script>",
  "{{7*7}}",
  "$1",
  "-1",
  "0",
  "00",
  "1e3",
  "1e400",
  "0x10",
  "٣",
  "2147483647",
  "2147483648",
  "9007199254740993",
  "12345678901234567890",
  "NaN",
  "null",
  "true",
  "[]",
  "{}",
  "__proto__",
  "constructor",
  "2024-02-30",
  "2024-03-01T10:00:00+02:00",
  "0000-01-01",
  "9999-12-31 23:59",
  "10.0.0.0/0",
  "10.0.0.256",
  "::",
  "::ffff:10.1.1.1",
  "fe80::1%eth0",
  "ff:ff:ff:ff:ff:ff",
  "02-42-42",
  "name:",
  "name:[a TO",
  "/(a|b/",
  "*a*a*a*a*a*",
  "NOT",
  "(((((",
  "~2",
  "^",
  "x".repeat(300),
  "é".repeat(5_000),
];

const NUMBERS = [-1, 0, 1, 1.5, -0, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 1e308, -1e308, 5e-324];

export const hostileText: Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 60 }) },
);

const deep = fc.integer({ min: 1, max: 200 }).map((depth) => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 ? [value] : { a: value };
  return value;
});

/** Any JSON value; the type is wrong for most fields. */
export const hostileValue: Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 1, arbitrary: fc.constantFrom(null, true, false, [], {}, [null], [[]]) },
  { weight: 1, arbitrary: fc.array(hostileText, { maxLength: 5 }) },
  { weight: 1, arbitrary: fc.dictionary(hostileText, hostileText, { maxKeys: 5 }) },
  { weight: 1, arbitrary: deep },
);

/** By the name of a field: names of existing records and of possible new ones. */
const BY_FIELD = new Map<string, readonly unknown[]>(
  Object.entries({
    address: ["10.1.7.0/24", "02:42:42:00:00:09"],
    automation_groups: [[], ["Web"]],
    automation_vars: [{}, { port: 80 }, { a: { b: [1, "x"] } }],
    children: [[], ["Web"]],
    device_type: ["Physical", "Network"],
    domain: ["lab.example.org"],
    domain_id: [1],
    first_ip: ["10.1.7.1"],
    first_vlan: [1, 50],
    gateway: [null, "10.1.7.254"],
    host: ["web", "db"],
    hosts: [[], ["web"]],
    ics_id: ["AAA001", "BBB002"],
    interface: ["web", "db"],
    ip: ["10.1.1.77", null],
    items: [[], ["AAA001"]],
    last_ip: ["10.1.7.250"],
    last_vlan: [60, 99],
    location: ["Racks", null],
    mac: ["02:42:42:00:00:09", null],
    name: ["new-1", "new-2", "web", "Web"],
    network: ["Office", "Backup"],
    parent: ["AAA001", null],
    password: ["correct horse battery"],
    q: ["web", "name:web", "ip:10.1.1.0/24", "*"],
    query: [null, "web"],
    scope: ["Lab"],
    sort: ["id", "-name", "created_at"],
    status: ["In use", null],
    supernet: ["10.77.0.0/16"],
    type: ["static", "query"],
    username: ["someone"],
    vars: [{}, { port: 80 }],
    vlan_id: [7],
    vlan_name: ["Net-7", "Office"],
  }),
);

const texts = [...BY_FIELD.values()].flat(2).filter((one) => typeof one === "string");

export const knownText = fc.constantFrom(...texts);

/** What a client would write into a field of this name. */
export function fittingField(name: string, schema: Schema): Arbitrary<unknown> {
  const known = BY_FIELD.get(name.split("__")[0] ?? "");
  // Requests that wait for changes would take a minute each.
  const fit = name === "wait" ? fc.integer({ min: 0, max: 1 }) : fitting(schema);
  return known ? fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...known) }, fit) : fit;
}

/** A value that the schema allows, as far as it can be made from the schema. */
export function fitting(schema: Schema): Arbitrary<unknown> {
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(fitting));
  const [type] = [schema.type ?? "any"].flat();
  switch (type) {
    case "string":
      return fittingText(schema);
    case "integer":
      return fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer(limits(schema)));
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(fitting(schema.items ?? {}), {
        maxLength: Math.min(3, schema.maxItems ?? 3),
      });
    case "object":
      return fittingObject(schema);
    default:
      return hostileValue;
  }
}

/** Those of the first change sets exist. */
const changeId = fc.oneof(fc.integer({ min: 1, max: 99 }), fc.maxSafeNat()).map(publicId);

function fittingText(schema: Schema): Arbitrary<string> {
  const { pattern, format, minLength = 0, maxLength = 40 } = schema;
  if (format?.startsWith("change")) return changeId;
  // fast-check generates no texts for look-aheads and back references.
  if (pattern && !/\(\?|\\[1-9]/.test(pattern)) {
    return fc.oneof(knownText, fc.stringMatching(new RegExp(pattern), { size: "-1" }));
  }
  const text = fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 40) });
  return fc.oneof(knownText, text);
}

function limits({ minimum, maximum }: Schema): { min: number; max: number } {
  return { min: minimum ?? 0, max: maximum ?? 2 ** 31 - 1 };
}

function fittingObject({ properties = {}, required = [], ...rest }: Schema): Arbitrary<object> {
  if (Object.keys(properties).length === 0 && rest.additionalProperties !== false) {
    return fc.dictionary(knownText, hostileText, { maxKeys: 3 });
  }
  const fields = Object.entries(properties).map(([name, one]) => [name, fittingField(name, one)]);
  const shape: Record<string, Arbitrary<unknown>> = Object.fromEntries(fields);
  const optional = Object.keys(shape).filter((name) => !required.includes(name));
  return fc
    .subarray(optional, { maxLength: Math.min(MOST_OPTIONAL, optional.length) })
    .chain((some) => {
      const names = [...required.filter((name) => name in shape), ...some];
      const chosen = names.map((name) => [name, shape[name]]);
      return fc.record(Object.fromEntries(chosen) as Record<string, Arbitrary<unknown>>);
    });
}

/** With many fields one of them is nearly always refused. */
const MOST_OPTIONAL = 3;

/** A body for a schema: a valid one, one with an invalid field, or any other value. */
export function bodies(schema: Schema): Arbitrary<unknown> {
  const fit = fitting(schema);
  const names = Object.keys(schema.properties ?? {});
  const name = names.length > 0 ? fc.constantFrom(...names) : knownText;
  const spoilt = fc
    .tuple(
      fit,
      fc.oneof({ weight: 6, arbitrary: name }, { weight: 1, arbitrary: hostileText }),
      hostileValue,
    )
    .map(([body, field, value]) => ({ ...(body as object), [field]: value }));
  return fc.oneof(
    { weight: 3, arbitrary: fit },
    { weight: 5, arbitrary: spoilt },
    { weight: 1, arbitrary: hostileValue },
  );
}

/** Rarely changes a part of a request, because an error in one part hides those in others. */
export function seldom<T>(usual: Arbitrary<T>, odd: Arbitrary<T>, weight = 7): Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

/** A text in a path, without dot segments, which a URL would resolve to another route. */
export function segmentOf(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(".", "%2e") || "%20";
}

interface Failure {
  counterexample: [{ body?: unknown }] | null;
  errorInstance: unknown;
}

/** The smallest request that failed, and how. */
export function inWords({ counterexample, errorInstance }: Failure): string {
  const [{ body, ...sent }] = counterexample ?? [{ body: undefined }];
  const shown = body instanceof URLSearchParams || body instanceof FormData ? [...body] : body;
  const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return `${JSON.stringify({ ...sent, body: shown })} ${message}`.slice(0, 2_000);
}
