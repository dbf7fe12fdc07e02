// The resource `comment`: a text about an item.

import { Type } from "@sinclair/typebox";
import { sql } from "drizzle-orm";
import { comments, items } from "../../../db/tables/inventory.ts";
import { INVENTORY_EDITORS } from "../../auth/rights.ts";
import * as fields from "../../store/fields.ts";
import { type RowOf, resource } from "../../store/resource.ts";
import { SUMMARY_FIELDS } from "../items/item.ts";

const BODY = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description: "Use 1 to 10000 characters",
});

export const comment = resource({
  noun: "comment",
  path: "/inventory/items/comments",
  table: comments,
  key: "body",
  partOf: "items",
  editors: INVENTORY_EDITORS,
  order: sql`comments.created_at`,
  fields: {
    item: fields.belongsTo(items, {
      label: "Item",
      kind: "code",
      nameColumn: "ics_id",
      nested: SUMMARY_FIELDS,
      description: "The item's ICS id",
    }),
    body: fields.text({ label: "Comment", input: BODY, required: true }),
    user: fields.byUser({ label: "Author", key: "created_by", description: "Who wrote it" }),
    created_at: fields.time({ label: "Created", description: fields.MOMENT }),
    updated_at: fields.time({ label: "Updated", description: fields.MOMENT }),
  },
  // The history of a comment is shown with its item.
  history: { without: ["item"] },
});

export type Comment = RowOf<typeof comment>;
