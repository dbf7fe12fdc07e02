import { asset } from "../../static/mod.ts";

/** Decorative: the text or control around it has the name. */
export function Icon({ name, class: extra }: { name: string; class?: string }) {
  return (
    <svg class={extra ? `icon ${extra}` : "icon"} aria-hidden="true" width="18" height="18">
      <use href={`${asset("icons.svg")}#${name}`} />
    </svg>
  );
}
