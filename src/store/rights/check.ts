// Who may write where, for callers with rights by scope; the only place that decides it. At the end of a write, before it is
// committed, the rows that it has changed are compared with the rights of the caller: where each row was before, and where
// it is now. So no route can forget it, and nothing can move in between, because the rows are locked.
import { sql } from "drizzle-orm";
import type { Transaction } from "../../../db/client.ts";
import * as database from "../../../db/client.ts";
import { STAMP_COLUMNS } from "../../../db/tables/columns.ts";
import { type Caller, GROUPS, may, type Permission, type UserGroup } from "../../auth/auth.ts";
import { placesOf, type RightKind } from "../../auth/rights.ts";
import { forbidden } from "../../input/errors.ts";
import { ownerOf } from "../file_owners.ts";
import type { Read } from "../read.ts";
import { registered } from "../registry.ts";
import {
  type Change,
  factsOf,
  type RecordFacts,
  type RecordState,
  referredKey,
  statesOf,
} from "./facts.ts";
import { changesIn, statesIn } from "./locked.ts";

export type { Change } from "./facts.ts";

/** A right that the caller does not have, in a place or, with null, everywhere. */
interface MissingRight {
  kind: RightKind | Permission;
  place: number | null;
  /** Why the right is needed everywhere. */
  because?: string;
  change: Change;
}

/** Whether what the caller may write depends on where it is. */
export function isLimitedToPlaces(caller: Caller): boolean {
  return placesOf(caller, "network").length > 0 || placesOf(caller, "inventory").length > 0;
}

/** Refuses what this transaction has written outside of the places of the caller. */
export async function requireRights(tx: Transaction, caller: Caller): Promise<void> {
  await requireRightsFor(tx.execute, caller, await changesIn(tx));
}

/** The same before a write, for undo. */
export async function requireRightsFor(
  read: Read,
  caller: Caller,
  changes: Change[],
): Promise<void> {
  const [missing] = await missingRights(read, caller, [changes]);
  if (missing) throw await refusalOf(read, missing, changes);
}

/** Whether the caller may change the record with this id, as it is; for what pages offer. */
export async function mayWrite(caller: Caller, table: string, id: number): Promise<boolean> {
  const [missing] = await missingOn(caller, table, id);
  return missing === undefined;
}

/** Refuses to show a form for a record that the caller may not change. */
export async function requireWritable(caller: Caller, table: string, id: number): Promise<void> {
  const [missing] = await missingOn(caller, table, id);
  if (missing) throw await refusalOf(database.rows, missing, [missing.change]);
}

/** The rows of a list; those that the caller may not change because of where they are, are marked. */
export async function markWritable<Row extends { id: number }>(
  caller: Caller,
  table: string,
  rows: Row[],
): Promise<Array<Row & { mayWrite?: boolean }>> {
  if (!isLimitedToPlaces(caller)) return rows;
  const states = await statesIn(database.rows, table, rows);
  const groups = states.map((one) => [one]);
  const missing = await missingRights(database.rows, caller, groups);
  const writable = new Set(states.filter((_, at) => !missing[at]).map(({ id }) => id));
  return rows.map((row) => ({ ...row, mayWrite: writable.has(row.id) }));
}

async function missingOn(caller: Caller, table: string, id: number) {
  if (!isLimitedToPlaces(caller)) return [];
  return missingRights(database.rows, caller, [await statesIn(database.rows, table, [{ id }])]);
}

/** Of each group of changes a right that is missing; undefined if none is. */
export async function missingRights(
  read: Read,
  caller: Caller,
  groups: Change[][],
): Promise<Array<MissingRight | undefined>> {
  if (!isLimitedToPlaces(caller)) return groups.map(() => undefined);
  const facts = await factsOf(read, caller, groups.flat());
  return groups.map((changes) => {
    const check = new WriteCheck(caller, facts, changes);
    for (const change of changes) {
      const missing = check.missingFor(change);
      if (missing) return { ...missing, change };
    }
    return undefined;
  });
}

type Missing = Omit<MissingRight, "change">;

/** Tables whose rows belong to those of another one. */
const OWNERS: Partial<Record<string, string>> = { group_children: "groups" };
/** Their routes let everybody change what is their own. */
const OWN_ROWS = ["users", "tokens"];
const HOST_COLUMNS = ["host_id", "stack_member"];

