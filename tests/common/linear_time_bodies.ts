// JSON, JSON lines, and variables in each of their notations.
import { rowsIn } from "../../src/api/import_rows.ts";
import { readJson } from "../../src/input/json.ts";
import { readInput } from "../../src/input/shape.ts";
import { normalizeInput } from "../../src/input/text.ts";
import { newHost } from "../../src/network/hosts/hosts.ts";
import { excess } from "../../src/network/variables/limits.ts";
import { readVars } from "../../src/network/variables/text.ts";
import { type ParserExample, several } from "../support/example.ts";

const MARKS = "\u0301\u0316";

function readBody(text: string) {
  return readInput(newHost, readJson(text) as object);
}

function readLines(text: string) {
  return rowsIn(Buffer.from(text));
}

export const BODIES: ParserExample[] = [
  {
    name: "JSON: deep",
    make: (n) => `{"items":${"[".repeat(100_000 * n)}${"]".repeat(100_000 * n)}}`,
    parse: readBody,
  },
  { name: "JSON: never closed", make: (n) => '{"a":['.repeat(20_000 * n), parse: readBody },
  {
    name: "JSON: many fields",
    make: (n) => `{${several(6_000 * n, (at) => `"k${at}":1`, ",")}}`,
    parse: readBody,
  },
  {
    name: "JSON: the same field",
    make: (n) => `{${several(6_000 * n, () => '"name":1', ",")}}`,
    parse: readBody,
  },
  {
    name: "JSON: a long list of what is wrong",
    make: (n) => `{"items":[${several(6_000 * n, () => "1", ",")}]}`,
    parse: readBody,
  },
  { name: "JSON: a long number", make: (n) => `{"a":${"1".repeat(100_000 * n)}}`, parse: readBody },
  { name: "JSON: what is no number", make: (n) => `[${"1".repeat(100_000 * n)}-`, parse: readBody },
  {
    name: "JSON: a long fraction",
    make: (n) => `{"a":0.${"0".repeat(100_000 * n)}1}`,
    parse: readBody,
  },
  {
    name: "JSON: a long text",
    make: (n) => JSON.stringify({ description: '"\\'.repeat(50_000 * n) }),
    parse: readBody,
  },
  {
    name: "JSON: text full of marks",
    make: (n) =>
      JSON.stringify({ name: `a${"\u0301".repeat(1_000 * n)}${MARKS.repeat(1_000 * n)}` }),
    parse: readBody,
  },
  {
    name: "JSON: blanks around text",
    make: (n) => JSON.stringify({ name: `${" ".repeat(50_000 * n)}x${" ".repeat(50_000 * n)}` }),
    parse: readBody,
  },
  { name: "JSON lines: short ones", make: (n) => "{}\n".repeat(1_200 * n), parse: readLines },
  { name: "JSON lines: blank ones", make: (n) => "\n".repeat(12_000 * n), parse: readLines },
  { name: "JSON lines: more than are taken", make: (n) => "\n".repeat(1e6 * n), parse: readLines },
  {
    name: "JSON lines: a long one",
    make: (n) => `{"serial_number":"${"x".repeat(120_000 * n)}"}`,
    parse: readLines,
  },
];

export const VARIABLES: ParserExample[] = [
  {
    name: "automation_vars: many",
    make: (n) => Object.fromEntries(Array.from({ length: 10_000 * n }, (_, at) => [`k${at}`, 1])),
    parse: (vars) => [excess(vars), normalizeInput({ automation_vars: vars })],
  },
  {
    name: "automation_vars: as many as may be",
    make: (n) => Object.fromEntries(Array.from({ length: 1_200 * n }, (_, at) => [`k${at}`, 1])),
    parse: (vars) => [excess(vars), normalizeInput({ automation_vars: vars })],
  },
  {
    name: "YAML: many",
    make: (n) => several(1_100 * n, (at) => `k${at}: 1\n`),
    parse: readVars,
  },
  { name: "YAML: a list", make: (n) => `a:\n${"- 1\n".repeat(1_200 * n)}`, parse: readVars },
  {
    name: "YAML: broken at the end",
    make: (n) => `${several(1_000 * n, (at) => `k${at}: 1\n`)}k: [`,
    parse: readVars,
  },
  {
    name: "YAML: one broken entry of many lines",
    make: (n) => `k: [\n${"1,\n".repeat(3_000 * n)}`,
    parse: readVars,
  },
  { name: "YAML: a long number", make: (n) => `a: ${"1".repeat(12_000 * n)}`, parse: readVars },
  {
    name: "YAML: digits that are no number",
    make: (n) => `a: ${"1".repeat(12_000 * n)}x`,
    parse: readVars,
  },
  {
    name: "YAML: fractions that are no number",
    make: (n) => `a: ${"1.".repeat(6_000 * n)}x`,
    parse: readVars,
  },
  {
    name: "YAML: merged again and again",
    make: (n) =>
      `a: &a {${several(100, (at) => `p${at}: 1`, ",")}}\n${several(50 * n, (at) => `b${at}:\n  <<: *a\n`)}`,
    parse: readVars,
  },
  {
    name: "JSON variables: quotation marks that nobody closes",
    make: (n) => `{${'"\\'.repeat(6_000 * n)}`,
    parse: readVars,
  },
  {
    name: "JSON variables: brackets that nobody closes",
    make: (n) => `{"a":${"[".repeat(12_000 * n)}`,
    parse: readVars,
  },
  {
    name: "JSON variables: a fault at the end",
    make: (n) => `{${several(1_200 * n, (at) => `"k${at}": [1, 2]`, ",\n")}, x}`,
    parse: readVars,
  },
];
