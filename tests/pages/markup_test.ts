// The markup of every page is valid HTML.
import { expect, setDefaultTimeout, test } from "bun:test";
import { HtmlValidate } from "html-validate";
import { pages } from "../../pages/mod.ts";
import { type Browser, browser } from "../support/browser.ts";
import { allChecks } from "../support/checks.ts";
import { alice, stranger } from "../support/mod.ts";
import { aSite } from "../support/pages.ts";

setDefaultTimeout(120_000);

const ONE_PAGE_OF = allChecks ? 1 : 3;

const validator = new HtmlValidate({
  extends: ["html-validate:recommended"],
  rules: {
    // The renderer writes <br/>, which is as valid.
    "void-style": "off",
    // Lists send a name once for each row that is ticked.
    "form-dup-name": "off",
    // Without scripting, the page of a job asks again every other second until the job has ended.
    "meta-refresh": "off",
    "aria-label-misuse": ["error", { allowAnyNamable: true }],
  },
});

/** Routes that answer parts of pages, data, files and the login, and redirects to other sites. */
const NO_PAGES =
  /^\/live$|\/_|\.(csv|webmanifest)$|\*$|^\/lists\/export$|\/download$|\/(content|small)$|\/:file$|^\/user\/log(in|out)\b/;

const REFUSED_PAGES: Array<[path: string, status: number]> = [
  ["/network/hosts?q=(", 422],
  ["/nowhere", 404],
];
/** Forms that are refused. */
const REFUSED = {
  "/network/hosts/create": { name: "-x" },
  "/network/networks/create": { vlan_name: "x" },
  "/inventory/items/create": { quantity: "x" },
  "/network/groups/create": { name: "" },
  "/lists/change": { list: "/network/groups", id: "1", step: "preview" },
};

async function errorsIn(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  const messages = results.flatMap((one) => one.messages);
  return messages.map(({ ruleId, message, selector }) => `${ruleId}: ${message} (${selector})`);
}

async function expectValid(
  own: Browser,
  path: string,
  fields?: Record<string, string>,
): Promise<number> {
  const { status, text } = await (fields ? own.submit(path, fields) : own.get(path));
  expect([path, await errorsIn(text)]).toEqual([path, []]);
  return status;
}

test("every page is on the list of pages that tests visit", async () => {
  const paths = (await aSite()).map((path) => path.replace(/\?.*/, ""));
  const isVisited = (route: string) => {
    const pattern = new RegExp(`^${route.replace(/:\w+/g, "[^/]+").replace(/\/$/, "/?")}$`);
    return paths.some((path) => pattern.test(path));
  };
  const routes = pages.routes.filter(({ method }) => method === "GET").map(({ path }) => path);
  expect(routes.filter((route) => !NO_PAGES.test(route) && !isVisited(route))).toEqual([]);
});

test("every page is valid HTML, filled in, empty and refused", async () => {
  const own = await browser(alice);
  for (const path of ["/", "/inventory/items", "/network/hosts"]) await expectValid(own, path);
  const refused: Array<[path: string, status: number]> = [];
  const mayBeRefused = new Map(REFUSED_PAGES);
  const visited = (await aSite()).filter(
    (path, at) => at % ONE_PAGE_OF === 0 || mayBeRefused.has(path),
  );
  for (const path of visited) {
    const status = await expectValid(own, path);
    if (status !== 200) refused.push([path, status]);
  }
  expect(refused).toEqual(REFUSED_PAGES);
  for (const [path, fields] of Object.entries(REFUSED)) await expectValid(own, path, fields);
  const nobody = await browser(stranger);
  await expectValid(nobody, "/user/login");
  await expectValid(nobody, "/user/login", { username: "x", password: "y" });
});
