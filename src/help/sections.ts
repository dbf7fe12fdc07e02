// A document as sections, each a heading with what follows it. Bun parses the Markdown.

export interface HelpSection {
  /** Of the heading, as GitHub writes it in a link. */
  id: string;
  level: number;
  title: string;
  /** What follows, up to the next heading. */
  nodes: HelpNode[];
  /** The terms that it defines: rows of a table that begin with a bold word. */
  terms: HelpTerm[];
}

export interface HelpTerm {
  id: string;
  title: string;
  text: string;
}

/** Text, or an element as in HTML. */
export type HelpNode = string | HelpElement;

export interface HelpElement {
  type: string;
  props: { children?: HelpNode[]; id?: string; href?: string };
}

export function parseSections(markdown: string): HelpSection[] {
  const { props } = Bun.markdown.react(markdown, undefined, { headings: { ids: true } }) as {
    props: HelpElement["props"];
  };
  const sections: HelpSection[] = [];
  for (const node of props.children ?? []) {
    const heading = headingIn(node);
    if (heading) sections.push(heading);
    else sections.at(-1)?.nodes.push(withoutCode(node));
  }
  for (const section of sections) section.terms = section.nodes.flatMap(termsIn);
  return sections;
}

/** A last column that says where something is in the code is for those who read it. */
function withoutCode(node: HelpNode): HelpNode {
  if (typeof node === "string" || node.type !== "table") return node;
  const isCode = /in code\s*$/.test(plainText(node.props.children?.[0] ?? ""));
  return isCode ? withoutLastCells(node) : node;
}

function withoutLastCells(node: HelpElement): HelpElement {
  const all = node.props.children ?? [];
  const children =
    node.type === "tr"
      ? all.slice(0, -1)
      : all.map((one) => (typeof one === "string" ? one : withoutLastCells(one)));
  return { ...node, props: { ...node.props, children } };
}

function headingIn(node: HelpNode): HelpSection | undefined {
  if (typeof node === "string") return undefined;
  const [, level] = /^h([1-6])$/.exec(node.type) ?? [];
  if (!level) return undefined;
  const { id = "" } = node.props;
  return { id, level: Number(level), title: plainText(node).trim(), nodes: [], terms: [] };
}

function termsIn(node: HelpNode): HelpTerm[] {
  if (typeof node === "string") return [];
  const term = termOf(node);
  if (!term) return (node.props.children ?? []).flatMap(termsIn);
  const [, meaning] = node.props.children ?? [];
  return [{ ...term, text: meaning ? plainText(meaning).trim() : "" }];
}

/** The term of a row that defines one. */
export function termOf({ type, props }: HelpElement): Omit<HelpTerm, "text"> | undefined {
  const [cell] = type === "tr" ? (props.children ?? []) : [];
  const [bold] = typeof cell === "object" ? (cell.props.children ?? []) : [];
  if (typeof bold !== "object" || bold.type !== "strong") return undefined;
  const title = plainText(bold);
  return { id: title.toLowerCase().replace(/\W+/g, "-"), title };
}

/** Without marks; a blank follows what stands on its own. */
export function plainText(node: HelpNode): string {
  if (typeof node === "string") return node;
  const text = (node.props.children ?? []).map(plainText).join("");
  return /^(p|li|td|th|pre|h\d)$/.test(node.type) ? `${text} ` : text;
}

/** The sentences of a node, without those that name code; nothing of code and tables. */
export function prose(node: HelpNode): string {
  const said = plainText(withCodeMarked(node));
  return said
    .split(/(?<=[.:;!?])\s+/)
    .filter((sentence) => !sentence.includes(CODE))
    .join(" ");
}

const CODE = "\u0000";
/** Names of keys, fields and settings are read as words; paths, requests and expressions are not. */
const IS_WORD = /^[\w. -]+$/;

function withCodeMarked(node: HelpNode): HelpNode {
  if (typeof node === "string") return node;
  const { type, props } = node;
  if (type === "pre" || type === "table") return "";
  if (type === "code" && !IS_WORD.test(plainText(node))) return CODE;
  return { ...node, props: { ...props, children: (props.children ?? []).map(withCodeMarked) } };
}
