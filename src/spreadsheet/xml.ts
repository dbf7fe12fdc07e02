// A tokenizer for the XML of spreadsheets: elements, their attributes and text. Declared entities are refused, so that
// no file expands while it is read.
import { DEEPEST_XML, MOST_XML_ELEMENTS } from "../input/limits.ts";
import { damagedFile, unreadable } from "./unreadable.ts";

export interface OpeningTag {
  is: "opened";
  name: string;
  attributes: Record<string, string>;
  /** A self-closing tag, without an end tag. */
  isEmpty: boolean;
}

export interface TextToken {
  is: "text";
  text: string;
  /** The names of the enclosing elements, the outermost first. */
  within: readonly string[];
}

type XmlToken = OpeningTag | TextToken | { is: "closed"; name: string };

const NAME = "[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?";
// Elements between garbage collections: JavaScriptCore would let hundreds of megabytes pile up first.
const COLLECT_EVERY = 100_000;

const TOKEN = new RegExp(
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
// One attribute at a time: a repeated group takes ten times as long from some thousands of attributes on.
const ATTRIBUTE = new RegExp(`\\s+(${NAME})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, "y");
const END = /\s*(\/?)>/y;

/** Names are given without their prefix: some programs write x:row, others row. */
export function* xmlTokens(xml: string): Generator<XmlToken> {
  const within: string[] = [];
  let elements = 0;
  let at = xml.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < xml.length) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(xml)?.groups;
    if (!found) throw damagedFile();
    at = TOKEN.lastIndex;
    const { text, verbatim, closed, opened } = found;
    if (opened) {
      const { element, end } = elementAt(xml, at, opened);
      at = end;
      elements += 1;
      if (elements % COLLECT_EVERY === 0) Bun.gc(true);
      if (elements > MOST_XML_ELEMENTS) throw unreadable("This file has too many parts; split it");
      if (!element.isEmpty) within.push(element.name);
      if (within.length > DEEPEST_XML) throw damagedFile();
      yield element;
    } else if (closed) {
      const name = localName(closed);
      if (within.pop() !== name) throw damagedFile();
      yield { is: "closed", name };
    } else if (text) yield { is: "text", text: unescapeXml(text), within };
    else if (verbatim) yield { is: "text", text: verbatim, within };
  }
  if (within.length > 0) throw damagedFile();
}

/** The element of this name, whose attributes begin here. */
function elementAt(xml: string, at: number, name: string): { element: OpeningTag; end: number } {
  const attributes: Record<string, string> = {};
  let end = at;
  for (;;) {
    ATTRIBUTE.lastIndex = end;
    const [, key, double, single] = ATTRIBUTE.exec(xml) ?? [];
    if (key === undefined) break;
    end = ATTRIBUTE.lastIndex;
    attributes[localName(key)] = unescapeXml(double ?? single ?? "");
  }
  END.lastIndex = end;
  const [, empty] = END.exec(xml) ?? [];
  if (empty === undefined) throw damagedFile();
  const element: OpeningTag = {
    is: "opened",
    name: localName(name),
    attributes,
    isEmpty: empty === "/",
  };
  return { element, end: END.lastIndex };
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Replaces the five predefined entities and numeric references; other entities are refused. */
function unescapeXml(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&([^;&]{0,12};?)/g, (_, inside: string) => {
    const [, name, decimal, hexadecimal] =
      /^(?:(\w+)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));$/.exec(inside) ?? [];
    const named = name && Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal ?? "", 16);
    const character = code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
    const replacement = named ?? character;
    if (replacement === undefined) throw damagedFile();
    return replacement;
  });
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
