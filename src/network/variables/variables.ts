// The variables of a host as Ansible merges them: groups by their depth, parents before children, then by
// ansible_group_priority, then by name; last the host itself. What comes later replaces whole values.

export type Vars = Record<string, unknown>;

export interface Group {
  name: string;
  vars: Vars;
  /** By name. */
  parents: string[];
}

export interface Host {
  name: string;
  vars: Vars;
}

/** A group or the host itself: the other one is null. */
export interface Source {
  group: string | null;
  host: string | null;
}

export interface Effective extends Source {
  variable: string;
  value: unknown;
  /** What stood there before, the first to be replaced first. */
  overrode: Array<Source & { value: unknown }>;
}

/** How Ansible orders groups of one depth. It keeps this variable for itself. */
export const PRIORITY = "ansible_group_priority";
/** The group that every host is in, above all others. */
export const ALL = "all";

/** Each variable of a host, in the order of their names. The groups are those that it is in, and all above those. */
export function effective(host: Host, groups: Group[]): Effective[] {
  const layers = [
    ...inOrder(groups).map(({ name, vars }) => ({ group: name, host: null, vars: handedOn(vars) })),
    { group: null, host: host.name, vars: host.vars },
  ];
  const found = new Map<string, Effective>();
  for (const { vars, ...source } of layers) {
    for (const [variable, value] of Object.entries(vars)) {
      const overrode = replaced(found.get(variable));
      found.set(variable, { variable, value, ...source, overrode });
    }
  }
  return [...found.values()].toSorted((one, other) => compare(one.variable, other.variable));
}

/** The variables that groups hand on, whatever a host says itself. */
export function merged(groups: Group[]): Map<string, unknown> {
  return new Map(inOrder(groups).flatMap(({ vars }) => Object.entries(handedOn(vars))));
}

/** In the order in which they are merged. */
export function inOrder(groups: Group[]): Group[] {
  const depths = depthsOf(groups);
  return groups.toSorted(
    (one, other) =>
      (depths.get(one.name) ?? 0) - (depths.get(other.name) ?? 0) ||
      priorityOf(one) - priorityOf(other) ||
      compare(one.name, other.name),
  );
}

/** Those of the groups that a host is in, by the names of those that it was put into: they and all above them. */
export function upwards(groups: Map<string, Group>, direct: string[]): Group[] {
  const reached = new Set([ALL, ...direct]);
  for (const name of reached) {
    for (const parent of groups.get(name)?.parents ?? []) reached.add(parent);
  }
  return [...reached].flatMap((name) => groups.get(name) ?? []);
}

function replaced(earlier: Effective | undefined): Effective["overrode"] {
  if (!earlier) return [];
  const { group, host, value, overrode } = earlier;
  return [...overrode, { group, host, value }];
}

function handedOn({ [PRIORITY]: _, ...vars }: Vars): Vars {
  return vars;
}

/** One more than that of its deepest parent. */
function depthsOf(groups: Group[]): Map<string, number> {
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

function priorityOf({ vars }: Group): number {
  const priority = vars[PRIORITY];
  return typeof priority === "number" ? Math.trunc(priority) : 1;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
