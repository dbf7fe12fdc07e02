// Reads values from a form, and checks that it was sent from this site.

import { contextOf } from "../../src/http/request_context.ts";
import { forbidden, invalid } from "../../src/input/errors.ts";
import { keyIn } from "../../src/input/keys.ts";
import { SITE_FIELD } from "../../src/store/site/definitions.ts";

/**
 * Refuses a form that another site made the browser send. A request that names no site comes from a program:
 * browsers always name the site with a form.
 */
export function requireOurSite(request: Request): void {
  if (!namesAnotherSite(request)) return;
  throw forbidden("This form was sent from another site; open the page here and send it again");
}

/** Whether Sec-Fetch-Site, Origin or Referer names another site. */
export function namesAnotherSite(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return true;
  const here = new URL(contextOf(request).origin);
  // Behind an untrusted proxy the scheme appears to be http; the browser knows the right one.
  const part = site === "same-origin" ? "host" : "origin";
  // "null" comes from a sandboxed frame or a local file: another site.
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

/** The names of the inputs of fields that the site has defined. */
export function siteInputsIn(form: FormData): string[] {
  return [...new Set(form.keys())].filter((name) => name.startsWith(`${SITE_FIELD}.`));
}

/** A text field of a form, trimmed; empty if it is missing. */
export function field(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

/** The values of a repeated field, without blank ones, one per line. */
export function allLines(form: FormData, name: string): string {
  const texts = form.getAll(name).map((value) => (typeof value === "string" ? value.trim() : ""));
  return texts.filter((text) => text !== "").join("\n");
}

/** The text of each field; the last one of a repeated field. */
export function textsOf(form: FormData): Record<string, string> {
  const texts = new Map<string, string>();
  for (const [name, value] of form) texts.set(name, String(value).trim());
  return Object.fromEntries(texts);
}

/** The keys of the rows selected in a list. */
export function keysIn(form: FormData, called: string): number[] {
  const texts = form.getAll("id").map(String);
  const keys = texts.flatMap((text) => keyIn(text) ?? []);
  if (keys.length === texts.length) return [...new Set(keys)];
  throw invalid("id", `Name the ${called} by their primary keys`);
}

/** The rows that are selected in a list: by their keys, or all of its records. */
export function selectionIn(
  form: FormData,
  called: string,
): { keys: number[] } | { params: URLSearchParams } {
  if (!form.has("all")) return { keys: keysIn(form, called) };
  return { params: new URLSearchParams(field(form, "list_params") || field(form, "filter")) };
}

/** The version that the form changes; 0 if it has none. */
export function versionIn(form: FormData): number {
  return keyIn(field(form, "version")) ?? 0;
}

/** The path if it is on this site. */
export function safePath(text: string | null | undefined, otherwise = "/"): string {
  const isPath = text != null && /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !text.includes("\\");
  return isPath && new URL(text, "http://here").origin === "http://here" ? text : otherwise;
}
