// Addresses, headers, and queries of the search.
import { sessionOf } from "../../pages/request/cookies.ts";
import { interpret } from "../../src/network/common/read_query.ts";
import { parse } from "../../src/search/language/parser.ts";
import { type ParserExample, several } from "../support/example.ts";
import { alice, api, visit } from "../support/mod.ts";

export const ADDRESSES: ParserExample[] = [
  {
    name: "query string: one parameter many times",
    make: (n) => `/api/v1/inventory/locations?${"name=a&".repeat(124 * n)}per_page=1`,
    parse: async (path) => api(alice).get(path.slice("/api/v1".length)),
  },
  {
    name: "query string: many parameters",
    make: (n) => `/inventory/locations?${several(124 * n, (at) => `k${at}=1`, "&")}`,
    parse: (path) => api(alice).get(path),
  },
  {
    name: "query string: more than are taken",
    make: (n) => `/inventory/items/list?${"a&".repeat(3_000 * n)}`,
    parse: async (path) => visit(path),
  },
  {
    name: "path: of many parts",
    make: (n) => `/api/v1${"/x".repeat(250 * n)}`,
    parse: (path) => visit(path),
  },
  {
    name: "path: percent-encoded",
    make: (n) => `/inventory/items/view/${"%41".repeat(160 * n)}`,
    parse: (path) => visit(path),
  },
  {
    name: "cookies",
    make: (n) => new Request("http://x", { headers: { cookie: "session=a;  ".repeat(160 * n) } }),
    parse: (request) => several(200, () => sessionOf(request) ?? ""),
  },
  {
    name: "a text in the one box",
    make: (n) => `${";".repeat(7_000 * n)}x${";".repeat(7_000 * n)}x`,
    parse: interpret,
  },
];

const SHAPES: Record<string, string> = {
  words: "a ",
  brackets: "(",
  "quotation marks": '"a ',
  slashes: "/a ",
  escapes: "\\",
  "brackets of ranges": "[a TO ",
  stars: "a*",
  fields: "a:",
  tildes: "a~",
  signs: "+-!",
  "signs of fuzziness": "~",
  "escaped slashes": "\\/",
  groups: "(a) ",
  digits: "1",
  "combining marks": "a\u0301\u0323",
  words_joined: "a OR ",
};
export const QUERIES: ParserExample[] = Object.entries(SHAPES).map(([name, shape]) => ({
  name: `query: ${name}`,
  make: (n) => shape.repeat((2_000 * n) / shape.length),
  parse: (text) => {
    for (let times = 0; times < 5; times += 1) attemptQuery(text);
  },
}));

function attemptQuery(text: string): void {
  try {
    parse(text);
  } catch {
    // A query that cannot be read is answered with its place.
  }
}
