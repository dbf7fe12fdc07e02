// The form of a trigger: texts of a form to the fields of the API, and back. Lists of variables and headers are lines.
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import {
  DEFAULTS,
  FIELDS,
  fieldsOf,
  newTrigger,
  SPECIAL_DEFAULTS,
  type SpecialField,
  type Template,
  type Trigger,
} from "../../src/events/triggers/trigger.ts";
import { invalid, Refusal } from "../../src/input/errors.ts";
import { readJson } from "../../src/input/json.ts";
import { LARGEST_TRIGGER_TEMPLATE } from "../../src/input/limits.ts";
import { closed } from "../../src/input/shape.ts";
import type { FormValues } from "../parts/forms.tsx";
import { field } from "../request/form_values.ts";
import { filterInputs, readWithFilters, valuesOfFilters } from "./filter_fields.tsx";

const LABELS: Record<Template, Partial<Record<string, string>>> = {
  awx: {
    url: "Address of AWX",
    job_template: "Job template",
    variables: "Extra variables (JSON)",
    secret: "Token",
  },
  gitlab: { url: "Address of GitLab", secret: "Token" },
  jenkins: { url: "Address of Jenkins", variables: "Parameters", secret: "API token" },
  post: { url: "Address", body: "Body (JSON)" },
};

const ALWAYS = [
  "success_text",
  "quiet_seconds",
  "most_seconds",
  "waits_for_end",
  "is_active",
] as const;

/** The shape of the form, with all values that are objects as texts. */
export function shapeOf(template: Template): TObject {
  const { properties } = newTrigger;
  const known: Record<string, TSchema> = properties;
  const labelled = (name: string, isRequired: boolean): [string, TSchema] => {
    const title = LABELS[template][name] ?? known[name]?.title ?? name;
    const one = AS_TEXT.includes(name) ? { ...LONG, title } : { ...known[name], title };
    const schema = one as TSchema;
    return [name, Type.Optional(schema, !isRequired)];
  };
  const { required } = FIELDS[template];
  return closed(
    Object.fromEntries([
      ...["name", "url", "success_text"].map((name) => labelled(name, true)),
      ...fieldsOf(template).map((name) => labelled(name, required.includes(name))),
      ...["owner", "secret", ...readTokenOf(template)].map((name) => labelled(name, false)),
      ...ALWAYS.slice(1).map((name) => labelled(name, false)),
      ...Object.entries(filterInputs),
    ]),
  );
}

export function readTokenOf(template: Template): string[] {
  return template === "gitlab" ? ["read_token"] : [];
}

const AS_TEXT: readonly string[] = ["variables", "headers", "body"];
const LONG = Type.String({
  maxLength: LARGEST_TRIGGER_TEMPLATE,
  description: `Use at most ${LARGEST_TRIGGER_TEMPLATE} characters`,
});

/** Of a new trigger. */
export function defaultsOf(template: Template): FormValues {
  return {
    ...textsOf(template, { ...SPECIAL_DEFAULTS[template], ...DEFAULTS, is_active: true }),
    ...(template === "post" && { body: EXAMPLE_BODY }),
  };
}

const EXAMPLE_BODY = `{
  "hosts": "{{ hosts.fqdn }}",
  "text": "{{ counts.changes }} changes by {{ users | join \\", \\" }}"
}`;

export function valuesOf(trigger: Trigger): FormValues {
  const { template } = trigger;
  return {
    ...textsOf(template, { ...trigger }),
    ...valuesOfFilters(trigger.filters),
  };
}

function textsOf(template: Template, record: Record<string, unknown>): FormValues {
  const names = [...Object.keys(shapeOf(template).properties)];
  return Object.fromEntries(
    names.map((name) => {
      const value = record[name];
      if (value == null) return [name, ""];
      if (typeof value !== "object") return [name, String(value)];
      return [
        name,
        isLines(template, name) ? linesOf(value, name) : JSON.stringify(value, null, 2),
      ];
    }),
  );
}

/** Extra variables of Ansible may be nested; those of the others are texts. */
function isLines(template: Template, name: string): boolean {
  return name === "headers" || (name === "variables" && template !== "awx");
}

function linesOf(value: object, name: string): string {
  const by = name === "headers" ? ": " : "=";
  return Object.entries(value)
    .map(([key, text]) => `${key}${by}${text}`)
    .join("\n");
}

/** The body that the API would take. A field that is left blank has its default, or none. */
export function inputOf(template: Template, form: FormData): Record<string, unknown> {
  const input = readWithFilters(shapeOf(template), form);
  for (const name of fieldsOf(template)) {
    const text = field(form, name);
    if (AS_TEXT.includes(name)) input[name] = objectIn(template, name, text);
  }
  // Only here does an empty text mean something: no limit of ours.
  if (template === "awx") input.limit = field(form, "limit").trim();
  return input;
}

function objectIn(template: Template, name: SpecialField, text: string): unknown {
  if (isLines(template, name)) return pairsIn(name, text);
  if (text.trim() === "") return name === "body" ? null : {};
  try {
    return readJson(text);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw invalid(name, error.errors[0]?.message ?? error.message);
  }
}

function pairsIn(name: string, text: string): Record<string, string> {
  const by = name === "headers" ? ":" : "=";
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(by);
      if (at < 1) throw invalid(name, `Write each line as NAME${by}value, not "${line.trim()}"`);
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}
