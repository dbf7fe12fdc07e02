// What groups are called in an inventory: two words mean something there, and Ansible warns of all but letters,
// digits and _.
export const UNGROUPED = "ungrouped";
const RESERVED = ["_meta", UNGROUPED];

export type Style = "exact" | "safe";

interface Named {
  id: number;
  name: string;
}

/** By their keys. Of two that would be called the same the later made one gets a _ more. */
export function namesFor(groups: Named[], style: Style): (id: number) => string {
  const taken = new Set(RESERVED);
  const names = new Map<number, string>();
  for (const { id, name } of groups.toSorted((one, other) => one.id - other.id)) {
    let free = style === "safe" ? safe(name) : name;
    while (taken.has(free)) free += "_";
    taken.add(free);
    names.set(id, free);
  }
  return (id) => names.get(id) ?? "";
}

function safe(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=[0-9])/, "_");
}
