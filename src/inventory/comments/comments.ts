// Comments on items: everybody who may edit items adds them, only authors and admins change them.
import type { Static } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import { comments, items as itemTable } from "../../../db/tables/inventory.ts";
import { type Caller, isAdmin } from "../../auth/auth.ts";
import { forbidden, notFound } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { closed } from "../../input/shape.ts";
import * as crud from "../../store/crud.ts";
import * as records from "../../store/records.ts";
import { creationFields, recordQuery } from "../../store/resource.ts";
import { changeSetOf, lock, type Transaction, write } from "../../store/write.ts";
import * as items from "../items/items.ts";
import { type Comment, comment } from "./comment.ts";

export const newComment = closed(creationFields(comment));
type Input = Static<typeof newComment>;

/** The comments on one item, which must exist. */
export async function list(
  caller: Caller,
  item: string,
  params: URLSearchParams,
): Promise<records.ListJson<Comment>> {
  const listed = await listOfItem(caller, item, params);
  if (listed.total === 0) await items.keyOf(item);
  return listed;
}

/** The same of an item that exists. */
export function listOfItem(
  caller: Caller,
  item: string,
  params: URLSearchParams,
): Promise<records.ListJson<Comment>> {
  const ofItem = sql`comments.item_id in (select items.id from items where ${items.idCondition(item)})`;
  return records.list(recordQuery(comment, caller), params, ofItem);
}

export function find(
  caller: Caller,
  id: number,
  isRecursive = false,
): Promise<records.RecordJson<Comment>> {
  return crud.find(comment, caller, id, { isRecursive });
}

export function create(
  caller: Caller,
  item: string,
  input: Input,
): Promise<records.RecordJson<Comment>> {
  return write(caller, async (tx) => {
    const [id = 0] = await add(tx, [await items.keyOf(item, tx)], input);
    return crud.find(comment, caller, id, { tx });
  });
}

/** The same comment on each of these items, as part of a larger write. Returns the keys. */
export async function add(tx: Transaction, keys: number[], input: Input): Promise<number[]> {
  // Locked, because deleting an item would delete this comment, too.
  await tx.execute(sql`
    select from ${itemTable} where id = any(${integers(keys)}) order by id for key share`);
  const made: number[] = [];
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const rows = keys.slice(from, from + AT_ONCE).map((item_id) => ({ item_id, ...input }));
    const added = await tx.insert(comments).values(rows).returning({ id: comments.id });
    made.push(...added.map(({ id }) => id));
  }
  return made;
}

/** Rows of one statement: PostgreSQL takes 65,535 values. */
const AT_ONCE = 1_000;

/** By its author, or an admin. */
export function update(
  caller: Caller,
  id: number,
  input: Input,
): Promise<records.RecordJson<Comment>> {
  return write(caller, async (tx) => {
    await lockOwn(tx, caller, id);
    await tx.update(comments).set(input).where(eq(comments.id, id));
    return crud.find(comment, caller, id, { tx });
  });
}

/** Returns the change set, which can be undone. */
export function remove(caller: Caller, id: number): Promise<number> {
  return write(caller, async (tx) => {
    await lockOwn(tx, caller, id);
    await tx.delete(comments).where(eq(comments.id, id));
    return changeSetOf(tx);
  });
}

/** Whether this caller may change it. */
export function isOwn(caller: Caller, { user }: Pick<Comment, "user">): boolean {
  return user === caller.username || isAdmin(caller);
}

export function requireOwn(caller: Caller, one: Pick<Comment, "user">): void {
  if (!isOwn(caller, one)) throw forbidden(ONLY_AUTHOR);
}

export const ONLY_AUTHOR = "Only its author and admins may change a comment";

async function lockOwn(tx: Transaction, caller: Caller, id: number): Promise<void> {
  await lock(tx, caller, { table: comments, id });
  const [found] = await tx
    .select({ author: comments.created_by })
    .from(comments)
    .where(eq(comments.id, id));
  if (!found) throw notFound();
  if (found.author !== caller.id && !isAdmin(caller)) throw forbidden(ONLY_AUTHOR);
}
