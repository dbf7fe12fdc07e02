// The files that browsers load: in memory, named by their content, kept for a year.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import csp from "htmx.org/dist/ext/hx-csp.min.js" with { type: "text" };
import htmx from "htmx.org/dist/htmx.min.js" with { type: "text" };
import jsqr from "jsqr/dist/jsQR.js" with { type: "text" };
import { preferredEncoding } from "../src/http/encoding.ts";
import admin from "./admin.css" with { type: "text" };
import ground from "./app.css" with { type: "text" };
import script from "./app.js" with { type: "text" };
import attributes from "./attributes.css" with { type: "text" };
import bulk from "./bulk.css" with { type: "text" };
import cards from "./cards.css" with { type: "text" };
import comments from "./comments.css" with { type: "text" };
import examples from "./examples.css" with { type: "text" };
import favicon from "./favicon.svg" with { type: "text" };
import files from "./files.css" with { type: "text" };
import filesScript from "./files.js" with { type: "text" };
import floats from "./floats.css" with { type: "text" };
import flow from "./flow.css" with { type: "text" };
import forms from "./forms.css" with { type: "text" };
import frame from "./frame.css" with { type: "text" };
import groups from "./groups.css" with { type: "text" };
import home from "./home.css" with { type: "text" };
import hosts from "./hosts.css" with { type: "text" };
import icon192 from "./icon-192.png" with { type: "file" };
import icon512 from "./icon-512.png" with { type: "file" };
import icons from "./icons.svg" with { type: "text" };
import importing from "./import.css" with { type: "text" };
import items from "./items.css" with { type: "text" };
import keys from "./keys.js" with { type: "text" };
import labels from "./labels.css" with { type: "text" };
import lists from "./lists.css" with { type: "text" };
import marks from "./live.css" with { type: "text" };
import liveScript from "./live.js" with { type: "text" };
import login from "./login.css" with { type: "text" };
import map from "./map.js" with { type: "text" };
import networks from "./networks.css" with { type: "text" };
import pages from "./pages.css" with { type: "text" };
import palette from "./palette.js" with { type: "text" };
import parcels from "./parcels.css" with { type: "text" };
import parts from "./parts.css" with { type: "text" };
import passkeyScript from "./passkeys.js" with { type: "text" };
import pills from "./pills.css" with { type: "text" };
import print from "./print.css" with { type: "text" };
import proposals from "./proposals.js" with { type: "text" };
import query from "./query.css" with { type: "text" };
import records from "./records.css" with { type: "text" };
import reference from "./reference.css" with { type: "text" };
import results from "./results.css" with { type: "text" };
import scan from "./scan.css" with { type: "text" };
import scanScript from "./scan.js" with { type: "text" };
import scanWorker from "./scan_worker.js" with { type: "text" };
import search from "./search.css" with { type: "text" };
import times from "./times.js" with { type: "text" };
import typeahead from "./typeahead.js" with { type: "text" };

// The only extension of htmx is hx-csp: it ignores hx- attributes without the nonce.
const HTMX = `/* htmx 4.0.1 with hx-csp, Zero-Clause BSD, https://htmx.org */\n${bare(htmx)}\n${bare(csp)}\n`;
// A quarter of a megabyte, loaded only when the camera is opened.
const READER = `/* jsQR 1.4.0, Apache-2.0, https://github.com/cozmo/jsQR */\n${jsqr}\n${scanWorker}`;

const shortNames = new Map<string, string>();

const FRAME = [ground, forms, frame, lists, cards, parts, floats, pages];
const COMMON = [...FRAME, pills, items, records, search];

const FILES = {
  "app.css": sheet([...COMMON, bulk, hosts, flow, admin]),
  "desk.css": sheet([...FRAME, pills, items, search, labels, scan, print]),
  "help.css": sheet([...FRAME, search, reference]),
  "home.css": sheet([...FRAME, pills, search, results, parcels, flow, home]),
  "admin.css": sheet([...COMMON, flow, admin]),
  "hosts.css": sheet([...COMMON, bulk, query, examples, hosts, groups, files]),
  "import.css": sheet([...COMMON, bulk, importing]),
  "inventory.css": sheet([...COMMON, bulk, examples, attributes, comments, labels, files]),
  "login.css": sheet([...FRAME, login]),
  "network.css": sheet([...FRAME, bulk, items, records, search, networks, parcels, files]),
  // Contains htmx: another file would be another request of a first visit.
  "app.js": HTMX + withoutComments([script, keys, typeahead, palette, map, times, proposals]),
  "files.js": filesScript,
  "favicon.svg": favicon,
  "icon-192.png": bytesOf(icon192),
  "icon-512.png": bytesOf(icon512),
  "icons.svg": icons,
  // With its rules, which no other page needs.
  "live.js": `const RULES = ${JSON.stringify(sheet([marks]))};\n${withoutComments([liveScript])}`,
  "passkeys.js": passkeyScript,
  "scan.js": scanScript,
  "scan_worker.js": READER,
};
const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml; charset=utf-8",
};
/** The smallest result first. */
const COMPRESS = {
  br: (text: Asset["content"]) =>
    brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  zstd: (text: Asset["content"]) =>
    zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }),
  gzip: (text: Asset["content"]) => gzipSync(text, { level: 9 }),
};

