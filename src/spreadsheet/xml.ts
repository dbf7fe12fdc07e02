// XML as spreadsheets have it, piece by piece: elements, their attributes and text. Nothing is declared
// and nothing expands, so that no file grows while it is read.
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
const ATTRIBUTE = `\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*')`;
const PIECE = new RegExp(
  [
    "(?<text>[^<]+)",
    "<!--[^]*?-->",
    "<!\\[CDATA\\[(?<verbatim>[^]*?)\\]\\]>",
    "<\\?[^]*?\\?>",
    `</(?<closed>${NAME})\\s*>`,
    `<(?<opened>${NAME})(?<attributes>(?:${ATTRIBUTE})*)\\s*(?<empty>/?)>`,
  ].join("|"),
  "y",
);

/** Names come without their prefix: what one writer calls x:row, another calls row. */
export function* pieces(xml: string): Generator<Piece> {
  const pattern = new RegExp(PIECE);
  const within: string[] = [];
  pattern.lastIndex = xml.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (pattern.lastIndex < xml.length) {
    const found = pattern.exec(xml)?.groups;
    if (!found) throw broken();
    const { text, verbatim, closed, opened } = found;
    if (opened) {
      const element = elementIn(opened, found);
      if (!element.isEmpty) within.push(element.name);
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

function elementIn(name: string, { attributes, empty }: Record<string, string>): Opened {
  return {
    is: "opened",
    name: localName(name),
    attributes: attributes ? attributesIn(attributes) : {},
    isEmpty: empty === "/",
  };
}

function attributesIn(text: string): Record<string, string> {
  const pairs = text.matchAll(/([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return Object.fromEntries(
    [...pairs].map(([, name = "", double, single]) => [
      localName(name),
      plain(double ?? single ?? ""),
    ]),
  );
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
