// What the page of a group shows beside its record.
import { sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { type Caller, isAdmin, may } from "../../auth/auth.ts";
import { integers } from "../../input/keys.ts";
import { flaw, literal } from "../../input/text.ts";
import * as records from "../../store/records.ts";
import { recordQuery } from "../../store/resource.ts";
import { type Host, host } from "../hosts/host.ts";
import { hostsUnder, membersIn, queries } from "./members.ts";

/** Who makes and changes groups. */
export const EDITORS = ["network", "admin"] as const;

/** The hosts of a group, with these fields of each. */
export async function membersOf<Name extends string & keyof Host>(
  caller: Caller,
  { group, names }: { group: number; names: readonly Name[] },
  params: URLSearchParams,
): Promise<records.Listed<Required<Pick<Host, Name>>>> {
  const chosen = await queries(database.rows, sql`id = ${group}`);
  const members = sql`select member.id from ${membersIn(chosen)} member where member.group_id = ${group}`;
  const among = sql`hosts.id in (${members})`;
  return records.list(records.pick(recordQuery(host, caller), names), params, among);
}

/** How many hosts a group has with those of its children. */
export async function countUnder(caller: Caller, group: number): Promise<number> {
  return (await hostsUnder(database.rows, caller, group)).length;
}

/** Those of the groups that the caller may not delete, by their names. */
export async function keptFrom(caller: Caller, ids: number[]): Promise<string[]> {
  if (isAdmin(caller)) return [];
  const rows = await database.rows<{ name: string }>(sql`
    select name from groups where id = any(${integers(ids)})
      and (created_by is distinct from ${caller.id} or not ${may(caller, EDITORS)}) order by lower(name)`);
  return rows.map(({ name }) => name);
}

const MOST = 20;

/** Names of groups that have a text in them, those that begin with it first. */
export async function groupNames(text: string): Promise<Array<{ name: string }>> {
  const part = text.trim();
  if (flaw(part)) return [];
  const begins = sql`name ilike ${`${literal(part)}%`}`;
  return database.rows<{ name: string }>(sql`
    select name from groups where name ilike ${`%${literal(part)}%`}
    order by ${begins} desc, lower(name) limit ${MOST}`);
}
