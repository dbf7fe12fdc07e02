// Checks the settings of a trigger by its template.
import { invalid } from "../../input/errors.ts";
import { LARGEST_TRIGGER_TEMPLATE } from "../../input/limits.ts";
import { type Json, requireTemplate } from "./template.ts";
import {
  FIELDS,
  fieldsOf,
  type SpecialField,
  TEMPLATES,
  type Template,
  type TriggerSettings,
} from "./trigger.ts";
import { EXAMPLE } from "./values.ts";

type GivenSettings = Partial<TriggerSettings> & Omit<TriggerSettings, "template" | SpecialField>;

/** The settings as they are stored. */
export function requireSettings(template: Template, given: GivenSettings): TriggerSettings {
  const settings: Partial<TriggerSettings> & GivenSettings = given;
  const known = fieldsOf(template);
  for (const field of ALL_FIELDS) {
    if (field in settings && !known.includes(field)) {
      throw invalid(field, `A trigger for ${template} has no such field`);
    }
  }
  for (const field of FIELDS[template].required) {
    if (settings[field] === undefined) throw invalid(field, "This field is required");
  }
  for (const field of TEMPLATED) {
    const value = settings[field];
    if (value !== undefined) requireDocument(field, value as Json);
  }
  requireHeadersOf(settings.headers ?? {});
  if (OURS.test(settings.secret_header ?? "")) {
    throw invalid("secret_header", `'${settings.secret_header}' cannot be set`);
  }
  if (template === "gitlab" || template === "jenkins") requireTexts(settings.variables ?? {});
  if (settings.has_read_token && settings.token_kind !== "trigger") {
    throw invalid("read_token", "Leave this out: only with a trigger token another one is needed");
  }
  return { ...settings, template };
}

const ALL_FIELDS = [...new Set(TEMPLATES.flatMap(fieldsOf))];
const TEMPLATED = ["limit", "variables", "body", "headers"] as const;

function requireDocument(field: string, value: Json): void {
  if (JSON.stringify(value).length > LARGEST_TRIGGER_TEMPLATE) {
    throw invalid(field, `Use at most ${LARGEST_TRIGGER_TEMPLATE / 1024} KiB`);
  }
  requireTemplate(field, value, EXAMPLE as unknown as Json);
}

function requireTexts(variables: object): void {
  for (const [name, value] of Object.entries(variables)) {
    if (typeof value !== "string") throw invalid("variables", `Use a text for ${name}`);
    if (!VARIABLE.test(name)) throw invalid("variables", `'${name}' is not the name of a variable`);
  }
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/;
const HEADER = /^[A-Za-z0-9-]{1,60}$/;
const HEADER_VALUE = /^[\x20-\x7e]{0,500}$/;
/** They belong to the connection. */
const OURS = /^(host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer)$/i;

function requireHeadersOf(headers: object): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER.test(name) || OURS.test(name)) {
      throw invalid("headers", `'${name}' cannot be set`);
    }
    if (typeof value !== "string" || !HEADER_VALUE.test(value)) {
      throw invalid("headers", `Use at most 500 printable ASCII characters for ${name}`);
    }
  }
}
