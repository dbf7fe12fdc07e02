import { asset } from "../../static/mod.ts";
import { precompiled } from "./precompiled_markup.ts";

/** Decorative: the text or control around it has the name. */
export function Icon({ name, class: extra }: { name: string; class?: string }) {
  return drawn({ name, kind: extra ? `icon ${extra}` : "icon" });
}

const drawn = precompiled<{ name: string; kind: string }>(({ name, kind }) => (
  <svg class={kind} aria-hidden="true" width="18" height="18">
    <use href={`${asset("icons.svg")}#${name}`} />
  </svg>
));
