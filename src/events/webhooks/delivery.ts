// Describes a message of a webhook, and its attempts.
import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { deliveries } from "../../../db/tables/events.ts";
import { type PublicId, publicIdSchema } from "../../input/change_ids.ts";
import * as fields from "../../store/fields.ts";
import { type RowOf, resource } from "../../store/resource.ts";

export const DELIVERY_STATUSES = ["waiting", "delivered", "failed"] as const;

const lastAttempt = (value: ReturnType<typeof sql>) => sql`
  (select ${value} from delivery_attempts where delivery_id = deliveries.id order by id desc limit 1)`;

export const delivery = resource({
  noun: "delivery",
  plural: "deliveries",
  path: "/webhooks/deliveries",
  table: deliveries,
  key: "message",
  editors: [],
  order: sql`deliveries.id desc`,
  version: () => sql`1`,
  fields: {
    message: fields.derived<string>({
      label: "Message",
      kind: "text",
      value: sql`deliveries.message::text`,
    }),
    change_set: {
      ...fields.derived<number | null>({
        label: "Change",
        kind: "change",
        value: sql`deliveries.change_set`,
        nullable: true,
      }),
      schema: Type.Union([publicIdSchema, Type.Null()]),
    },
    status: fields.label({ label: "Status" }),
    attempts: fields.integer({ label: "Attempts" }),
    answer: fields.derived<number | null>({
      label: "Answer",
      kind: "integer",
      value: lastAttempt(sql`status`),
      nullable: true,
    }),
    problem: fields.derived<string | null>({
      label: "Problem",
      kind: "text",
      value: lastAttempt(sql`problem`),
      nullable: true,
    }),
    created_at: fields.time({ label: "Created", description: fields.MOMENT }),
    next_at: fields.derived<string | null>({
      label: "Next attempt",
      kind: "time",
      value: sql`case when deliveries.status = 'waiting' then deliveries.next_at end`,
      nullable: true,
    }),
    finished_at: fields.time({ label: "Finished", nullable: true, description: fields.MOMENT }),
  },
  internal: ["subscription_id", "next_at", "lease_until", "lease_by", "is_manual"],
});

export type Delivery = Omit<
  RowOf<typeof delivery>,
  "status" | "change_set" | "next_at" | "finished_at"
> & {
  status: (typeof DELIVERY_STATUSES)[number];
  change_set: PublicId | null;
  next_at: string | null;
  finished_at: string | null;
};

const headers = Type.Record(Type.String(), Type.String());

export const deliveryAttempt = Type.Object({
  id: Type.Integer(),
  at: Type.String({ description: "ISO 8601" }),
  milliseconds: Type.Integer(),
  status: Type.Union([Type.Integer(), Type.Null()], { description: "Of the answer" }),
  problem: Type.Union([Type.String(), Type.Null()]),
  url: Type.String(),
  request_headers: headers,
  request_body: Type.String(),
  answer_headers: headers,
  answer_body: Type.String({ description: "As much of it as is kept" }),
});
