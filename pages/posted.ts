// What a form sent, and whether it was one of our own.
import { forbidden, invalid, Refusal, refuse } from "../src/errors.ts";
import { keyIn } from "../src/keys.ts";
import { isObject } from "../src/text.ts";
import { visitOf } from "../src/visit.ts";

/** In MiB; forms that carry a file have a limit of their own. */
const LARGEST_FORM = 1;
const LARGER_FORMS: Record<string, number> = { "/inventory/items/import": 16 };

/** The form that a request carries, JSON from a script read as one; a refusal where it is none. */
export async function readForm(request: Request): Promise<FormData | Refusal> {
  const most = LARGER_FORMS[new URL(request.url).pathname] ?? LARGEST_FORM;
  if (Number(request.headers.get("content-length") ?? 0) > most * 1024 * 1024) {
    return new Refusal(413, `Send at most ${most} MiB`);
  }
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === undefined || type === "") return new FormData();
  try {
    if (type === "application/json") return formOf(await request.json());
    if (/^(application\/x-www-form-urlencoded|multipart\/form-data)$/.test(type))
      return await request.formData();
  } catch {
    return refuse([{ field: "body", message: "This form cannot be read" }]);
  }
  return new Refusal(415, "Send a form");
}

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
  const here = new URL(visitOf(request).origin);
  // Behind a proxy that we do not trust, we take our scheme for http; the browser knows better.
  const part = site === "same-origin" ? "host" : "origin";
  // "null", of a sandboxed frame or a local file, is no address, and not ours.
  return ["origin", "referer"].some((name) => {
    const named = request.headers.get(name);
    return named !== null && URL.parse(named)?.[part] !== here[part];
  });
}

/** Refuses what a browser asks for before anybody wants it. */
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

/** Those of the rows that are ticked in a list. */
export function keysIn(form: FormData, called: string): number[] {
  const texts = form.getAll("id").map(String);
  const keys = texts.flatMap((text) => keyIn(text) ?? []);
  if (keys.length === texts.length) return [...new Set(keys)];
  throw invalid("id", `Name the ${called} by their primary keys`);
}

/** The version that somebody edits; 0 where the form tells of none. */
export function versionIn(form: FormData): number {
  return keyIn(field(form, "version")) ?? 0;
}

/** A path of ours to go on to, and nowhere else. */
export function safePath(text: string | null | undefined, otherwise = "/"): string {
  const isPath = text != null && /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !text.includes("\\");
  return isPath && new URL(text, "http://here").origin === "http://here" ? text : otherwise;
}

function formOf(json: unknown): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(isObject(json) ? json : {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && typeof one !== "object") form.append(name, String(one));
    }
  }
  return form;
}
