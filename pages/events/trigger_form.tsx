// The form of a trigger, with the words of the product that runs the job.
import { type Template, TOKEN_KINDS, type Trigger } from "../../src/events/triggers/trigger.ts";
import { CheckBox, Field, type Filled } from "../parts/forms.tsx";
import { Select } from "../parts/select.tsx";
import { FilterFields, filterInputs } from "./filter_fields.tsx";
import { readTokenOf } from "./trigger_input.ts";

export const PRODUCT_NAMES: Record<Template, { name: string; lead: string }> = {
  awx: { name: "AWX", lead: "Launches a job template of AWX or of the Automation Controller" },
  gitlab: { name: "GitLab", lead: "Creates a pipeline in a project of GitLab" },
  jenkins: { name: "Jenkins", lead: "Starts a build with parameters" },
  post: { name: "POST", lead: "Sends a POST to any server; its answer is the result" },
};

const HINTS: Record<Template, Record<string, string>> = {
  awx: {
    url: "Such as https://awx.example.org; for AAP with /api/controller/v2 at the end",
    job_template:
      "Its number, or its name and organization such as Deploy++Default. Tick Prompt on launch there for limit and variables, otherwise AWX ignores them",
    limit: "Ansible's limit. Default: that of the job template",
    secret: "An AWX application token with the scope write",
  },
  gitlab: {
    url: "Such as https://gitlab.example.org",
    project: "The project's path, such as network/dhcp, or its number",
    ref: "On which the pipeline runs",
    variables: "One per line: NAME=value",
    secret: "An access token with the scope api, or a trigger token of the project",
    token_kind:
      "With a trigger token alone, Cadastre cannot see how a pipeline ends: hosts then only say that it was started",
    read_token:
      "Only with a trigger token: an access token with the scope read_api, so that Cadastre can see how pipelines end",
  },
  jenkins: {
    url: "Such as https://jenkins.example.org",
    job: "The names that lead to it, such as network/dhcp",
    variables: "One per line: NAME=value. The job has to be parameterized",
  },
  post: {
    body: "A JSON document",
    headers: "One per line: Name: value. They are shown here, unlike the secret",
    secret_header:
      "Default: Authorization. Then write the secret with its scheme, such as Bearer …",
  },
};

const LONG: Record<string, number> = { variables: 5, body: 8, headers: 2 };

const SHARED_HINTS = {
  owner: "The job gets only what this user may see. Default: you",
  success_text: "On the page of each host, with the time, such as: DHCP updated",
  quiet_seconds:
    "The job starts when nothing has changed for this long, so one job covers many changes",
  most_seconds: "The job starts after this time even if changes keep coming",
};

interface TriggerFieldsProps {
  filled: Filled;
  template: Template;
  /** Of a trigger that exists. */
  edited: Pick<Trigger, "has_secret" | "has_read_token"> | undefined;
}

const KEPT = "One is stored. Leave this blank to keep it";

export function TriggerFields({ filled, template, edited }: TriggerFieldsProps) {
  const hints = HINTS[template];
  const { properties } = filled.shape;
  const own = Object.keys(properties).filter((name) => !PLACED.includes(name));
  return (
    <>
      <Field filled={filled} name="name" autofocus />
      <Field filled={filled} name="url" {...hintOf(hints.url)} />
      {own.map((name) => (
        <OwnField filled={filled} name={name} hint={hints[name]} />
      ))}
      <Field
        filled={filled}
        name="secret"
        type="password"
        autocomplete="new-password"
        hint={edited?.has_secret ? KEPT : stored(hints)}
      />
      {readTokenOf(template).map((name) => (
        <Field
          filled={filled}
          name={name}
          type="password"
          autocomplete="new-password"
          hint={edited?.has_read_token ? KEPT : (hints[name] ?? "")}
        />
      ))}
      <FilterFields filled={filled} />
      <Field filled={filled} name="success_text" hint={SHARED_HINTS.success_text} />
      <Field filled={filled} name="owner" hint={SHARED_HINTS.owner} />
      <Field filled={filled} name="quiet_seconds" hint={SHARED_HINTS.quiet_seconds} />
      <Field filled={filled} name="most_seconds" hint={SHARED_HINTS.most_seconds} />
      <CheckBox filled={filled} name="waits_for_end" label={labelOf(filled, "waits_for_end")} />
      <CheckBox filled={filled} name="is_active" label="Active: changes from now on start jobs" />
      <Placeholders />
    </>
  );
}

const PLACED = [
  ...Object.keys(filterInputs),
  "name",
  "url",
  "secret",
  "read_token",
  "success_text",
  "owner",
  "quiet_seconds",
  "most_seconds",
  "waits_for_end",
  "is_active",
];

const TOKENS: Record<(typeof TOKEN_KINDS)[number], string> = {
  access: "Access token",
  trigger: "Trigger token",
};

/** A field of the template. */
function OwnField({
  filled,
  name,
  hint,
}: {
  filled: Filled;
  name: string;
  hint: string | undefined;
}) {
  if (name === "token_kind") {
    const options = TOKEN_KINDS.map((value) => ({ value, label: TOKENS[value] }));
    return <Select filled={filled} name={name} options={options} {...hintOf(hint)} />;
  }
  if (filled.shape.properties[name]?.type === "boolean") {
    return <CheckBox filled={filled} name={name} label={labelOf(filled, name)} />;
  }
  const rows = LONG[name];
  return (
    <Field
      filled={filled}
      name={name}
      {...hintOf(hint)}
      {...(rows !== undefined && { rows, more: { class: "mono" } })}
    />
  );
}

function hintOf(hint: string | undefined) {
  return hint === undefined ? {} : { hint };
}

function stored({ secret }: Record<string, string>): string {
  return secret
    ? `${secret}. Stored encrypted, and never shown`
    : "Stored encrypted, and never shown";
}

function labelOf({ shape }: Filled, name: string): string {
  return String(shape.properties[name]?.title ?? name);
}

function Placeholders() {
  return (
    <details>
      <summary>Values for templates</summary>
      <p>
        A text may contain <code>{"{{ limit }}"}</code>, <code>{"{{ hosts.name }}"}</code>,{" "}
        <code>{"{{ hosts.fqdn }}"}</code>, <code>{"{{ hosts.id }}"}</code>,{" "}
        <code>{"{{ deleted_hosts }}"}</code>, <code>{"{{ groups }}"}</code>,{" "}
        <code>{"{{ networks }}"}</code>, <code>{"{{ kinds }}"}</code>, <code>{"{{ users }}"}</code>,{" "}
        <code>{"{{ changes.id }}"}</code>, <code>{"{{ changes.user }}"}</code>,{" "}
        <code>{"{{ changes.time }}"}</code>, <code>{"{{ counts.hosts }}"}</code>,{" "}
        <code>{"{{ run.id }}"}</code> and <code>{"{{ trigger.name }}"}</code>.
      </p>
      <p>
        Filters follow a bar: <code>{'{{ hosts.name | join " " }}'}</code>, and <code>first</code>,{" "}
        <code>count</code>, <code>unique</code>, <code>json</code>.
      </p>
    </details>
  );
}
