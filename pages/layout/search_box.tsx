// The one box: in the bar of every page, and large at home. With a script, its results open below it.

import { Icon } from "../parts/icon.tsx";
import { type Frame, useHx } from "../request/frame.ts";

interface Props {
  text?: string;
  /** On a page with the large box, the bar has none. */
  isBig?: boolean;
}

export function SearchBox({ text = "", isBig = false }: Props) {
  const hx = useHx();
  const live = hx({
    get: "/",
    trigger: "input delay:100ms",
    target: "#palette",
    swap: "innerHTML",
    sync: "this:replace",
  });
  return (
    <search aria-label="Everything">
      <form class={isBig ? "omnibox big" : "omnibox"} action="/" method="get" {...live}>
        <input
          type="text"
          enterkeyhint="search"
          name="q"
          value={text}
          role="combobox"
          aria-label="Search everything"
          aria-autocomplete="list"
          aria-controls="palette"
          aria-expanded="false"
          placeholder={isBig ? "Name, IP or MAC address, label, serial number…" : "Search"}
          autocomplete="off"
          spellcheck={false}
        />
        <kbd class="js-only">/</kbd>
        {isBig ? (
          <button type="submit" class="primary">
            <Icon name="search" /> Search
          </button>
        ) : (
          <button type="submit" class="quiet square" aria-label="Search">
            <Icon name="search" />
          </button>
        )}
        <div id="palette" class="palette" />
      </form>
    </search>
  );
}

/** The page with the large box. */
export function hasBigBox({ pathname }: Pick<Frame, "pathname">): boolean {
  return pathname === "/";
}