/** Finds the right that is missing for a row of a write. */
class WriteCheck {
  /** Undefined for callers with the group, who may write everywhere. */
  private readonly scopes: ReadonlySet<number> | undefined;
  private readonly hasInventory: boolean;
  private readonly inserted: ReadonlySet<string>;
  private readonly changedInterfaces: readonly Change[];
  private readonly interfacesByHost: ReadonlyMap<number | null, RecordState[]>;
  private readonly itemStates: ReadonlyMap<number, RecordState[]>;

  constructor(
    private readonly caller: Caller,
    private readonly facts: RecordFacts,
    changes: Change[],
  ) {
    this.hasInventory = may(caller, ["inventory", "admin"]);
    const hasNetwork = may(caller, ["network", "admin"]);
    this.scopes = hasNetwork ? undefined : new Set(placesOf(caller, "network"));
    const isNew = changes.filter(({ before }) => before === null);
    this.inserted = new Set(isNew.map(({ table, id }) => `${table} ${id}`));
    this.changedInterfaces = changes.filter(({ table }) => table === "interfaces");
    this.interfacesByHost = Map.groupBy(this.changedInterfaces.flatMap(statesOf), (state) =>
      referredKey(state, "host_id"),
    );
    const items = changes.filter(({ table }) => table === "items");
    this.itemStates = new Map(items.map((change) => [change.id, statesOf(change)]));
  }

  missingFor(change: Change): Missing | undefined {
    return this.ofPlace(change) ?? this.ofName(change);
  }

  /** Where a name has its effect counts, too, and not only where its host is. */
  private ofName({ table, id }: Change): Missing | undefined {
    const foreign = this.facts.foreignNames.get(`${table} ${id}`);
    if (!foreign) return undefined;
    const { name, domain } = foreign;
    const because =
      domain === null
        ? `${name} is in no registered domain`
        : `${domain} is in no network of your scopes`;
    return { kind: "network", place: null, because };
  }

  private ofPlace(change: Change): Missing | undefined {
    const keys = (column: string) => statesOf(change).map((state) => referredKey(state, column));
    switch (change.table) {
      case "hosts":
        return this.ofHost(change.id);
      case "interfaces":
      case "group_hosts":
        return this.ofHosts(keys("host_id"));
      case "cnames":
        return this.ofHosts(keys("interface_id").map((one) => this.hostOfInterface(one)));
      case "items":
        return this.ofItem(change);
      case "comments":
        return this.ofItems(keys("item_id"));
      case "macs":
        return this.ofItems(keys("item_id").filter((item) => item !== null));
      case "locations":
        return this.ofLocationRow(change);
      case "files":
        return this.ofFile(change);
      default:
        return this.ofTable(change);
    }
  }

  private ofHosts(hosts: Array<number | null>): Missing | undefined {
    return first(hosts, (host) => (host === null ? undefined : this.ofHost(host)));
  }

  /** The host has to be in scopes of the caller alone, as it was and as it is. */
  private ofHost(host: number): Missing | undefined {
    const { scopes, facts } = this;
    if (!scopes) return undefined;
    const now = facts.interfacesOf.get(host) ?? [];
    const changed = this.interfacesByHost.get(host) ?? [];
    const reached = [
      ...now.map(({ scope_id }) => scope_id),
      ...changed.map(
        (state) => facts.scopeOfNetwork.get(referredKey(state, "network_id") ?? 0) ?? null,
      ),
    ];
    const outside = reached.find((scope) => scope === null || !scopes.has(scope));
    if (outside !== undefined) return { kind: "network", place: outside };
    const isNew = this.inserted.has(`hosts ${host}`);
    const hadScope = isNew || this.hadInterface(host, now);
    const hasScope = now.length > 0 || !facts.hosts.has(host);
    if (hadScope && hasScope) return undefined;
    return { kind: "network", place: null, because: "a host without interfaces is in no scope" };
  }

  private hadInterface(host: number, now: ReadonlyArray<{ id: number }>): boolean {
    if (now.some(({ id }) => !this.inserted.has(`interfaces ${id}`))) return true;
    return this.changedInterfaces.some(({ before }) => referredKey(before, "host_id") === host);
  }

  /** Also of an interface that the same write deletes. */
  private hostOfInterface(id: number | null): number | null {
    const deleted = this.changedInterfaces.find((one) => one.id === id);
    return (
      this.facts.hostOfInterface.get(id ?? 0) ?? referredKey(deleted?.before ?? null, "host_id")
    );
  }

