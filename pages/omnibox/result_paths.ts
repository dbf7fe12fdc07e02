// The pages of the results of the one box, and links to pages that match the text.

import { type Allowed, type Caller, may } from "../../src/auth/auth.ts";
import { INVENTORY_EDITORS } from "../../src/auth/rights.ts";
import { EDITORS } from "../../src/network/hosts/view.ts";
import type { Hit, HitKind } from "../../src/omnibox/parts.ts";
import { resources, standardResources } from "../../src/resources.ts";
import { READERS } from "../../src/user/audit_log.ts";
import { recordPath } from "../records/links.tsx";
import { inTitle } from "../texts.ts";

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

/** Interfaces, addresses and cnames are shown by their hosts. */
const OF_HOSTS: readonly HitKind[] = ["interface", "address", "mac", "cname"];

export function resultPath({ kind, name }: Pick<Hit, "kind" | "name">): string {
  const noun = OF_HOSTS.includes(kind) ? "host" : kind;
  const found = resources.find((one) => one.noun === noun);
  return (found && recordPath(found.name, name)) ?? "/";
}

interface ResultSection {
  title: string;
  hits: Hit[];
}

/** By kind, the closest match first; kinds with an exact match come first. */
export function sectionsOf(hits: Hit[]): ResultSection[] {
  const sections = Object.entries(HEADINGS).flatMap(([kind, title]) => {
    const those = hits.filter((hit) => hit.kind === kind);
    return those.length > 0 ? [{ title, hits: those }] : [];
  });
  const isExact = ({ hits: [first] }: ResultSection) => Number(first?.is_exact ?? false);
  return sections.toSorted((one, other) => isExact(other) - isExact(one));
}

export interface ResultLink {
  label: string;
  href: string;
}

interface PageLink extends ResultLink {
  allowed?: Allowed;
  /** Synonyms. */
  also?: string;
}

const ADMINS = ["admin"] as const;
const CREATE_WORDS = "add a new create make register";

const STANDARD_PAGES: PageLink[] = standardResources.flatMap(({ noun, plural, path, editors }) => [
  { label: `Add ${noun}`, href: `${path}/create`, allowed: [...editors], also: CREATE_WORDS },
  { label: inTitle(plural), href: path },
]);

const PAGES: PageLink[] = [
  {
    label: "Add host",
    href: "/network/hosts/create",
    allowed: EDITORS,
    also: CREATE_WORDS,
  },
  {
    label: "Add item",
    href: "/inventory/items/create",
    allowed: INVENTORY_EDITORS,
    also: `${CREATE_WORDS} an`,
  },
  {
    label: "Import items",
    href: "/inventory/items/import",
    allowed: INVENTORY_EDITORS,
  },
  { label: "Import hosts", href: "/network/hosts/import", allowed: EDITORS, also: "interfaces" },
  {
    label: "Add group",
    href: "/network/groups/create",
    allowed: ["network", "admin"],
    also: CREATE_WORDS,
  },
  {
    label: "Add network",
    href: "/network/networks/create",
    allowed: ["admin"],
    also: CREATE_WORDS,
  },
  { label: "Add scope", href: "/network/scopes/create", allowed: ["admin"], also: CREATE_WORDS },
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
  { label: "Scan desk", href: "/inventory/scanner", allowed: INVENTORY_EDITORS },
  { label: "Tags", href: "/tags", also: "keywords" },
  { label: "Profile and tokens", href: "/user/profile" },
  { label: "API reference", href: "/api/docs" },
  ...STANDARD_PAGES,
  { label: "Inventory", href: "/inventory" },
  { label: "Network", href: "/network" },
  { label: "Users", href: "/admin/users", allowed: ADMINS, also: "accounts people groups" },
  {
    label: "Add user",
    href: "/admin/users/create",
    allowed: ADMINS,
    also: `${CREATE_WORDS} account`,
  },
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
const MOST_PAGES = 4;
const SHORTEST = 3;

/** Pages whose words start with the words of the text. */
export function linksTo(caller: Caller, text: string): ResultLink[] {
  const typed = text.toLowerCase().split(/\s+/);
  if (text.length < SHORTEST) return [];
  return PAGES.filter(({ label, also = "", allowed = "everyone" }) => {
    const words = `${label} ${also}`.toLowerCase().split(" ");
    return may(caller, allowed) && typed.every((one) => words.some((word) => word.startsWith(one)));
  }).slice(0, MOST_PAGES);
}
