// Forms of their own page begin at their first field.
import { expect, setDefaultTimeout, test } from "bun:test";
import { type Browser, browser } from "../support/browser.ts";
import { elements } from "../support/html.ts";
import { alice } from "../support/mod.ts";
import { aSite } from "../support/pages.ts";

setDefaultTimeout(60_000);

const FIELDS = ["input:not([type=hidden]):not([readonly])", "select", "textarea"]
  .map((field) => `form.sheet ${field}`)
  .join(", ");

async function focused(own: Browser, path: string): Promise<unknown[]> {
  const { text } = await own.get(path);
  const fields = elements(text, FIELDS).map(({ attributes }) => attributes);
  const begin = fields.filter(({ autofocus }) => autofocus !== undefined).map(({ id }) => id);
  return [path, begin, elements(text, "[autofocus]").length === 1 && begin[0] === fields[0]?.id];
}

test("every form that creates or edits a record has the focus in its first field", async () => {
  const paths = (await aSite()).filter((path) => /\/(create|edit)\b/.test(path));
  expect(paths.length).toBeGreaterThan(15);
  const own = await browser(alice);
  for (const path of paths) {
    expect(await focused(own, path)).toEqual([path, [expect.any(String)], true]);
  }
});
