// Where what the one box found is to be seen, and what can be done with it.
import { type Allowed, type Caller, may } from "../../src/auth/auth.ts";
import { EDITORS } from "../../src/network/hosts/view.ts";
import type { Hit, HitKind } from "../../src/omnibox/parts.ts";
import { standardResources } from "../../src/resources.ts";
import { READERS } from "../../src/user/audit_log.ts";
import { inTitle } from "../resource/row.ts";

/** In the order in which they are shown; kinds of attributes follow. */
const HEADINGS: Record<HitKind, string> = {
  host: "Hosts",
  address: "Addresses",
  mac: "MAC addresses",
  interface: "Interfaces",
  cname: "Cnames",
  item: "Items",
  network: "Networks",
  scope: "Scopes",
  domain: "Domains",
  group: "Groups",
  location: "Locations",
  model: "Models",
  manufacturer: "Manufacturers",
  status: "Statuses",
  action: "Actions",
  ...Object.fromEntries(standardResources.map(({ noun, plural }) => [noun, inTitle(plural)])),
};

const VIEWS: Partial<Record<HitKind, string>> = {
  item: "/inventory/items/view/",
  network: "/network/networks/view/",
  scope: "/network/scopes/view/",
  group: "/network/groups/view/",
  domain: "/network/domains?name=",
};

/** Interfaces, addresses and cnames are shown by their hosts. */
const OF_HOSTS: readonly HitKind[] = ["host", "interface", "address", "mac", "cname"];

export function pathOf({ kind, name }: Pick<Hit, "kind" | "name">): string {
  if (OF_HOSTS.includes(kind)) return `/network/hosts/view/${encodeURIComponent(name)}`;
  const standard = standardResources.find(({ noun }) => noun === kind);
  if (standard) return `${standard.path}/view/${encodeURIComponent(name)}`;
  const view = VIEWS[kind];
  return view ? view + encodeURIComponent(name) : `/inventory/attributes/${kind}?selected=${name}`;
}

export interface Section {
  title: string;
  hits: Hit[];
}

/** By kind, the closest match first; kinds with an exact match come first. */
export function sectionsOf(hits: Hit[]): Section[] {
  const sections = Object.entries(HEADINGS).flatMap(([kind, title]) => {
    const those = hits.filter((hit) => hit.kind === kind);
    return those.length > 0 ? [{ title, hits: those }] : [];
  });
  const isExact = ({ hits: [first] }: Section) => Number(first?.is_exact ?? false);
  return sections.toSorted((one, other) => isExact(other) - isExact(one));
}

export interface ResultLink {
  label: string;
  href: string;
}

interface Page extends ResultLink {
  allowed?: Allowed;
  /** Other words for it. */
  also?: string;
}

const ADMINS = ["admin"] as const;
const MAKING = "add new create make register";

const STANDARD: Page[] = standardResources.flatMap(({ noun, plural, path, editors }) => [
  { label: `Add a ${noun}`, href: `${path}/create`, allowed: [...editors], also: MAKING },
  { label: inTitle(plural), href: path },
]);

const WAYS: Page[] = [
  {
    label: "Register a host",
    href: "/network/hosts/create",
    allowed: EDITORS,
    also: MAKING,
  },
  {
    label: "Add an item",
    href: "/inventory/items/create",
    allowed: ["inventory", "admin"],
    also: MAKING,
  },
  {
    label: "Import items from Excel",
    href: "/inventory/items/import",
    allowed: ["inventory", "admin"],
  },
  { label: "Make a group", href: "/network/groups/create", allowed: EDITORS, also: MAKING },
  {
    label: "Make a network",
    href: "/network/networks/create",
    allowed: ["admin"],
    also: MAKING,
  },
  { label: "Make a scope", href: "/network/scopes/create", allowed: ["admin"], also: MAKING },
  { label: "Items", href: "/inventory/items" },
  { label: "Hosts", href: "/network/hosts" },
  { label: "Interfaces", href: "/network/interfaces" },
  { label: "Networks", href: "/network/networks" },
  { label: "Scopes", href: "/network/scopes" },
  { label: "Domains", href: "/network/domains" },
  { label: "Groups", href: "/network/groups" },
  { label: "Locations", href: "/inventory/attributes/location" },
  { label: "Models", href: "/inventory/attributes/model" },
  { label: "Manufacturers", href: "/inventory/attributes/manufacturer" },
  { label: "Statuses", href: "/inventory/attributes/status" },
  { label: "Favourites", href: "/inventory/attributes/favorites" },
  { label: "Scan desk", href: "/inventory/scanner", allowed: ["inventory", "admin"] },
  { label: "Profile and tokens", href: "/user/profile" },
  { label: "API reference", href: "/api/docs" },
  ...STANDARD,
  { label: "Inventory", href: "/inventory" },
  { label: "Network", href: "/network" },
  { label: "Users", href: "/admin/users", allowed: ADMINS, also: "accounts people groups" },
  { label: "Add a user", href: "/admin/users/create", allowed: ADMINS, also: `${MAKING} account` },
  { label: "Tokens of all users", href: "/admin/tokens", allowed: ADMINS },
  { label: "Jobs", href: "/admin/jobs", allowed: ADMINS },
  { label: "Audit log", href: "/admin/audit", allowed: READERS, also: "logins refusals events" },
  {
    label: "System",
    href: "/admin/system",
    allowed: ADMINS,
    also: "settings version database backup doctor health feeds",
  },
  { label: "Administration", href: "/admin", allowed: ADMINS },
];
const MOST_WAYS = 4;
const SHORTEST = 3;

/** Pages of ours that a text names, by the beginnings of their words. */
export function linksTo(caller: Caller, text: string): ResultLink[] {
  const wanted = text.toLowerCase().split(/\s+/);
  if (text.length < SHORTEST) return [];
  return WAYS.filter(({ label, also = "", allowed = "everyone" }) => {
    const words = `${label} ${also}`.toLowerCase().split(" ");
    return (
      may(caller, allowed) && wanted.every((one) => words.some((word) => word.startsWith(one)))
    );
  }).slice(0, MOST_WAYS);
}
