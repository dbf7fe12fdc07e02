// Describes a webhook, as admins see it, and what they send to make or change one.
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { subscriptions } from "../../../db/tables/events.ts";
import { LONGEST_TARGET_URL } from "../../input/limits.ts";
import { atLeastOne, closed, line, TRUE_OR_FALSE } from "../../input/shape.ts";
import * as fields from "../../store/fields.ts";
import { type RowOf, resource } from "../../store/resource.ts";
import { filterShape } from "../subscriptions.ts";

export const MESSAGE_FORMATS = ["standard", "cloudevents"] as const;
export type MessageFormat = (typeof MESSAGE_FORMATS)[number];

const format = Type.Union(
  MESSAGE_FORMATS.map((one) => Type.Literal(one)),
  { title: "Format", description: `Use ${MESSAGE_FORMATS.join(" or ")}` },
);

export const WEBHOOK_STATES = ["active", "failing", "paused", "off"] as const;

const INPUT = {
  name: { ...line(100), title: "Name" },
  url: Type.String({
    title: "URL",
    minLength: 1,
    maxLength: LONGEST_TARGET_URL,
    description: "Use a URL such as https://hooks.example.org/cadastre",
  }),
  owner: {
    ...line(64, "Use the username of an active user"),
    title: "Owner",
  },
  filters: filterShape,
  format,
  ordered: { ...TRUE_OR_FALSE, title: "Keep the order" },
  is_active: { ...TRUE_OR_FALSE, title: "Active" },
};

const { name: nameInput, url: urlInput, ...optional } = INPUT;
export const newWebhook = closed({
  name: nameInput,
  url: urlInput,
  ...Type.Partial(Type.Object(optional)).properties,
});
export const changedWebhook = atLeastOne(INPUT);
export type NewWebhook = Static<typeof newWebhook>;
export type ChangedWebhook = Static<typeof changedWebhook>;

/** What `settings` of a subscription holds. */
export interface WebhookSettings {
  format: MessageFormat;
  ordered: boolean;
  /** Until then messages also have a signature by the secret before. */
  previous_until?: string;
}

const waiting = sql`
  (select count(*)::int from (
    select from deliveries where subscription_id = subscriptions.id and status = 'waiting' limit 1000
  ) counted)`;

/** The message that has waited longest has been tried. */
const isFailing = sql`
  exists (select from deliveries where subscription_id = subscriptions.id and status = 'waiting' and attempts > 0)`;

const isPaused = sql`
  exists (select from users owner where owner.id = subscriptions.owner_id and owner.deactivated_at is not null)`;

const state = sql`
  case when not subscriptions.is_active then 'off' when ${isPaused} then 'paused'
    when ${isFailing} then 'failing' else 'active' end`;

const trouble = sql`
  coalesce(subscriptions.trouble, case when ${isPaused} then 'Its owner is deactivated' end)`;

export const webhook = resource({
  noun: "webhook",
  path: "/webhooks",
  table: subscriptions,
  key: "name",
  editors: ["admin"],
  order: sql`subscriptions.name`,
  version: () => sql`subscriptions.revision`,
  fields: {
    name: fields.name({ label: "Name", input: INPUT.name, required: true }),
    url: fields.text({ label: "URL", input: INPUT.url, required: true }),
    owner: fields.byUser({
      label: "Owner",
      key: "owner_id",
      description: "Messages contain what this user may see",
    }),
    filters: {
      ...fields.derived<Record<string, string[] | string>>({
        label: "Filters",
        kind: "value",
        value: sql`subscriptions.filters`,
      }),
      schema: Type.Object({}, { additionalProperties: true }),
    },
    format: fields.derived<MessageFormat>({
      label: "Format",
      kind: "label",
      value: sql`(subscriptions.settings ->> 'format')`,
    }),
    ordered: fields.derived<boolean>({
      label: "Keeps the order",
      kind: "boolean",
      value: sql`(subscriptions.settings ->> 'ordered')::boolean`,
    }),
    is_active: fields.boolean({ label: "Active" }),
    state: fields.derived<(typeof WEBHOOK_STATES)[number]>({
      label: "State",
      kind: "label",
      value: state,
    }),
    trouble: fields.derived<string | null>({
      label: "Reason",
      kind: "text",
      value: trouble,
      nullable: true,
    }),
    waiting: fields.derived<number>({ label: "Waiting", kind: "integer", value: waiting }),
    previous_secret_until: fields.derived<string | null>({
      label: "Former secret until",
      kind: "time",
      value: sql`(subscriptions.settings ->> 'previous_until')::timestamptz`,
      nullable: true,
    }),
    created_at: fields.time({ label: "Created", description: fields.MOMENT }),
    updated_at: fields.time({ label: "Updated", description: fields.MOMENT }),
  },
  internal: [
    "kind",
    "owner_id",
    "settings",
    "secrets",
    "trouble",
    "revision",
    "lease_until",
    "lease_by",
  ],
});

export type Webhook = RowOf<typeof webhook>;
/** With its secret, which is shown once. */
export type ShownWebhook = Webhook & { secret: string };
