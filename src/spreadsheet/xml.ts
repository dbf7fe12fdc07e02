// XML as spreadsheets have it, piece by piece: elements, their attributes and text. Nothing is declared
// and nothing expands, so that no file grows while it is read.
import { DEEPEST_XML, MOST_XML_ELEMENTS } from "../input/limits.ts";
import { unreadable } from "./unreadable.ts";

export interface Opened {
  is: "opened";
  name: string;
  attributes: Record<string, string>;
  /** Nothing stands in it, and no end follows. */
  isEmpty: boolean;
}

export interface Text {
  is: "text";
  text: string;
  /** The names of the elements that it stands in, the outermost first. */
  within: readonly string[];
}

export type Piece = Opened | Text | { is: "closed"; name: string };

const NAME = "[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?";
// JavaScriptCore lets hundreds of megabytes of pieces pile up first.
const SWEEP = 100_000;

const PIECE = new RegExp(
  [
    "(?<text>[^<]+)",
    "<!--[^]*?-->",
    "<!\\[CDATA\\[(?<verbatim>[^]*?)\\]\\]>",
    "<\\?[^]*?\\?>",
    `</(?<closed>${NAME})\\s*>`,
    `<(?<opened>${NAME})`,
  ].join("|"),
  "y",
);
// One at a time: a pattern for all of them remembers each, and takes ten times as long from some thousands on.
const ATTRIBUTE = new RegExp(`\\s+(${NAME})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, "y");
const END = /\s*(\/?)>/y;

/** Names come without their prefix: what one writer calls x:row, another calls row. */
export function* pieces(xml: string): Generator<Piece> {
  const within: string[] = [];
  let elements = 0;
  let at = xml.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < xml.length) {
    PIECE.lastIndex = at;
    const found = PIECE.exec(xml)?.groups;
    if (!found) throw broken();
    at = PIECE.lastIndex;
    const { text, verbatim, closed, opened } = found;
    if (opened) {
      const { element, end } = elementAt(xml, at, opened);
      at = end;
      elements += 1;
      if (elements % SWEEP === 0) Bun.gc(true);
      if (elements > MOST_XML_ELEMENTS) throw unreadable("This file has too many parts; split it");
      if (!element.isEmpty) within.push(element.name);
      if (within.length > DEEPEST_XML) throw broken();
      yield element;
    } else if (closed) {
      const name = localName(closed);
      if (within.pop() !== name) throw broken();
      yield { is: "closed", name };
    } else if (text) yield { is: "text", text: plain(text), within };
    else if (verbatim) yield { is: "text", text: verbatim, within };
  }
  if (within.length > 0) throw broken();
}

/** The element of this name, whose attributes begin here. */
function elementAt(xml: string, at: number, name: string): { element: Opened; end: number } {
  const attributes: Record<string, string> = {};
  let end = at;
  for (;;) {
    ATTRIBUTE.lastIndex = end;
    const [, key, double, single] = ATTRIBUTE.exec(xml) ?? [];
    if (key === undefined) break;
    end = ATTRIBUTE.lastIndex;
    attributes[localName(key)] = plain(double ?? single ?? "");
  }
  END.lastIndex = end;
  const [, empty] = END.exec(xml) ?? [];
  if (empty === undefined) throw broken();
  const element: Opened = {
    is: "opened",
    name: localName(name),
    attributes,
    isEmpty: empty === "/",
  };
  return { element, end: END.lastIndex };
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** The five names that need no declaration, and numbers; any other would have to be declared. */
function plain(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&([^;&]{0,12};?)/g, (_, inside: string) => {
    const [, name, decimal, hexadecimal] =
      /^(?:(\w+)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));$/.exec(inside) ?? [];
    const known = name && Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal ?? "", 16);
    const character = code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
    const meant = known ?? character;
    if (meant === undefined) throw broken();
    return meant;
  });
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function broken(): Error {
  return unreadable("This file is damaged; save it again as .xlsx");
}
