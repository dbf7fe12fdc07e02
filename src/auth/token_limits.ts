// What a personal token may not, although its user may: other kinds of records and verbs than those that it names, writes
// outside of its scopes, and use from other addresses than those of its networks. Groups of the user are checked as well: a limit never adds a right.
import { type Block, contains, readBlock } from "../input/addresses.ts";
import { forbidden } from "../input/errors.ts";
import { clientAddress } from "./client_network.ts";
import type { Right } from "./rights.ts";

/** Records of `user` are users, service accounts and tokens. */
export const REACH_KINDS = ["network", "inventory", "user", "audit"] as const;
export type ReachKind = (typeof REACH_KINDS)[number];

/** With what each of them lets a token do. `write` includes `read`. */
export const TOKEN_LIMITS = {
  "network:read": "read hosts, interfaces, networks and what belongs to them",
  "network:write": "also change them",
  "inventory:read": "read items, attributes, comments and MAC addresses",
  "inventory:write": "also change them",
  "user:read": "read users and tokens",
  "user:write": "manage them, too",
  "audit:read": "read the audit log",
} as const;
export type Limit = keyof typeof TOKEN_LIMITS;
export const LIMIT_NAMES = Object.keys(TOKEN_LIMITS) as Limit[];

/** Empty lists limit nothing. */
export interface TokenRestrictions {
  limits: readonly Limit[];
  networks: readonly Block[];
  /** The ids of scopes: it writes only in these. */
  scopes: readonly number[];
}

interface Restricted {
  token?: TokenRestrictions | undefined;
  visit?: { address: string };
}

/** What a route reads and writes. */
export interface Reach {
  /** Requests that write need the right to write all of these, others the right to read them. */
  kinds: readonly ReachKind[];
  /** Records of another kind that are part of these. */
  crosses?: Crossing | undefined;
}

export interface Crossing {
  into: ReachKind;
  /** Parameters and fields of bodies that read those records. */
  reading: readonly string[];
  /** Fields of bodies that write them. */
  writing?: readonly string[];
}

/** The area of a resource, by its path. */
export function reachOf(resource: { path: string; crosses?: Crossing }): Reach {
  const [, area] = resource.path.split("/");
  const kind = area === "admin" ? "user" : REACH_KINDS.find((one) => one === area);
  // A resource elsewhere is no exception: it needs everything.
  return { kinds: kind ? [kind] : REACH_KINDS, crosses: resource.crosses };
}

export function isLimited({ token }: Restricted): boolean {
  return token !== undefined;
}

interface StoredRestrictions {
  limits: readonly Limit[];
  networks: readonly string[];
  /** The driver returns arrays of integers as typed arrays. */
  scope_ids: Iterable<number>;
}

export function restrictionsOf({
  limits,
  networks,
  scope_ids,
}: StoredRestrictions): TokenRestrictions | undefined {
  const scopes = [...scope_ids];
  if (limits.length + networks.length + scopes.length === 0) return undefined;
  return { limits, networks: networks.flatMap((text) => readBlock(text) ?? []), scopes };
}

interface TokenHolder<Group> {
  groups: Group[];
  rights: Right[] | null;
}

/** The rights of the user within these scopes. It reads what the user reads. */
export function withinScopes<Group extends string>(
  { groups, rights }: TokenHolder<Group>,
  scopes: readonly number[],
): TokenHolder<Group | "auditor"> {
  const holds = (...names: string[]) => groups.some((group) => names.includes(group));
  const own = (rights ?? []).filter(({ kind }) => kind !== "inventory");
  const everywhere = scopes.map((place) => ({ kind: "network" as const, place }));
  return {
    groups: holds("admin", "auditor") ? ["auditor"] : [],
    rights: [
      ...own.filter(({ kind, place }) => kind === "sensitive" || scopes.includes(place)),
      ...(holds("admin", "network") ? everywhere : []),
    ],
  };
}

/** Refuses a request from an address outside of the networks of the token. */
export function requireAddress({ token, visit }: Restricted): void {
  if (isUsableFrom(visit?.address ?? "", token)) return;
  throw forbidden("This token may not be used from this address");
}

export function isUsableFrom(client: string, token: TokenRestrictions | undefined): boolean {
  if (!token || token.networks.length === 0) return true;
  const address = clientAddress(client);
  return address !== undefined && token.networks.some((network) => contains(network, address));
}

/** Refuses what the token lacks. The parameters of the URL may reach further records. */
export function requireReach(
  { token }: Restricted,
  { kinds, crosses }: Reach,
  { writes, url }: { writes: boolean; url: string },
): void {
  if (!token) return;
  if (writes && token.scopes.length > 0 && kinds.some((kind) => kind !== "network")) {
    throw forbidden("This token changes only records of the network, in its scopes");
  }
  if (token.limits.length === 0) return;
  for (const kind of kinds) requireLimit(token, kind, writes);
  if (!crosses) return;
  const { searchParams } = new URL(url);
  if (crosses.reading.some((name) => searchParams.getAll(name).some(selects))) {
    requireLimit(token, crosses.into, false);
  }
}

/** The same for the fields of a body. */
export function requireReachOfBody({ token }: Restricted, { crosses }: Reach, body: unknown): void {
  if (!token || token.limits.length === 0 || !crosses) return;
  if (typeof body !== "object" || body === null) return;
  const names = Object.keys(body);
  if (crosses.writing?.some((name) => names.includes(name)))
    requireLimit(token, crosses.into, true);
  if (crosses.reading.some((name) => names.includes(name)))
    requireLimit(token, crosses.into, false);
}

function selects(value: string): boolean {
  return value !== "" && value.toLowerCase() !== "false";
}

function requireLimit({ limits }: TokenRestrictions, kind: ReachKind, writes: boolean): void {
  const [read, write] = [`${kind}:read`, `${kind}:write`] as Limit[];
  const has = limits.some((limit) => limit === write || (!writes && limit === read));
  if (!has) throw forbidden(`This token lacks ${writes ? write : read}`);
}