export type AssetName = keyof typeof FILES;
type Encoding = keyof typeof COMPRESS;
const ENCODINGS = Object.keys(COMPRESS) as Encoding[];

interface Asset {
  content: string | Uint8Array<ArrayBuffer>;
  type: string;
  packed: Map<Encoding, Uint8Array<ArrayBuffer>>;
}

const paths = new Map<string, string>();
const assets = new Map<string, Asset>();
for (const [name, content] of Object.entries(FILES)) {
  const path = hashed(name, content);
  paths.set(name, path);
  assets.set(path, { content, type: typeOf(name), packed: new Map() });
}

/** The stylesheets of pages, by the beginning of their paths; all other pages have app.css. */
const SHEETS: Array<[paths: RegExp, sheet: AssetName]> = [
  [/^\/(inventory|network|admin(\/.*)?|site_fields\/(create|edit\/.*))\/?$/, "admin.css"],
  [/^\/inventory\/(scanner|items\/labels)\b/, "desk.css"],
  [/^\/(inventory\/items|network\/hosts)\/import\b/, "import.css"],
  [/^\/(inventory|files)\b/, "inventory.css"],
  [/^\/network\/(hosts|interfaces|groups)\b/, "hosts.css"],
  [/^\/network\b/, "network.css"],
  [/^\/(user\/log(in|out)|notices\/unsubscribe)\b/, "login.css"],
  [/^\/(help|api)\b/, "help.css"],
  [/^\/$/, "home.css"],
];

/** The stylesheet of a page. Each page has one, which contains the common rules. */
export function sheetOf(path: string): string {
  return asset(SHEETS.find(([paths]) => paths.test(path))?.[1] ?? "app.css");
}

/** Path with a hash of the content, for pages: asset("app.css") is "/static/app.1a2b3c4d.css". */
export function asset(name: AssetName): string {
  return paths.get(name) ?? "";
}

/** The file behind a path under /static/, compressed as the client accepts it. */
export function serve(pathname: string, acceptEncoding: string | null): Response | undefined {
  const found = assets.get(pathname);
  if (!found) return undefined;
  const { content, type } = found;
  const encoding =
    typeof content === "string" ? preferredEncoding(acceptEncoding, ENCODINGS) : undefined;
  return new Response(encoding ? pack(found, encoding) : content, {
    headers: {
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(encoding && { "content-encoding": encoding }),
    },
  });
}

/** Compresses a file at the highest level, when it is first requested. */
function pack(file: Asset, encoding: Encoding): Uint8Array<ArrayBuffer> {
  const known = file.packed.get(encoding);
  if (known) return known;
  const packed = new Uint8Array(COMPRESS[encoding](file.content));
  file.packed.set(encoding, packed);
  return packed;
}

function hashed(name: string, content: Asset["content"]): string {
  const hash = new Bun.CryptoHasher("sha256").update(content).digest("hex").slice(0, 8);
  return `/static/${name.replace(".", `.${hash}.`)}`;
}

/** A bundle has a path relative to itself. */
function bytesOf(path: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(resolve(import.meta.dir, path)));
}

function typeOf(name: string): string {
  return TYPES[name.replace(/.*\./, "")] ?? "text/plain; charset=utf-8";
}

/** Without comments, indentation and most spaces, and with short names. */
function sheet(parts: string[]): string {
  return parts
    .join("\n")
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/\n\s*/g, "")
    .replace(/([:,]) | (?=\{)| ([>~]) /g, "$1$2")
    .replace(/(?<![\d.])0(?=\.\d)/g, "")
    .replaceAll(";}", "}")
    .replace(/--[a-z-]+/g, shortName);
}

/** Custom properties have the same short names in all sheets: a sheet has hundreds of them. */
function shortName(name: string): string {
  const short = shortNames.get(name) ?? `--${shortNames.size.toString(36)}`;
  shortNames.set(name, short);
  return short;
}

/** Our scripts without indentation, and without comments, each of which has lines of its own. */
function withoutComments(scripts: string[]): string {
  return scripts.join("\n").replace(/^\s*\/[/*].*\n|^\s+/gm, "");
}

function bare(text: string): string {
  return text.replace(/\n?\/\/# sourceMappingURL=.*/g, "");
}
