// The markup of every page is valid HTML.
import { expect, setDefaultTimeout, test } from "bun:test";
import { HtmlValidate } from "html-validate";
import { type Browser, browser } from "../support/browser.ts";
import { alice, stranger } from "../support/mod.ts";
import { aSite } from "../support/pages.ts";

setDefaultTimeout(120_000);

const validator = new HtmlValidate({
  extends: ["html-validate:recommended"],
  rules: {
    // The renderer writes <br/>, which is as valid.
    "void-style": "off",
    // Lists send a name once for each row that is ticked.
    "form-dup-name": "off",
    "aria-label-misuse": ["error", { allowAnyNamable: true }],
  },
});

const MORE = ["/network/scopes/edit/Laboratory", "/changes/1"];
/** Forms that are refused. */
const REFUSED = {
  "/network/hosts/create": { name: "-x" },
  "/network/networks/create": { vlan_name: "x" },
  "/inventory/items/create": { quantity: "x" },
  "/network/groups/create": { name: "" },
};

async function errorsIn(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  const messages = results.flatMap((one) => one.messages);
  return messages.map(({ ruleId, message, selector }) => `${ruleId}: ${message} (${selector})`);
}

async function expectValid(own: Browser, path: string, fields?: Record<string, string>) {
  const { text } = await (fields ? own.submit(path, fields) : own.get(path));
  expect([path, await errorsIn(text)]).toEqual([path, []]);
}

test("every page is valid HTML, filled in, empty and refused", async () => {
  const own = await browser(alice);
  for (const path of ["/", "/inventory/items", "/network/hosts"]) await expectValid(own, path);
  for (const path of [...(await aSite()), ...MORE]) await expectValid(own, path);
  for (const [path, fields] of Object.entries(REFUSED)) await expectValid(own, path, fields);
  const nobody = await browser(stranger);
  await expectValid(nobody, "/user/login");
  await expectValid(nobody, "/user/login", { username: "x", password: "y" });
});
