// From the groups of a provider to ours.
import { GROUPS, type Group } from "../../auth/auth.ts";
import type { Mapping } from "./provider.ts";

type Rule = Pick<Mapping, "outer_group" | "is_pattern" | "inner_group">;

/** One of our groups, and why somebody gets it. */
export interface MappedGroup {
  group: Group;
  /** The group of the provider. */
  because_of: string;
  rule: Rule;
}

/** Each of our groups that the groups of a provider lead to, by each rule that leads to it. */
export function mappedGroups(
  outerGroups: readonly string[],
  rules: readonly Rule[],
): MappedGroup[] {
  return rules.flatMap((rule) =>
    outerGroups
      .filter((outer) => fits(outer, rule))
      .map((because_of) => ({ group: rule.inner_group, because_of, rule })),
  );
}

/** Without reasons, each once, in the order of GROUPS. */
export function groupsOf(mapped: readonly MappedGroup[]): Group[] {
  return GROUPS.filter((group) => mapped.some((one) => one.group === group));
}

function fits(outer: string, { outer_group, is_pattern }: Rule): boolean {
  return is_pattern ? fitsPattern(outer, outer_group) : outer === outer_group;
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
