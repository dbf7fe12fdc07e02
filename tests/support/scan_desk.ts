// Uses the scan desk without scripting, form by form.
import { type Answer, api } from "./api.ts";
import type { Browser } from "./browser.ts";
import { alice } from "./cast.ts";
import { elements, texts } from "./html.ts";

export const SCANNER = "/inventory/scanner";

export function code(kind: string, name: string): string {
  return `CSE:${kind}:${name}`;
}

export function action(name: string): string {
  return code("action", name);
}

/** Submits one scanned text after the other. */
export async function scanAll(own: Browser, scanned: string[]): Promise<Answer> {
  let answer = await own.get(SCANNER);
  for (const scan of scanned)
    answer = await own.submit(SCANNER, { ...fieldsOf(answer.text), scan });
  return answer;
}

/** The hidden fields of the form. */
export function fieldsOf(html: string): Record<string, string> {
  const hidden = elements(html, "input[form=desk]").map(({ attributes }) => attributes);
  return Object.fromEntries(hidden.map(({ name = "", value = "" }) => [name, value]));
}

export function rowsOf(html: string): string[] {
  const labels = texts(html, "#scanned tbody td:first-child").map((text) =>
    text.replace(/ Photograph \S+$/, ""),
  );
  const outcomes = texts(html, "#scanned tbody td:nth-child(3)");
  return labels.map((label, at) => `${label}: ${outcomes[at]}`);
}

export async function apply(own: Browser, html: string, action = "apply"): Promise<Answer> {
  return own.submit(SCANNER, { ...fieldsOf(html), action });
}

export function messageOf(html: string): string | undefined {
  return texts(html, "#scanned .said")[0];
}

/** The items with these serial numbers. */
export async function itemsBy(serials: string[]) {
  const query = serials.map((serial) => `serial_number=${serial}`).join("&");
  return (await api(alice).get(`/inventory/items?per_page=100&${query}`)).body;
}
