import { asset } from "../../static/mod.ts";
import { precompiled } from "./precompiled_markup.ts";

/** Decoration beside a text, or within a control that has a name of its own. */
export function Icon({ name, class: extra }: { name: string; class?: string }) {
  return drawn({ name, kind: extra ? `icon ${extra}` : "icon" });
}

const drawn = precompiled<{ name: string; kind: string }>(({ name, kind }) => (
  <svg class={kind} aria-hidden="true" width="18" height="18">
    <use href={`${asset("icons.svg")}#${name}`} />
  </svg>
));
