// From the groups of a provider to ours.
import { GROUPS, type UserGroup } from "../../auth/auth.ts";
import type { Mapping, ProviderKind, RightMapping } from "./provider.ts";

type Rule = Pick<Mapping, "outer_group" | "is_pattern">;
type GroupRule = Rule & Pick<Mapping, "inner_group">;

/** One of our groups, and why somebody gets it. */
export interface MappedGroup {
  group: UserGroup;
  /** The group of the provider. */
  because_of: string;
  rule: Rule;
}

/** A right in one place, and why somebody gets it. */
export interface MappedRight {
  right: RightMapping["right"];
  because_of: string;
  rule: Rule;
}

interface ProviderMappings {
  kind: ProviderKind;
  mappings: readonly GroupRule[];
}

/** Each of our groups that the groups of a provider lead to, by each rule that leads to it. */
export function mappedGroups(
  { kind, mappings }: ProviderMappings,
  outerGroups: readonly string[],
): MappedGroup[] {
  return mappings.flatMap((rule) =>
    fitting(kind, outerGroups, rule).map((because_of) => ({
      group: rule.inner_group,
      because_of,
      rule,
    })),
  );
}

/** The same for rights in one place. */
export function mappedRights(
  { kind, rights }: { kind: ProviderKind; rights: readonly RightMapping[] },
  outerGroups: readonly string[],
): MappedRight[] {
  return rights.flatMap((rule) =>
    fitting(kind, outerGroups, rule).map((because_of) => ({ right: rule.right, because_of, rule })),
  );
}

function fitting(kind: ProviderKind, outerGroups: readonly string[], rule: Rule): string[] {
  return outerGroups.filter((outer) => fits(nameFor(kind, outer, rule), rule, kind));
}

/** Without reasons, each once, in the order of GROUPS. */
export function groupsOf(mapped: readonly MappedGroup[]): UserGroup[] {
  return GROUPS.filter((group) => mapped.some((one) => one.group === group));
}

/** A rule without = means the name of a group in a directory, otherwise its whole DN. */
function nameFor(kind: ProviderKind, outer: string, { outer_group }: Rule): string {
  if (kind === "oidc" || outer_group.includes("=")) return outer;
  const [, name = outer] = /^[^=]+=((?:\\.|[^\\,+])*)/.exec(outer) ?? [];
  return name.replace(/\\([^0-9a-f])/gi, "$1");
}

function fits(outer: string, { outer_group, is_pattern }: Rule, kind: ProviderKind): boolean {
  const [text, wanted] =
    kind === "ldap" ? [folded(outer), folded(outer_group)] : [outer, outer_group];
  return is_pattern ? fitsPattern(text, wanted) : text === wanted;
}

/** Directories compare names and DNs without case, and ignore blanks between the parts of a DN. */
function folded(name: string): string {
  return name
    .toLowerCase()
    .replace(/\s*([,=+])\s*/g, "$1")
    .replace(/\s+/g, " ");
}

/** Not by a regular expression, which could take very long for some patterns. */
function fitsPattern(text: string, pattern: string): boolean {
  const [start = "", ...others] = pattern.split("*");
  const end = others.pop();
  if (end === undefined) return text === start;
  if (text.length < start.length + end.length) return false;
  if (!text.startsWith(start) || !text.endsWith(end)) return false;
  let at = start.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - end.length;
}
