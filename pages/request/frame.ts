// The context of a rendered page, which every component can read: the caller, the path, and the nonce of the
// hx- attributes.
import type { Caller } from "../../src/auth/auth.ts";
import type { ListSettings } from "../../src/user/searches.ts";

export interface Frame {
  nonce: string;
  /** Path and query of the page that is shown. */
  here: string;
  pathname: string;
  theme: Theme;
  density: Density;
  /** What the caller keeps of the list that is shown. */
  list?: ListSettings;
  caller?: Caller;
  notice?: Notice;
}

/** A message that is shown once, and the change set that its undo button undoes. */
export interface Notice {
  text: string;
  undo?: number;
}

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** How close the rows of lists are. */
export const DENSITIES = ["comfortable", "compact"] as const;
export type Density = (typeof DENSITIES)[number];

let current: Frame | undefined;

/** Renders with this frame as the context. */
export function withFrame<T>(frame: Frame, render: () => T): T {
  const outer = current;
  current = frame;
  try {
    return render();
  } finally {
    current = outer;
  }
}

export function useFrame(): Frame {
  if (!current) throw new Error("There is a frame only while a page is rendered");
  return current;
}

/**
 * The only way to write hx- attributes: hx({ get: url, target: "#list" }). They carry the nonce of the page;
 * the browser ignores attributes without it, so injected ones do not work.
 */
export function useHx(): (attributes: Record<string, string>) => Record<string, string> {
  const { nonce } = useFrame();
  return (attributes) => ({
    ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`hx-${name}`, value])),
    "hx-nonce": nonce,
  });
}
