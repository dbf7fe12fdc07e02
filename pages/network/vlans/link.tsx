import type { ComponentChildren } from "preact";
import { precompiled } from "../../parts/precompiled_markup.ts";

export const VLANS = "/network/vlans";

/** A VLAN, leading to its page. */
export function Vlan({ id, children }: { id: number; children?: ComponentChildren }) {
  return Anchor({ href: `${VLANS}/${id}`, text: children ?? id });
}

const Anchor = precompiled<{ href: string; text: ComponentChildren }>(({ href, text }) => (
  <a href={href}>{text}</a>
));
