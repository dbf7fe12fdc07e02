// What a trigger is: which changes it gathers, and which job it starts elsewhere.
import { type Static, type TOptional, type TSchema, Type } from "@sinclair/typebox";
import type { RunStatus } from "../../../db/tables/events.ts";
import {
  LONGEST_TARGET_URL,
  LONGEST_TRIGGER_MOST,
  LONGEST_TRIGGER_QUIET,
} from "../../input/limits.ts";
import { atLeastOne, closed, line, orNull, secret, TRUE_OR_FALSE } from "../../input/shape.ts";
import { filterShape } from "../subscriptions.ts";

export const TEMPLATES = ["awx", "gitlab", "jenkins", "post"] as const;
export type Template = (typeof TEMPLATES)[number];

function text(title: string, longest: number, description?: string) {
  return Type.String({ ...line(longest, description), title });
}

function seconds(title: string, longest: number) {
  return Type.Integer({
    minimum: 1,
    maximum: longest,
    title,
    description: `Use a whole number of seconds from 1 to ${longest}`,
  });
}

function object(title: string, description: string) {
  return Type.Object({}, { additionalProperties: true, title, description });
}

const template = Type.Union(
  TEMPLATES.map((name) => Type.Literal(name)),
  { title: "Template", description: `Use one of ${TEMPLATES.join(", ")}` },
);

/** What every trigger has. */
const COMMON = {
  name: text("Name", 60),
  url: Type.String({
    minLength: 1,
    maxLength: LONGEST_TARGET_URL,
    title: "Address of the server",
    description: "Use a URL such as https://awx.example.org",
  }),
  owner: text("Owner", 100),
  filters: filterShape,
  success_text: text("Text of success", 100),
  quiet_seconds: seconds("Seconds without a change", LONGEST_TRIGGER_QUIET),
  most_seconds: seconds("Seconds to wait at most", LONGEST_TRIGGER_MOST),
  waits_for_end: Type.Boolean({
    title: "Wait for the end of a job before the next one starts",
    description: TRUE_OR_FALSE.description,
  }),
  is_active: Type.Boolean({ title: "Active", description: TRUE_OR_FALSE.description }),
} as const;

export const TOKEN_KINDS = ["access", "trigger"] as const;

/** What some templates have. */
const SPECIAL = {
  job_template: Type.Union(
    [
      Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
      // As AWX writes it in `named_url`: https://awx.example.org/api/v2/job_templates/Deploy++Default/
      Type.String({ maxLength: 600, pattern: "^[^\\s/][^\\n\\r\\t/]*\\+\\+[^\\n\\r\\t/]*$" }),
    ],
    {
      title: "Job template",
      description:
        "Use the number of the job template, as in its address, or its name and organization, such as Deploy++Default",
    },
  ),
  is_workflow: Type.Boolean({
    title: "It is a workflow job template",
    description: TRUE_OR_FALSE.description,
  }),
  limit: Type.String({ maxLength: 1_000, title: "Limit", description: "Use 1,000 characters" }),
  project: text("Project", 200),
  ref: text("Branch or tag", 200),
  token_kind: Type.Union(
    TOKEN_KINDS.map((kind) => Type.Literal(kind)),
    { title: "Kind of token", description: `Use ${TOKEN_KINDS.join(" or ")}` },
  ),
  job: text("Job", 300, "Use the names that lead to the job, such as network/dhcp"),
  username: text("User", 100),
  variables: object("Variables", "Use a JSON object"),
  body: Type.Unknown({ title: "Body", description: "Use a JSON document" }),
  headers: object("HTTP headers", 'Use a JSON object of texts, such as {"x-site": "lab"}'),
  secret_header: Type.String({
    pattern: "^[A-Za-z0-9-]{1,60}$",
    maxLength: 60,
    title: "Header of the secret",
    description: "Use the name of a header, such as Authorization",
  }),
} as const;

export type SpecialField = keyof typeof SPECIAL;

