// The pages of the results of the one box.

import { changePath } from "../../src/history/words.ts";
import { singular } from "../../src/input/text.ts";
import type { AddressLookup } from "../../src/omnibox/address_lookup.ts";
import type { Target } from "../../src/omnibox/answers.ts";
import type { Hit, HitKind } from "../../src/omnibox/parts.ts";
import { resourceOf, resources, standardResources } from "../../src/resources.ts";
import { networkPath } from "../network/paths.ts";
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

export function targetPath(to: Target): string {
  if ("record" in to) return resultPath({ kind: to.record, name: to.name });
  if ("change" in to) return changePath(to.change);
  if ("changes" in to) return `/changes?${new URLSearchParams(to.changes)}`;
  if ("list" in to) return `${resourceOf(to.list)?.path}?${new URLSearchParams({ q: to.query })}`;
  return hostFormAt(to.free) ?? networkPath(to.free.network ?? "");
}

/** The form that adds a host at a free address, for those who may. */
export function hostFormAt({ mayTake, network, ip }: AddressLookup): string | undefined {
  if (!mayTake || network === null) return undefined;
  return `/network/hosts/create?${new URLSearchParams({ network, ip })}`;
}

export interface ResultSection {
  title: string;
  hits: Hit[];
}

/** By kind, the closest match first: kinds with an exact match or that are named, then those with the text in a name. */
export function sectionsOf(hits: Hit[], text: string, named?: string): ResultSection[] {
  const sections = Object.entries(HEADINGS).flatMap(([kind, title]) => {
    const those = hits.filter((hit) => hit.kind === kind);
    return those.length > 0 ? [{ title, hits: those }] : [];
  });
  const words = singular(text.toLowerCase());
  const isNamed = ({ label }: Hit) => label.toLowerCase().includes(words);
  const rank = ({ hits: all }: ResultSection) =>
    all[0]?.is_exact || all[0]?.kind === named ? 2 : Number(all.some(isNamed));
  return sections.toSorted((one, other) => rank(other) - rank(one));
}

export interface ResultLink {
  label: string;
  href: string;
}
