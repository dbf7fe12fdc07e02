// Draws what a document says. Text stays text: no markup of a document reaches the page.
import { type ComponentChildren, h } from "preact";
import { documentNamed } from "../../src/help/documents.ts";
import { type HelpElement, type HelpNode, plainText, termOf } from "../../src/help/sections.ts";
import { Snippet } from "../parts/snippet.tsx";

/** Elements that are drawn as they are, without attributes. */
const PLAIN = new Set("blockquote br code del em hr li ol p strong tbody td thead ul".split(" "));

/** `of` is the document, to which its own links lead. */
export function Markdown({ nodes, of }: { nodes: readonly HelpNode[]; of: string }) {
  return <>{nodes.map((node) => shown(node, of))}</>;
}

function shown(node: HelpNode, of: string): ComponentChildren {
  if (typeof node === "string") return node;
  const { type, props } = node;
  const children = (props.children ?? []).map((child) => shown(child, of));
  if (type === "a")
    return (
      <Way href={props.href ?? ""} of={of}>
        {children}
      </Way>
    );
  if (type === "table") return <Table>{children}</Table>;
  if (type === "pre") return <Snippet text={plainText(node).trimEnd()} />;
  if (type === "th") return children.length > 0 ? <th scope="col">{children}</th> : <td />;
  if (type === "tr") return <tr id={termIn(node)}>{children}</tr>;
  return PLAIN.has(type) ? h(type, null, children) : children;
}

/** A term of the glossary can be linked to. */
function termIn(row: HelpElement): string | undefined {
  return termOf(row)?.id;
}

/** It may be wider than the page, so it scrolls by itself, also by the arrow keys. */
function Table({ children }: { children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div class="wide" tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

interface WayProps {
  href: string;
  of: string;
  children: ComponentChildren;
}

/** A path of this site, as `/inventory/items`. Two slashes would lead to another one. */
const OF_SITE = /^\/(?!\/)[\w/-]*$/;

/** Other documents are pages here; files of the project are not, so their names stay as text. */
function Way({ href, of, children }: WayProps) {
  if (OF_SITE.test(href)) return <a href={href}>{children}</a>;
  if (/^https?:/.test(href)) {
    return (
      <a href={href} rel="noopener noreferrer">
        {children}
      </a>
    );
  }
  const [, name = of, place = ""] = /^(?:([\w-]+)\.md)?(#.+)?$/.exec(href) ?? [];
  const isHere =
    href.startsWith("#") || (href.includes(".md") && documentNamed(name) !== undefined);
  return isHere ? <a href={`/help/${name}${place}`}>{children}</a> : children;
}
