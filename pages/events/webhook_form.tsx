// The form of a webhook. Its filters are fields of their own.
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { Format, Webhook } from "../../src/events/webhooks/webhook.ts";
import { filterShape, newWebhook } from "../../src/events/webhooks/webhook.ts";
import { readFormInput } from "../../src/input/shape.ts";
import { resources } from "../../src/resources.ts";
import {
  Check,
  CheckBoxes,
  Field,
  type Filled,
  joinBoxes,
  Summary,
  type Values,
} from "../parts/forms.tsx";
import { Select } from "../parts/select.tsx";
import { field } from "../request/form_values.ts";
import { inTitle } from "../texts.ts";

/** A webhook goes on, so it is not limited to times. */
const TIMES = ["from", "to"];
const FILTER_NAMES = Object.keys(filterShape.properties).filter((name) => !TIMES.includes(name));

const LABELS: Record<string, string> = {
  user: "Made by",
  record: "Of this record",
  scope: "In these network scopes",
  group: "In these groups",
  query: "Found by this query",
  q: "With this text",
};
const HINTS: Record<string, string> = {
  user: "Usernames, one on each line. Without one: by everybody",
  record: "By its name. Changes of its parts match, too",
  scope: "Names, one on each line",
  group: "Names of Ansible groups, one on each line",
  query:
    "A query of the search, such as is_ioc:true AND changed:ip; the record before or after matches it",
  q: "In the record's name, or in an old or new value",
};

const filterFields = Object.fromEntries(
  FILTER_NAMES.map((name) => {
    const schema = filterShape.properties[name] ?? Type.String();
    const title = LABELS[name] ?? inTitle(name);
    return [name, Type.Optional({ ...schema, title } as TSchema)];
  }),
);
const { name, url, owner, format, ordered, is_active } = newWebhook.properties;

/** Its filters are fields like the others. */
export const webhookForm: TObject = Type.Object(
  { name, url, owner, format, ordered, is_active, ...filterFields },
  { additionalProperties: false },
);

export type FormInput = Required<Omit<Static<typeof newWebhook>, "owner">> & { owner?: string };

export function readWebhookForm(form: FormData): FormInput {
  joinBoxes(form, "kind");
  const given = new FormData();
  for (const [key, value] of form) {
    if (field(form, key) !== "" && key in webhookForm.properties) given.append(key, value);
  }
  const input = readFormInput(webhookForm, given) as Record<string, unknown>;
  const filters = Object.fromEntries(
    FILTER_NAMES.flatMap((key) => (input[key] === undefined ? [] : [[key, input[key]]])),
  );
  const others = Object.entries(input).filter(([key]) => !FILTER_NAMES.includes(key));
  return { ...Object.fromEntries(others), filters } as FormInput;
}

/** An error in a filter is shown at its field. */
export function placeOfError(name: string): string {
  return name.replace(/^filters\./, "");
}

export const NEW: Values = { format: "standard", ordered: "true", is_active: "true" };

export function valuesOf(row: Webhook): Values {
  const filters = Object.entries(row.filters).map(([key, value]) => [
    key,
    [value].flat().join("\n"),
  ]);
  return {
    ...Object.fromEntries(filters),
    name: row.name,
    url: row.url,
    owner: row.owner ?? "",
    format: row.format,
    ordered: String(row.ordered),
    is_active: String(row.is_active),
  };
}

export const FORMATS: Record<Format, string> = {
  standard: "Standard Webhooks",
  cloudevents: "CloudEvents",
};

const KINDS = Object.fromEntries(
  resources.map(({ name: kind, plural }) => [kind, inTitle(plural)]),
);

interface Props {
  title: string;
  filled: Filled;
  action: string;
  back: string;
}

export function WebhookForm({ title, filled, action, back }: Props) {
  const others = FILTER_NAMES.filter((one) => one !== "kind");
  return (
    <>
      <header class="head">
        <div>
          <h1>{title}</h1>
          <p class="lead">Each change is sent to a program of yours, signed</p>
        </div>
      </header>
      <form class="sheet" method="post" action={action} data-guard>
        <Summary filled={filled} />
        <Field filled={filled} name="name" hint="What it is for" autofocus />
        <Field
          filled={filled}
          name="url"
          hint="https, or http in networks that WEBHOOK_ALLOW lists"
        />
        <Field
          filled={filled}
          name="owner"
          hint="A user: messages contain what this user may see. Without one: you"
        />
        <CheckBoxes
          filled={filled}
          name="kind"
          legend="Changes of these records"
          options={KINDS}
          hidesValues
          hint="None ticked: all"
        />
        {others.map((one) => (
          <Field
            filled={filled}
            name={one}
            {...(HINTS[one] && { hint: HINTS[one] })}
            {...(filterShape.properties[one]?.type === "array" && { rows: 2 })}
          />
        ))}
        <Select
          filled={filled}
          name="format"
          options={Object.entries(FORMATS).map(([value, label]) => ({ value, label }))}
          hint="How a message is written; both are signed in the same way"
        />
        <Check
          filled={filled}
          name="ordered"
          label="Keep the order: a message that fails holds up those after it"
        />
        <Check filled={filled} name="is_active" label="Active" />
        <div class="buttons">
          <button type="submit" class="primary">
            Save
          </button>
          <a class="button quiet" href={back}>
            Cancel
          </a>
        </div>
      </form>
    </>
  );
}
