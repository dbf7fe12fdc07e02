// The variables of a host as Ansible merges them: groups by their depth, parents before children, then by
// ansible_group_priority, then by name; last the host itself. What comes later replaces whole values.

export type Vars = Record<string, unknown>;

export interface VariableGroup {
  name: string;
  vars: Vars;
  /** By name. */
  parents: string[];
}

interface VariableHost {
  name: string;
  vars: Vars;
}

/** A group or the host itself: the other one is null. */
interface VariableSource {
  group: string | null;
  host: string | null;
}

interface EffectiveVariable extends VariableSource {
  variable: string;
  value: unknown;
  /** The replaced values, the first one first. */
  overrode: Array<VariableSource & { value: unknown }>;
}

/** Orders groups of the same depth. Ansible does not pass this variable on to hosts. */
export const PRIORITY = "ansible_group_priority";
/** The group of all hosts, the ancestor of all other groups. */
export const ALL = "all";

/** Each variable of a host, in the order of their names. The groups are those that it is in, and all above those. */
export function effective(host: VariableHost, groups: VariableGroup[]): EffectiveVariable[] {
  const layers = [
    ...inOrder(groups).map(({ name, vars }) => ({
      group: name,
      host: null,
      vars: inheritableVars(vars),
    })),
    { group: null, host: host.name, vars: host.vars },
  ];
  const found = new Map<string, EffectiveVariable>();
  for (const { vars, ...source } of layers) {
    for (const [variable, value] of Object.entries(vars)) {
      const overrode = replaced(found.get(variable));
      found.set(variable, { variable, value, ...source, overrode });
    }
  }
  return [...found.values()].toSorted((one, other) => compare(one.variable, other.variable));
}

/** The variables that groups pass on, without those of a host. */
export function merged(groups: VariableGroup[]): Map<string, unknown> {
  return new Map(inOrder(groups).flatMap(({ vars }) => Object.entries(inheritableVars(vars))));
}

/** In merge order. */
export function inOrder(groups: VariableGroup[]): VariableGroup[] {
  const depths = depthsOf(groups);
  return groups.toSorted(
    (one, other) =>
      (depths.get(one.name) ?? 0) - (depths.get(other.name) ?? 0) ||
      priorityOf(one) - priorityOf(other) ||
      compare(one.name, other.name),
  );
}

/** The groups of a host: the direct ones, `all`, and all their ancestors. */
export function withAncestors(
  groups: Map<string, VariableGroup>,
  direct: string[],
): VariableGroup[] {
  const reached = new Set([ALL, ...direct]);
  for (const name of reached) {
    for (const parent of groups.get(name)?.parents ?? []) reached.add(parent);
  }
  return [...reached].flatMap((name) => groups.get(name) ?? []);
}

function replaced(earlier: EffectiveVariable | undefined): EffectiveVariable["overrode"] {
  if (!earlier) return [];
  const { group, host, value, overrode } = earlier;
  return [...overrode, { group, host, value }];
}

function inheritableVars({ [PRIORITY]: _, ...vars }: Vars): Vars {
  return vars;
}

/** One more than that of its deepest parent. */
function depthsOf(groups: VariableGroup[]): Map<string, number> {
  const byName = new Map(groups.map((group) => [group.name, group]));
  const depths = new Map([[ALL, 0]]);
  const depthOf = (name: string): number => {
    const known = depths.get(name);
    if (known !== undefined) return known;
    const above = (byName.get(name)?.parents ?? []).map(depthOf);
    const depth = 1 + Math.max(0, ...above);
    depths.set(name, depth);
    return depth;
  };
  for (const { name } of groups) depthOf(name);
  return depths;
}

function priorityOf({ vars }: VariableGroup): number {
  const priority = vars[PRIORITY];
  return typeof priority === "number" ? Math.trunc(priority) : 1;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