  /** A mount belongs to the item and to the host: one of the two rights is enough for it, as of the two groups. */
  private ofItem(change: Change): Missing | undefined {
    const states = statesOf(change);
    const missing = first(states, (state) =>
      this.ofItemAt(referredKey(state, "location_id"), state),
    );
    const { before, after } = change;
    const isMount = isChanged(change) && !isChanged(change, HOST_COLUMNS);
    if (!missing || !before || !after || !isMount) return missing;
    const hosts = states
      .map((state) => referredKey(state, "host_id"))
      .filter((host) => host !== null);
    const isOfOwnHosts = this.mayNetwork() && this.ofHosts(hosts) === undefined;
    return isOfOwnHosts ? undefined : missing;
  }

  private mayNetwork(): boolean {
    return this.scopes === undefined || this.scopes.size > 0;
  }

  private ofItemAt(location: number | null, state: RecordState): Missing | undefined {
    return this.ofLocation(location, `${state.ics_id ?? "the item"} has no location`);
  }

  private ofItems(items: Array<number | null>): Missing | undefined {
    if (items.length === 0) {
      return this.ofLocation(null, "the MAC address is on no item");
    }
    return first(items, (item) => {
      const known = this.facts.locationOfItem.get(item ?? 0);
      const changed = (this.itemStates.get(item ?? 0) ?? []).map((state) =>
        referredKey(state, "location_id"),
      );
      const all = known === undefined ? changed : [known, ...changed];
      return first(all.length > 0 ? all : [null], (location) =>
        this.ofLocation(location, "the item has no location"),
      );
    });
  }

  private ofLocation(location: number | null, because: string): Missing | undefined {
    if (this.hasInventory) return undefined;
    if (location === null) return { kind: "inventory", place: null, because };
    return this.facts.reached.has(location) ? undefined : { kind: "inventory", place: location };
  }

  /** The location itself or, if it is new or moves, those that contain it. */
  private ofLocationRow({ id, before, after }: Change): Missing | undefined {
    const around = [before, after].flatMap((state) =>
      state ? [referredKey(state, "parent_id")] : [],
    );
    const moves = around.length < 2 || around[0] !== around[1];
    return first(moves ? around : [id], (location) =>
      this.ofLocation(location, "the location is not inside of another one"),
    );
  }

  /** A file is where its record is. */
  private ofFile({ before, after }: Change): Missing | undefined {
    const [owner] = [after, before].flatMap((state) => (state && ownerOf(state)) ?? []);
    switch (owner?.table) {
      case "items":
        return this.ofItems([owner.id]);
      case "hosts":
        return this.ofHost(owner.id);
      case "locations":
        return this.ofLocation(owner.id, "");
      default:
        return this.ofTable({ table: owner?.table ?? "files" });
    }
  }

  /** Everything else is in no place: it needs a group. */
  private ofTable({ table }: Pick<Change, "table">): Missing | undefined {
    if (OWN_ROWS.includes(table)) return undefined;
    const editors = (registered(OWNERS[table] ?? table)?.editors ?? []).filter(isGroup);
    return may(this.caller, editors) ? undefined : { kind: editors[0] ?? "admin", place: null };
  }
}

function isGroup(one: Permission): one is UserGroup {
  return GROUPS.some((group) => group === one);
}

/** Whether columns differ besides those that triggers write. */
function isChanged({ before, after }: Change, without: readonly string[] = []): boolean {
  if (!before || !after) return true;
  const columns = Object.keys({ ...before, ...after });
  return columns.some(
    (column) =>
      !STAMP_COLUMNS.includes(column) &&
      !without.includes(column) &&
      !Bun.deepEquals(before[column], after[column]),
  );
}

function first<One, Found>(
  all: readonly One[],
  find: (one: One) => Found | undefined,
): Found | undefined {
  for (const one of all) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The sentence of a refusal: it names the right and, of several records, the one that needs it. */
async function refusalOf(
  read: Read,
  { kind, place, because, change }: MissingRight,
  changes: readonly Change[],
): Promise<Error> {
  const isOne = new Set(changes.map(({ table, id }) => `${table} ${id}`)).size === 1;
  const { name, ics_id } = change.after ?? change.before ?? {};
  const called = ics_id ?? name;
  const record = isOne || called === undefined ? "" : ` for ${called}`;
  if (place === null) {
    return forbidden(
      `This needs the group ${kind}${record}${because ? `, because ${because}` : ""}`,
    );
  }
  const table = kind === "network" ? "scopes" : "locations";
  const [found] = await read<{ name: string }>(
    sql`select name from ${sql.identifier(table)} where id = ${place}`,
  );
  const noun = kind === "network" ? "scope" : "location";
  return forbidden(`This needs the right ${kind} on ${noun} ${found?.name ?? ""}${record}`);
}
