// Previews the effect of a change of a group on hosts: the change is made, compared and rolled back.

import { type Static, Type } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import * as database from "../../../db/client.ts";
import { groups as groupTable } from "../../../db/tables/network.ts";
import { asDryRunOfDraft, type Caller } from "../../auth/auth.ts";
import { invalid } from "../../input/errors.ts";
import { integers } from "../../input/keys.ts";
import { readInput } from "../../input/shape.ts";
import { type Transaction, write } from "../../store/write.ts";
import { merged, withAncestors } from "../variables/variables.ts";
import { type HostWithVars, type MergedState, readState } from "./effective_vars.ts";
import * as groups from "./groups.ts";
import { hostsUnder } from "./members.ts";

const difference = Type.Object({
  variable: Type.String(),
  old: Type.Unknown({ description: "null if there was none" }),
  now: Type.Unknown({ description: "null if it is removed" }),
});
const touched = Type.Object({
  name: Type.String(),
  joins: Type.Boolean({ description: "Whether it joins the group or one of its children" }),
  leaves: Type.Boolean(),
  changes: Type.Array(difference),
});
export const previewSchema = Type.Object({
  hosts: Type.Array(touched, { description: "The first 100 affected hosts, by name" }),
  total: Type.Integer({ description: "The number of affected hosts" }),
  members: Type.Integer({ description: "The number of hosts in the group and its children" }),
});

export type HostDifference = Static<typeof difference>;
export type HostsAffected = Static<typeof touched>;
export type GroupPreview = Static<typeof previewSchema>;

const MOST_PREVIEWED = 100;

/** Only hosts that are visible to the caller; refused like the change itself. */
export async function groupPreview(
  caller: Caller,
  draft: Static<typeof groups.groupDraft>,
): Promise<GroupPreview> {
  const { before, after, now } = await write(asDryRunOfDraft(caller), (tx) =>
    tryChange(tx, caller, draft),
  );
  const was = await readState(database.rows, caller, oneOf([...before, ...after]));
  const [left, stays] = [new Set(before), new Set(after)];
  const each = compare(was, now).map(({ id, ...host }) => ({
    ...host,
    joins: stays.has(id) && !left.has(id),
    leaves: left.has(id) && !stays.has(id),
  }));
  const all = each.filter(({ joins, leaves, changes }) => joins || leaves || changes.length > 0);
  return { hosts: all.slice(0, MOST_PREVIEWED), total: all.length, members: after.length };
}

interface TrialState {
  /** The hosts in the group before and after the change. */
  before: number[];
  after: number[];
  now: MergedState;
}

async function tryChange(
  tx: Transaction,
  caller: Caller,
  { id, ...input }: Static<typeof groups.groupDraft>,
): Promise<TrialState> {
  if (id !== undefined) await refuseUnknown(tx, id);
  const before = id === undefined ? [] : await hostsUnder(tx.execute, caller, id);
  const group = id ?? (await groups.createIn(tx, caller, readInput(groups.newGroup, input)));
  if (id !== undefined) {
    await groups.change(tx, caller, { id, ...readInput(groups.changedGroup, input) });
  }
  const after = await hostsUnder(tx.execute, caller, group);
  const now = await readState(tx.execute, caller, oneOf([...before, ...after]));
  return { before, after, now };
}

async function refuseUnknown(tx: Transaction, id: number): Promise<void> {
  if ((await tx.$count(groupTable, eq(groupTable.id, id))) === 0)
    throw invalid("id", `There is no group ${id}`);
}

function oneOf(ids: number[]) {
  return sql`hosts.id in (select unnest(${integers(ids)}))`;
}

type ComparedHost = Pick<HostWithVars, "id" | "name"> & { changes: HostDifference[] };

/** Caches comparisons by groups: many hosts are in the same groups. */
function compare(was: MergedState, now: MergedState): ComparedHost[] {
  const earlier = new Map(was.hosts.map((host) => [host.id, host.groups]));
  const known = new Map<string, HostDifference[]>();
  return now.hosts.map(({ id, name, vars, groups: direct }) => {
    const before = earlier.get(id) ?? [];
    const key = JSON.stringify([before.toSorted(), direct.toSorted()]);
    const changes =
      known.get(key) ?? differences(inheritedVars(was, before), inheritedVars(now, direct));
    known.set(key, changes);
    return { id, name, changes: changes.filter(({ variable }) => !Object.hasOwn(vars, variable)) };
  });
}

function inheritedVars(from: MergedState, direct: string[]): Map<string, unknown> {
  return merged(withAncestors(from.groups, direct));
}

function differences(was: Map<string, unknown>, now: Map<string, unknown>): HostDifference[] {
  return [...new Set([...was.keys(), ...now.keys()])]
    .toSorted()
    .map((variable) => ({
      variable,
      old: was.get(variable) ?? null,
      now: now.get(variable) ?? null,
    }))
    .filter(({ old, now: value }) => !Bun.deepEquals(old, value));
}
