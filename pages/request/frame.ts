// What every component may ask for without having it handed down: who looks, from where, and the
// nonce that lets htmx attributes live.
import type { Caller } from "../../src/auth/auth.ts";
import type { ListSettings } from "../../src/user/searches.ts";

export interface Frame {
  nonce: string;
  /** Path and query of the page that is shown. */
  here: string;
  theme: Theme;
  density: Density;
  /** What the caller keeps of the list that is shown. */
  list?: ListSettings;
  caller?: Caller;
  notice?: Notice;
}

/** What was done, said once; and the change that it can be taken back by. */
export interface Notice {
  text: string;
  undo?: number;
}

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** How close the rows of lists are. */
export const DENSITIES = ["comfortable", "compact"] as const;
export type Density = (typeof DENSITIES)[number];

interface Surroundings {
  nonce: string;
  frame?: Frame;
}

let current: Surroundings | undefined;

/** Renders something, which may meanwhile ask for this frame. */
export function within<T>(frame: Frame, render: () => T): T {
  return during({ nonce: frame.nonce, frame }, render);
}

/** Renders something for any frame: it may ask for this nonce alone, of which there will be another. */
export function apart<T>(nonce: string, render: () => T): T {
  return during({ nonce }, render);
}

function during<T>(surroundings: Surroundings, render: () => T): T {
  const around = current;
  current = surroundings;
  try {
    return render();
  } finally {
    current = around;
  }
}

export function useFrame(): Frame {
  if (!current?.frame) throw new Error("There is a frame only while a page is rendered");
  return current.frame;
}

export function useNonce(): string {
  if (!current) throw new Error("There is a nonce only while a page is rendered");
  return current.nonce;
}

/**
 * The one way to write hx- attributes: hx({ get: url, target: "#list" }). They come with the page's
 * nonce, without which the browser drops them, so that injected ones never work.
 */
export function useHx(): (attributes: Record<string, string>) => Record<string, string> {
  const nonce = useNonce();
  return (attributes) => ({
    ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`hx-${name}`, value])),
    "hx-nonce": nonce,
  });
}
