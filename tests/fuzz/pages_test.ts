// Every route outside of the API, with the fields of the forms that the pages show, filled in well, badly and not at all.
import { expect, setDefaultTimeout, test } from "bun:test";
import fc, { type Arbitrary } from "fast-check";
import { app } from "../../src/app.ts";
import { type Browser, browser } from "../support/browser.ts";
import { aFeedNetwork } from "../support/feed_network.ts";
import { elements } from "../support/html.ts";
import { aGroup, aLocation, alice, anItem, service, visit } from "../support/mod.ts";
import {
  BUDGET,
  fittingField,
  hostileText,
  hostileValue,
  inWords,
  knownText,
  segmentOf,
  seldom,
} from "./values.ts";

setDefaultTimeout(300_000);

interface FuzzRequest {
  path: string;
  body?: BodyInit;
  headers: Record<string, string>;
}

/** Existing values for the parameters of paths. */
const PLACES: Record<string, readonly string[]> = {
  field: ["name", "ip", "mac", "network", "items"],
  file: ["items.xlsx"],
  hostname: ["web"],
  ics_id: ["AAA001"],
  kind: ["location", "Status", "hosts", "items", "networks", "groups"],
  name: ["web", "Lab", "Web", "db-backup"],
  prefix: ["24", "30", "64"],
  subnet: ["10.1.1.0", "2001:db8::"],
  vlan_name: ["Office", "Vaults"],
};
const NUMBERED = ["1", "2", "3"];
/** They would end the session of this test. */
const ENDS = ["/user/logout"];
const QUERIES = [
  "q",
  "page",
  "per_page",
  "sort",
  "selected",
  "cols",
  "at",
  "next",
  "name",
  "scope",
  "user",
  "kind",
  "record",
  "from",
  "to",
  "before",
];
const TABLE = ["draw", "start", "length", "search[value]", "order[0][column]", "order[0][dir]"];

const routes = app.routes
  .map(({ method, path }) => ({ method, path: path.replace(/(.)\/$/, "$1") }))
  .filter(({ path }) => !path.startsWith("/api/") && !ENDS.includes(path));

function addressOf(path: string): Arbitrary<string> {
  const parts = path.split("/").map((part) => {
    if (part === "*") return fc.constantFrom("app.css", "..%2fapp.css", "%00");
    if (!part.startsWith(":")) return fc.constant(part);
    const known = fc.constantFrom(...(PLACES[part.slice(1)] ?? NUMBERED));
    return seldom(known, fc.oneof(knownText, hostileText)).map(segmentOf);
  });
  return fc.tuple(...parts).map((texts) => texts.join("/") || "/");
}

type Pairs = Array<[string, string]>;

function pairsOf(names: string[], most: number): Arbitrary<Pairs> {
  const name = seldom(fc.constantFrom(...names), hostileText);
  const pair = name.chain((one) =>
    fc.tuple(
      fc.constant(one.toWellFormed()),
      seldom(fittingField(one, { type: "string" }), hostileValue).map((value) =>
        String(typeof value === "object" ? JSON.stringify(value) : value).toWellFormed(),
      ),
    ),
  );
  return fc.array(pair, { maxLength: most });
}

const headers = fc.constantFrom<Record<string, string>>(
  {},
  { "hx-request": "true" },
  { "hx-request": "true", "hx-request-type": "partial" },
  { accept: "application/json" },
  { "if-none-match": '"x"' },
);

/** The fields of a form with some of them changed, in one of the encodings that clients use. */
function bodyOf(shown: Pairs, names: string[]): Arbitrary<Pick<FuzzRequest, "body" | "headers">> {
  const form = fc
    .tuple(fc.subarray(shown), seldom(pairsOf(names, 3), pairsOf(names, 30)))
    .map(([kept, changed]) => {
      const set = new Set(changed.map(([name]) => name));
      return [...kept.filter(([name]) => !set.has(name)), ...changed];
    });
  const encoded = fc.tuple(form, fc.constantFrom("urlencoded", "multipart", "json"));
  const usual = encoded.map(([pairs, way]) => encode(pairs, way));
  const types = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "a/b", ""];
  const odd = fc
    .tuple(fc.constantFrom(...types), fc.constantFrom("", "%", "--x\r\n\r\n", "{", "a=1&a&&="))
    .map(([type, body]) => ({ body, headers: headersOf(type) }));
  return seldom<Pick<FuzzRequest, "body" | "headers">>(usual, odd, 4);
}

