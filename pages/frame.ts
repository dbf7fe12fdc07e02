// What every component may ask for without having it handed down: who looks, from where, and the
// nonce that lets htmx attributes live.
import type { Caller } from "../src/auth.ts";

export interface Frame {
  nonce: string;
  /** Path and query of the page that is shown. */
  here: string;
  theme: Theme;
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

let current: Frame | undefined;
let nonce: string | undefined;

/** Renders something, which may meanwhile ask for this frame. */
export function within<T>(frame: Frame, render: () => T): T {
  current = frame;
  try {
    return withNonce(frame.nonce, render);
  } finally {
    current = undefined;
  }
}

/** Renders something that may ask for this alone, or goes on within a frame with another one. */
export function withNonce<T>(own: string, render: () => T): T {
  const around = nonce;
  nonce = own;
  try {
    return render();
  } finally {
    nonce = around;
  }
}

export function nonceOf(): string {
  if (nonce === undefined) throw new Error("There is a nonce only while a page is rendered");
  return nonce;
}

export function useFrame(): Frame {
  if (!current) throw new Error("There is a frame only while a page is rendered");
  return current;
}

/**
 * The one way to write hx- attributes: hx({ get: url, target: "#list" }). They come with the page's
 * nonce, without which the browser drops them, so that injected ones never work.
 */
export function useHx(): (attributes: Record<string, string>) => Record<string, string> {
  const nonce = nonceOf();
  return (attributes) => ({
    ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`hx-${name}`, value])),
    "hx-nonce": nonce,
  });
}
