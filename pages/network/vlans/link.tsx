import type { ComponentChildren } from "preact";

export const VLANS = "/network/vlans";

/** A VLAN, leading to its page. */
export function Vlan({ id, children }: { id: number; children?: ComponentChildren }) {
  return <a href={`${VLANS}/${id}`}>{children ?? id}</a>;
}