function encode(pairs: Pairs, way: string): Pick<FuzzRequest, "body" | "headers"> {
  if (way === "urlencoded") return { body: new URLSearchParams(pairs), headers: {} };
  if (way === "json") {
    const body = JSON.stringify(Object.fromEntries(pairs));
    return { body, headers: { "content-type": "application/json" } };
  }
  const body = new FormData();
  for (const [name, value] of pairs) body.append(name, value);
  return { body, headers: {} };
}

function headersOf(type: string): Record<string, string> {
  return type ? { "content-type": type } : {};
}

interface Form {
  action: string;
  fields: Pairs;
}

/** The forms of the pages that show existing records. */
async function formsOf(own: Browser): Promise<Form[]> {
  const forms: Form[] = [];
  for (const { path } of routes.filter(({ method }) => method === "GET")) {
    const places = path.matchAll(/:(\w+)/g);
    const choices = PLACES[[...places][0]?.[1] ?? ""] ?? NUMBERED;
    for (const choice of path.includes(":") ? choices : [""]) {
      const { text } = await own.get(path.replace(/:\w+/g, choice).replace("*", "app.css"));
      for (const { attributes } of elements(text, "form")) {
        const within = `form[action="${attributes.action}"]`;
        const inputs = ["input", "textarea", "select", "button"].flatMap((tag) =>
          elements(text, `${within} ${tag}[name]`),
        );
        const fields = inputs.map((one): [string, string] => [
          one.attributes.name ?? "",
          one.attributes.value ?? "",
        ]);
        forms.push({ action: (attributes.action ?? path).split("?")[0] ?? "", fields });
      }
    }
  }
  return forms;
}

test("no request to a page returns 5xx", async () => {
  await aFeedNetwork();
  await aLocation({ name: "Racks" });
  await anItem({ ics_id: "AAA001", location: "Racks" });
  await aGroup({ name: "Web", hosts: ["web"] });
  let own = await browser(alice);
  const forms = await formsOf(own);
  const names = [
    ...new Set([...TABLE, ...forms.flatMap(({ fields }) => fields.map(([name]) => name))]),
  ];
  expect(names.length).toBeGreaterThan(60);
  const { origin } = await service();
  const errors: string[] = [];
  for (const { method, path } of routes) {
    const pattern = new RegExp(`^${path.replace(/:\w+/g, "[^/]+").replace("*", ".*")}$`);
    const shown = forms
      .filter(({ action }) => pattern.test(action))
      .flatMap(({ fields }) => fields);
    const isPost = method === "POST";
    const requests: Arbitrary<FuzzRequest> = fc
      .tuple(
        addressOf(path),
        pairsOf(QUERIES, isPost ? 1 : 3),
        headers,
        isPost
          ? bodyOf(shown, shown.length > 0 ? shown.map(([name]) => name) : names)
          : fc.constant({ headers: {} }),
      )
      .map(([address, query, more, content]) => ({
        ...content,
        path: query.length > 0 ? `${address}?${new URLSearchParams(query)}` : address,
        headers: { ...more, ...content.headers },
      }));
    const details = await fc.check(
      fc.asyncProperty(requests, async (sent) => {
        const { status, text } = await visit(origin + sent.path, {
          method,
          body: sent.body,
          headers: {
            accept: "text/html",
            "sec-fetch-site": "same-origin",
            ...sent.headers,
            cookie: own.cookie,
          },
        });
        if (status >= 500) throw new Error(`${status} ${text.slice(0, 500)}`);
      }),
      BUDGET,
    );
    if (details.failed) errors.push(`${method} ${path}: ${inWords(details)}`);
    if ((await own.get("/user/profile")).status !== 200) own = await browser(alice);
  }
  expect(errors).toEqual([]);
});
