import { asset } from "../../static/mod.ts";

/** Decoration beside a text, or within a control that has a name of its own. */
export function Icon({ name, class: extra }: { name: string; class?: string }) {
  return (
    <svg class={extra ? `icon ${extra}` : "icon"} aria-hidden="true" width="18" height="18">
      <use href={`${asset("icons.svg")}#${name}`} />
    </svg>
  );
}
