// The form of a webhook.
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { type MessageFormat, newWebhook, type Webhook } from "../../src/events/webhooks/webhook.ts";
import { PageHead } from "../layout/page_head.tsx";
import { CheckBox, Field, type Filled, type FormValues, Summary } from "../parts/forms.tsx";
import { Select } from "../parts/select.tsx";
import { CHANGED_MEANWHILE } from "../texts.ts";
import { FilterFields, filterInputs, readWithFilters, valuesOfFilters } from "./filter_fields.tsx";

const { name, url, owner, format, ordered, is_active } = newWebhook.properties;

/** Its filters are fields like the others. */
export const webhookForm: TObject = Type.Object(
  { name, url, owner, format, ordered, is_active, ...filterInputs },
  { additionalProperties: false },
);

export type FormInput = Required<Omit<Static<typeof newWebhook>, "owner">> & { owner?: string };

export function readWebhookForm(form: FormData): FormInput {
  return readWithFilters(webhookForm, form) as unknown as FormInput;
}

export const NEW_WEBHOOK: FormValues = { format: "standard", ordered: "true", is_active: "true" };

export function valuesOf(row: Webhook): FormValues {
  return {
    ...valuesOfFilters(row.filters),
    name: row.name,
    url: row.url,
    owner: row.owner ?? "",
    format: row.format,
    ordered: String(row.ordered),
    is_active: String(row.is_active),
  };
}

export const FORMAT_NAMES: Record<MessageFormat, string> = {
  standard: "Standard Webhooks",
  cloudevents: "CloudEvents",
};

interface Props {
  title: string;
  filled: Filled;
  action: string;
  back: string;
  /** What the form changes, and whether somebody else has changed it since. */
  edited?: { version: number; isStale: boolean } | undefined;
}

export function WebhookForm({ title, filled, action, back, edited }: Props) {
  return (
    <>
      <PageHead title={title} lead="Each change is sent to a program of yours, signed" />
      <form class="sheet" method="post" action={action} data-guard>
        {edited && <input type="hidden" name="version" value={edited.version} />}
        {edited?.isStale && (
          <p class="note bad" role="alert">
            {CHANGED_MEANWHILE}
          </p>
        )}
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
        <FilterFields filled={filled} />
        <Select
          filled={filled}
          name="format"
          options={Object.entries(FORMAT_NAMES).map(([value, label]) => ({ value, label }))}
          hint="How a message is written; both are signed in the same way"
        />
        <CheckBox
          filled={filled}
          name="ordered"
          label="Keep the order: a message that fails holds up those after it"
        />
        <CheckBox filled={filled} name="is_active" label="Active" />
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
