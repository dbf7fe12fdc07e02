// The views of a list (its query, saved under a name) and its columns, saved for each user.
import { type Static, Type } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import * as database from "../../db/client.ts";
import { list_columns, searches } from "../../db/tables/user.ts";
import { type Caller, isAdmin } from "../auth/auth.ts";
import { notFound } from "../input/errors.ts";
import { closed, line } from "../input/shape.ts";
import type { Choices } from "../store/choices.ts";
import { write } from "../store/write.ts";

export interface SavedView {
  id: number;
  name: string;
  query: string;
  /** Visible to all users. */
  shared: boolean;
  /** The user who shared it, unless it is the caller. */
  owner: string | null;
}

export interface ListSettings {
  views: SavedView[];
  /** Empty if the user has chosen none. */
  columns: string[];
  /** Null if they were not read. */
  choices: unknown;
}

const list = line(100, "Name the list by its path");

export const newView = closed({
  list,
  name: line(60, "Use 1 to 60 characters on one line"),
  query: Type.String({ maxLength: 16_384, description: "Use the query of the list's URL" }),
  shared: Type.Optional(Type.Boolean({ description: "Use true to show it to everybody" })),
});

const MOST_VIEWS = 50;

/**
 * The views of a list that the caller sees, their own first, and the columns that they have chosen; with the choices of its
 * filters, if they are wanted.
 */
export async function listSettingsOf(
  caller: Caller,
  of: string,
  choices?: Choices<unknown>,
): Promise<ListSettings> {
  const found = await database.row<{ json: string }>(
    sql`
    select json_build_object(
      'views', (
        select coalesce(json_agg(one), '[]') from (
          select searches.id, searches.name, query, shared,
            case when user_id = own.id then null else username end as owner
          from searches join users on users.id = user_id
          where list = own.list and (user_id = own.id or shared)
          order by user_id = own.id desc, lower(searches.name), searches.id limit ${sql.raw(String(MOST_VIEWS))}
        ) one),
      'columns', coalesce((
        select to_json(columns) from list_columns
        where user_id = own.id and list_columns.list = own.list), '[]'),
      'choices', ${choices?.json(caller) ?? sql`null`}
    )::text as json
    from (select ${caller.id}::integer as id, ${of}::text as list) own`,
  );
  return JSON.parse(found?.json ?? '{"views":[],"columns":[],"choices":null}');
}

/** Replaces the caller's view of the same name. */
export async function save(caller: Caller, input: Static<typeof newView>): Promise<void> {
  const shared = input.shared ?? false;
  await write(caller, (tx) =>
    tx.execute(sql`
      insert into ${searches} (user_id, list, name, query, shared)
      values (${caller.id}, ${input.list}, ${input.name}, ${input.query}, ${shared})
      on conflict (user_id, list, lower(name)) do update
        set name = excluded.name, query = excluded.query, shared = excluded.shared`),
  );
}

/** Owners may delete their views, admins also shared ones. Returns the list of the view. */
export function remove(caller: Caller, id: number): Promise<string> {
  const mayDelete = sql`(${searches.user_id} = ${caller.id} or ${searches.shared} and ${isAdmin(caller)})`;
  return write(caller, async (tx) => {
    const [gone] = await tx
      .delete(searches)
      .where(sql`${eq(searches.id, id)} and ${mayDelete}`)
      .returning({ list: searches.list });
    if (!gone) throw notFound();
    return gone.list;
  });
}

/** Without columns the list shows the default ones again. */
export async function chooseColumns(caller: Caller, of: string, columns: string[]): Promise<void> {
  await write(caller, async (tx) => {
    await tx.execute(sql`
      delete from ${list_columns} where user_id = ${caller.id} and list = ${of}`);
    if (columns.length === 0) return;
    await tx.insert(list_columns).values({ user_id: caller.id ?? 0, list: of, columns });
  });
}
