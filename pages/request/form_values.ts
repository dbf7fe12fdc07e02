// What a form says, and whether it is one of our own.

import { contextOf } from "../../src/http/request_context.ts";
import { forbidden, invalid } from "../../src/input/errors.ts";
import { keyIn } from "../../src/input/keys.ts";

/**
 * Refuses what another site made a browser send. A request that names no site at all comes from a program,
 * which nobody can trick: every browser names one with a form.
 */
export function requireOurSite(request: Request): void {
  if (!namesAnotherSite(request)) return;
  throw forbidden("This form was sent from another site; open the page here and send it again");
}

/** Whether its Sec-Fetch-Site, its Origin or its Referer names a site that is not ours. */
export function namesAnotherSite(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return true;
  const here = new URL(contextOf(request).origin);
  // Behind a proxy that is not trusted our scheme seems to be http; the browser has the right one.
  const part = site === "same-origin" ? "host" : "origin";
  // "null", of a sandboxed frame or a local file, is no address, and not ours.
  return ["origin", "referer"].some((name) => {
    const named = request.headers.get(name);
    return named !== null && URL.parse(named)?.[part] !== here[part];
  });
}

/** Refuses prefetching by browsers. */
export function requireOnDemand(request: Request): void {
  if (request.headers.has("sec-purpose") || request.headers.has("purpose")) {
    throw forbidden("Not in advance");
  }
}

/** A text field of a form that a person or a browser filled in. */
export function field(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

/** The text of each field; of one that came more than once the last. */
export function textsOf(form: FormData): Record<string, string> {
  const texts = new Map<string, string>();
  for (const [name, value] of form) texts.set(name, String(value).trim());
  return Object.fromEntries(texts);
}

/** Those of the rows that are ticked in a list. */
export function keysIn(form: FormData, called: string): number[] {
  const texts = form.getAll("id").map(String);
  const keys = texts.flatMap((text) => keyIn(text) ?? []);
  if (keys.length === texts.length) return [...new Set(keys)];
  throw invalid("id", `Name the ${called} by their primary keys`);
}

/** The rows that are selected in a list: by their keys, or all that it asks for. */
export function selectionIn(
  form: FormData,
  called: string,
): { keys: number[] } | { params: URLSearchParams } {
  if (!form.has("all")) return { keys: keysIn(form, called) };
  return { params: new URLSearchParams(field(form, "asked") || field(form, "filter")) };
}

/** The version that the form changes; 0 where it names none. */
export function versionIn(form: FormData): number {
  return keyIn(field(form, "version")) ?? 0;
}

/** A path of ours to go on to, and nowhere else. */
export function safePath(text: string | null | undefined, otherwise = "/"): string {
  const isPath = text != null && /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !text.includes("\\");
  return isPath && new URL(text, "http://here").origin === "http://here" ? text : otherwise;
}
