// The form of a webhook.
import { type TObject, Type } from "@sinclair/typebox";
import { type MessageFormat, newWebhook, type Webhook } from "../../src/events/webhooks/webhook.ts";
import { CheckBox, Field, type Filled, type FormValues } from "../parts/forms.tsx";
import { Select } from "../parts/select.tsx";
import { FilterFields, filterInputs, valuesOfFilters } from "./filter_fields.tsx";

const { name, url, owner, format, ordered, is_active } = newWebhook.properties;

/** Its filters are fields like the others. */
export const webhookForm: TObject = Type.Object(
  { name, url, owner, format, ordered, is_active, ...filterInputs },
  { additionalProperties: false },
);

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

export function WebhookFields({ filled }: { filled: Filled }) {
  return (
    <>
      <Field filled={filled} name="name" hint="What it is for" autofocus />
      <Field
        filled={filled}
        name="url"
        hint="https, or http in networks that WEBHOOK_ALLOW lists"
      />
      <Field
        filled={filled}
        name="owner"
        hint="Messages contain only what this user may see. Default: you"
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
    </>
  );
}
