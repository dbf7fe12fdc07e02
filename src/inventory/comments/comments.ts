import { type Static, Type } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import { comments } from "../../../db/tables/inventory.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { forbidden, notFound } from "../../input/errors.ts";
import { closed } from "../../input/shape.ts";
import * as records from "../../store/records.ts";
import { USER } from "../../store/reference.ts";
import { changeSetOf, lock, type Transaction, write } from "../../store/write.ts";
import * as items from "../items/items.ts";
import { commentDocument } from "./search_document.ts";

export const newComment = closed({
  body: Type.String({
    minLength: 1,
    maxLength: 10_000,
    description: "Use 1 to 10000 characters",
  }),
});
const object = Type.Object({}, { additionalProperties: true });
export const comment = Type.Object({
  id: Type.Integer(),
  item: Type.Union([Type.String(), object], { description: "The item's ICS id" }),
  body: Type.String(),
  user: Type.Union([Type.String(), object, Type.Null()], { description: "Who wrote it" }),
  created_at: Type.String(),
  updated_at: Type.String(),
});
/** By names, as pages show it. */
export type Comment = Omit<Static<typeof comment>, "item" | "user"> & {
  item: string;
  user: string | null;
};
type Input = Static<typeof newComment>;

export const resource: records.Resource = {
  from: sql`comments join items on items.id = comments.item_id left join users on users.id = comments.created_by`,
  id: sql`comments.id`,
  version: sql`comments.version`,
  fields: {
    id: { kind: "integer", column: sql`comments.id` },
    item: {
      kind: "code",
      column: sql`items.ics_id`,
      nested: sql`json_build_object('id', items.id, 'ics_id', items.ics_id,
        'serial_number', items.serial_number, 'quantity', items.quantity)`,
    },
    item_id: { kind: "integer", column: sql`comments.item_id`, hidden: true },
    body: { kind: "text", column: sql`comments.body` },
    user: {
      kind: "name",
      column: sql`users.username`,
      nested: sql`case when users.id is not null then ${USER} end`,
    },
    user_id: { kind: "integer", column: sql`comments.created_by`, hidden: true },
    created_at: { kind: "time", column: sql`comments.created_at` },
    updated_at: { kind: "time", column: sql`comments.updated_at` },
  },
  document: commentDocument,
  order: sql`comments.created_at`,
};

/** Of one item, which must be there. */
export async function list(
  _caller: Caller,
  item: string,
  params: URLSearchParams,
): Promise<records.Listed> {
  const listed = await records.list(resource, params, items.named(item));
  if (listed.total === 0) await items.keyOf(item);
  return listed;
}

export function find(caller: Caller, id: number, isRecursive = false): Promise<records.Found> {
  return read(caller, id, { isRecursive });
}

export async function create(caller: Caller, item: string, input: Input): Promise<records.Found> {
  return write(caller, async (tx) => {
    const item_id = await items.keyOf(item, tx);
    // Held in place: an item that goes takes its comments along, this one too.
    await tx.execute(sql`select 1 from items where id = ${item_id} for key share`);
    const [made] = await tx
      .insert(comments)
      .values({ item_id, body: input.body })
      .returning({ id: comments.id });
    return read(caller, made?.id ?? 0, { tx });
  });
}

/** By whoever wrote it, or an admin. */
export async function update(caller: Caller, id: number, input: Input): Promise<records.Found> {
  return write(caller, async (tx) => {
    await lockOwn(tx, caller, id);
    await tx.update(comments).set({ body: input.body }).where(eq(comments.id, id));
    return read(caller, id, { tx });
  });
}

/** Tells under which number it can be undone. */
export function remove(caller: Caller, id: number): Promise<number> {
  return write(caller, async (tx) => {
    await lockOwn(tx, caller, id);
    await tx.delete(comments).where(eq(comments.id, id));
    return changeSetOf(tx);
  });
}

/** Whether this caller may change it. */
export function isOwn(caller: Caller, { user }: Comment): boolean {
  return user === caller.username || isAdmin(caller);
}

export function requireOwn(caller: Caller, comment: Comment): void {
  if (!isOwn(caller, comment)) throw forbidden(NOT_YOURS);
}

const NOT_YOURS = "Only its author and admins may change a comment";

async function lockOwn(tx: Transaction, caller: Caller, id: number): Promise<void> {
  await lock(tx, caller, { table: comments, id });
  const [found] = await tx
    .select({ author: comments.created_by })
    .from(comments)
    .where(eq(comments.id, id));
  if (!found) throw notFound();
  if (found.author !== caller.id && !isAdmin(caller)) {
    throw forbidden(NOT_YOURS);
  }
}

function read(
  caller: Caller,
  id: number,
  { tx, isRecursive = records.nests(caller) }: records.Reading,
): Promise<records.Found> {
  return records.find({ ...resource, isRecursive }, sql`comments.id = ${id}`, tx);
}
