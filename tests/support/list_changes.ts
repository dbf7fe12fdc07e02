// Several records of a list are changed or deleted at once, by the forms of the pages.
import { type Browser, undoIn } from "./browser.ts";
import { changes } from "./history.ts";
import { elements, texts } from "./html.ts";
import { alice, api } from "./mod.ts";

export type Pairs = Array<[name: string, value: string]>;
type Answer = Awaited<ReturnType<Browser["submit"]>>;

/** Sends one step of a change or a deletion. */
export function step(own: Browser, action: "change" | "delete", fields: Pairs): Promise<Answer> {
  return own.submit(`/lists/${action}`, fields as any);
}

export function selecting(list: string, ...records: Array<{ id: number }>): Pairs {
  return [["list", list], ...records.map(({ id }): [string, string] => ["id", String(id)])];
}

/** What the preview carries to the last step. */
export function applied({ text }: Answer): Pairs {
  const [seen] = elements(text, "input[name=seen]");
  return [
    ["step", "apply"],
    ["seen", seen?.attributes.value ?? ""],
  ];
}

/** Previews and applies; returns the preview and the last answer. */
export async function both(own: Browser, action: "change" | "delete", fields: Pairs) {
  const preview = await step(own, action, [...fields, ["step", "preview"]]);
  const done = await step(own, action, [...fields, ...applied(preview)]);
  return { preview, done, set: undoIn(done) };
}

export function notesOf({ text }: Answer): string[] {
  return texts(text, ".preview li, .note[role=alert], p.error");
}

export async function field(list: string, name: string): Promise<unknown[]> {
  const { body } = await api(alice).get(`${list}?sort=id`);
  return body.map((one: Record<string, unknown>) => one[name]);
}

export async function setsOf(from: number): Promise<string[]> {
  const all = (await changes()).slice(from).map(({ change_set }) => change_set);
  return [...new Set(all)];
}
