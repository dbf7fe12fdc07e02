// The names of groups in an inventory: two words are reserved, and Ansible warns of characters other than letters,
// digits and _.
export const UNGROUPED = "ungrouped";
const RESERVED = ["_meta", UNGROUPED];

type NameStyle = "exact" | "safe";

interface NamedGroup {
  id: number;
  name: string;
}

/** Names by id. Of two groups with the same name, the one created later gets another _. */
export function namesFor(groups: NamedGroup[], style: NameStyle): (id: number) => string {
  const used = new Set(RESERVED);
  const names = new Map<number, string>();
  for (const { id, name } of groups.toSorted((one, other) => one.id - other.id)) {
    let free = style === "safe" ? safe(name) : name;
    while (used.has(free)) free += "_";
    used.add(free);
    names.set(id, free);
  }
  return (id) => names.get(id) ?? "";
}

function safe(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=[0-9])/, "_");
}
