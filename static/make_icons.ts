// Remakes icons.svg from @tabler/icons: bun static/make_icons.ts
import { readFileSync, writeFileSync } from "node:fs";

const OUTLINE = [
  "activity",
  "adjustments",
  "alert-triangle",
  "arrow-down",
  "arrow-up",
  "arrows-sort",
  "baseline-density-medium",
  "baseline-density-small",
  "bolt",
  "book",
  "box",
  "building-factory",
  "camera",
  "check",
  "chevron-down",
  "chevron-left",
  "chevron-right",
  "circle-dot",
  "columns",
  "copy",
  "cube",
  "device-desktop",
  "dots",
  "download",
  "external-link",
  "eye",
  "eye-off",
  "file",
  "filter",
  "history",
  "home",
  "info-circle",
  "key",
  "keyboard",
  "link",
  "lock",
  "logout",
  "map-pin",
  "message",
  "moon",
  "network",
  "pencil",
  "plus",
  "printer",
  "qrcode",
  "scan",
  "search",
  "server",
  "sitemap",
  "star",
  "sun",
  "tag",
  "trash",
  "upload",
  "user",
  "users-group",
  "world",
  "x",
];
const FILLED = ["star"];

const packaged = new URL("../node_modules/@tabler/icons/", import.meta.url);
const notice = `<!--\nTabler Icons 3.51.0, https://tabler.io/icons\n\n${read("LICENSE").trim()}\n-->`;
/** Our own mark: a plot of land, divided. */
const MARK =
  '<rect x="3" y="3" width="18" height="18" rx="2.5"/><path d="M10 3l3 18M3 14.5l9-1.7M11.3 10l9.7-1.8M16.5 9.1l1.2 11.9"/>';
const symbols = [
  symbol("cadastre", MARK),
  ...OUTLINE.map((name) => symbol(name, drawing("outline", name))),
  ...FILLED.map((name) =>
    symbol(`${name}-filled`, `<g fill="currentColor" stroke="none">${drawing("filled", name)}</g>`),
  ),
];
writeFileSync(
  new URL("icons.svg", import.meta.url),
  `<svg xmlns="http://www.w3.org/2000/svg">\n${notice}\n${symbols.join("\n")}\n</svg>\n`,
);

function symbol(id: string, shapes: string): string {
  return `<symbol id="${id}" viewBox="0 0 24 24">${shapes}</symbol>`;
}

/** The shapes of an icon, without the svg element and the invisible square behind them. */
function drawing(style: string, name: string): string {
  return read(`icons/${style}/${name}.svg`)
    .replace(/<\/?svg[^>]*>/g, "")
    .replace(/<path stroke="none"[^>]*>/, "")
    .replace(/\s+\/>/g, "/>")
    .replace(/\s*\n\s*/g, "");
}

function read(path: string): string {
  return readFileSync(new URL(path, packaged), "utf8");
}
