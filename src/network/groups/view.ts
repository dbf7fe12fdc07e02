// Queries for the pages of groups beside the record of a group.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, isAdmin, may } from "../../auth/auth.ts";
import { integers } from "../../input/keys.ts";
import { literal, textError } from "../../input/text.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { type Host, host } from "../hosts/host.ts";
import { hostsUnder, membersIn, queries } from "./members.ts";

/** The roles that create and change groups. */
export const EDITORS = ["network", "admin"] as const;

/** The hosts of a group with only these fields. */
export async function membersOf<Name extends string & keyof Host>(
  caller: Caller,
  { group, names }: { group: number; names: readonly Name[] },
  params: URLSearchParams,
): Promise<records.ListJson<Required<Pick<Host, Name>>>> {
  const queried = await queries(caller, database.rows, sql`id = ${group}`);
  const members = sql`select member.id from ${membersIn(queried)} member where member.group_id = ${group}`;
  const isMember = sql`hosts.id in (${members})`;
  return records.list(records.pick(recordQuery(host, caller), names), params, isMember);
}

/** The number of hosts in a group and its descendants. */
export async function countUnder(caller: Caller, group: number): Promise<number> {
  return (await hostsUnder(database.rows, caller, group)).length;
}

/** The names of those groups that the caller may not delete. */
export async function undeletableGroups(caller: Caller, ids: number[]): Promise<string[]> {
  if (isAdmin(caller)) return [];
  const rows = await database.rows<{ name: string }>(sql`
    select name from groups where id = any(${integers(ids)})
      and (created_by is distinct from ${caller.id} or not ${may(caller, EDITORS)}) order by lower(name)`);
  return rows.map(({ name }) => name);
}

const MOST_GROUPS = 20;

/** Names of groups that contain a text, first those that begin with it. */
export async function groupNames(text: string): Promise<Array<{ name: string }>> {
  const part = text.trim();
  if (textError(part)) return [];
  const begins = sql`name ilike ${`${literal(part)}%`}`;
  return database.rows<{ name: string }>(sql`
    select name from groups where name ilike ${`%${literal(part)}%`}
    order by ${begins} desc, lower(name) limit ${MOST_GROUPS}`);
}
