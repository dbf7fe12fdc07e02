// Every form that is refused: above it, each error names its field as the form does, and leads to it.
import { expect, setDefaultTimeout, test } from "bun:test";
import { type Browser, browser } from "../support/browser.ts";
import { elements, texts } from "../support/html.ts";
import { alice } from "../support/mod.ts";
import { aSite } from "../support/pages.ts";

setDefaultTimeout(300_000);

interface Form {
  /** The page that shows it. */
  path: string;
  action: string;
  fields: Array<{ name: string; value: string; isHidden: boolean }>;
}

async function formsOn(own: Browser, path: string): Promise<Form[]> {
  const forms: Form[] = [];
  const reader = new HTMLRewriter().on("form.sheet[method=post]", {
    element: (form) => {
      forms.push({ path, action: form.getAttribute("action") ?? path, fields: [] });
    },
  });
  for (const tag of ["input", "textarea", "select"]) {
    reader.on(`form.sheet[method=post] ${tag}[name]`, {
      element: (input) => {
        const name = input.getAttribute("name") ?? "";
        const value = input.getAttribute("value") ?? "";
        const isHidden = input.getAttribute("type") === "hidden";
        forms.at(-1)?.fields.push({ name, value, isHidden });
      },
    });
  }
  reader.transform((await own.get(path)).text);
  return forms;
}

/** The form with the same text in each field that a person fills in. */
function filledWith(text: string, { fields }: Form): Record<string, string> {
  return Object.fromEntries(
    fields.map(({ name, value, isHidden }) => [name, isHidden ? value : text]),
  );
}

/** The errors above the form that do not begin with the label of the field that they lead to. */
function unclearErrors(html: string): string[] {
  const links = elements(html, ".summary a").map(({ attributes }) => attributes.href ?? "");
  const sentences = texts(html, ".summary a");
  return links.flatMap((href, at) => {
    const id = href.slice(1);
    // A field with several inputs has a legend.
    const labels = [...texts(html, `label[for="${id}"]`), ...texts(html, "fieldset > legend")];
    const sentence = sentences[at] ?? "";
    if (elements(html, `[id="${id}"]`).length !== 1) return [`${sentence} (no ${href})`];
    const isClear = labels.some((label) => sentence.startsWith(`${label}: `));
    return isClear ? [] : [`${sentence} (${labels.join(", ")})`];
  });
}

test("an error above a form names its field as the form does, and leads to it", async () => {
  const own = await browser(alice);
  const forms = new Map<string, Form>();
  for (const path of await aSite()) {
    for (const form of await formsOn(own, path)) {
      const names = form.fields.map(({ name }) => name);
      forms.set([form.action, ...names].join(" "), form);
    }
  }
  const unclear: Array<[path: string, errors: string[]]> = [];
  let refusals = 0;
  for (const form of forms.values()) {
    for (const text of ["", "x".repeat(3_000)]) {
      const { status, text: html } = await own.submit(form.action, filledWith(text, form));
      if (status !== 422) continue;
      refusals += 1;
      const errors = unclearErrors(html);
      if (errors.length > 0) unclear.push([form.path, errors]);
    }
  }
  expect(unclear).toEqual([]);
  expect(refusals).toBeGreaterThan(30);
});

test("fields with errors are counted once, however many of their lines are wrong", async () => {
  const own = await browser(alice);
  const form = { serial_number: "S-1", macs: "zz\nyy" };
  const { status, text } = await own.submit("/inventory/items/create", form);
  expect(status).toBe(422);
  expect(texts(text, ".summary h2")).toEqual(["1 field needs attention"]);
  expect(texts(text, ".summary li")).toEqual([
    'MAC addresses: "zz" is not a MAC address such as 02:42:42:00:00:01',
    'MAC addresses: "yy" is not a MAC address such as 02:42:42:00:00:01',
  ]);
});