/** The fields of each template. */
export const FIELDS: Record<Template, { required: SpecialField[]; optional: SpecialField[] }> = {
  awx: { required: ["job_template"], optional: ["is_workflow", "limit", "variables"] },
  gitlab: { required: ["project", "ref"], optional: ["variables", "token_kind"] },
  jenkins: { required: ["job", "username"], optional: ["variables"] },
  post: { required: ["body"], optional: ["headers", "secret_header"] },
};

export function fieldsOf(kind: Template): SpecialField[] {
  return [...FIELDS[kind].required, ...FIELDS[kind].optional];
}

/** As they are sent in headers. */
const SECRET = {
  ...secret("Use 1 to 1,024 printable ASCII characters"),
  pattern: "^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$",
};
const SECRETS = {
  secret: Type.String({ ...SECRET, title: "Secret" }),
  read_token: Type.String({ ...SECRET, title: "Token to look at pipelines" }),
};

function optional<Fields extends Record<string, TSchema>>(fields: Fields) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, one]) => [name, Type.Optional(one)]),
  ) as { [Name in keyof Fields]: TOptional<Fields[Name]> };
}

const { name, url, ...rest } = COMMON;

export const newTrigger = closed({
  name,
  template,
  url,
  ...optional(rest),
  ...optional(SPECIAL),
  ...optional(SECRETS),
});
export const changedTrigger = atLeastOne({ ...COMMON, ...SPECIAL, ...SECRETS });
export type NewTrigger = Static<typeof newTrigger>;
export type ChangedTrigger = Static<typeof changedTrigger>;

/** What is stored of it as settings. */
export interface TriggerSettings extends Partial<Static<typeof specialFields>> {
  template: Template;
  success_text: string;
  quiet_seconds: number;
  most_seconds: number;
  waits_for_end: boolean;
  has_read_token?: boolean;
}
const specialFields = Type.Object(SPECIAL);

export const DEFAULTS = {
  quiet_seconds: 10,
  most_seconds: 60,
  waits_for_end: true,
} as const;

/** What a new trigger has where nothing else is given. */
export const SPECIAL_DEFAULTS: Record<Template, Pick<TriggerSettings, SpecialField>> = {
  awx: { is_workflow: false, limit: "{{ limit }}", variables: { cadastre_run: "{{ run.id }}" } },
  gitlab: {
    token_kind: "access",
    variables: { CADASTRE_RUN: "{{ run.id }}", HOSTS: "{{ limit }}" },
  },
  jenkins: { variables: { CADASTRE_RUN: "{{ run.id }}", HOSTS: "{{ limit }}" } },
  post: { headers: {} },
};

const time = Type.String({ description: "UTC" });

/** A trigger as admins see it. */
export const triggerRecord = Type.Object({
  id: Type.Integer(),
  template,
  ...COMMON,
  filters: Type.Object({}, { additionalProperties: true }),
  // Null of templates without the field.
  ...Object.fromEntries(Object.entries(SPECIAL).map(([field, one]) => [field, orNull(one)])),
  has_secret: Type.Boolean(),
  has_read_token: Type.Boolean(),
  trouble: Type.Union([Type.String(), Type.Null()], {
    description: "Why it was switched off, other than by an admin",
  }),
  last_run: Type.Union([Type.String(), Type.Null()], { description: "The status of its last run" }),
  revision: Type.Integer(),
  created_at: time,
  updated_at: time,
});

export interface Trigger extends Record<SpecialField, unknown> {
  id: number;
  name: string;
  template: Template;
  url: string;
  owner: string;
  filters: Record<string, unknown>;
  success_text: string;
  quiet_seconds: number;
  most_seconds: number;
  waits_for_end: boolean;
  is_active: boolean;
  has_secret: boolean;
  has_read_token: boolean;
  trouble: string | null;
  last_run: RunStatus | null;
  revision: number;
  created_at: string;
  updated_at: string;
}
