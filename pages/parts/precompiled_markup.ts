// Markup that is repeated with different texts: rendered once, then filled in.
import type { ComponentChildren, VNode } from "preact";
import { jsxEscape, jsxTemplate } from "preact/jsx-runtime";
import { renderToString } from "preact-render-to-string";
import { useNonce, withoutFrame } from "../request/frame.ts";

/** Secret, so that no text of a user can look like a placeholder. */
const SECRET = crypto.randomUUID();
const MARK = new RegExp(`\\{${SECRET}:(\\w+)\\}`);
const NONCE = `{${SECRET}:nonce}`;

type Filling = Record<string, ComponentChildren>;
type Marks<Props> = { [name in keyof Props]: string };

/**
 * A component that is rendered once with placeholders for its props. It inserts the props without reading them: texts
 * anywhere, markup among children. The renderer fills them in and escapes them. Of the frame it can use only useHx.
 */
export function precompiled<Props extends Filling>(
  draw: (marks: Marks<Props>) => VNode,
): (props: Props) => VNode {
  const marks = new Proxy({} as Marks<Props>, {
    get: (_, name) => `{${SECRET}:${String(name)}}`,
  });
  const parts = withoutFrame(NONCE, () => renderToString(draw(marks))).split(MARK);
  const markup = parts.filter((_, at) => at % 2 === 0);
  const names = parts.filter((_, at) => at % 2 === 1);
  return (props) => {
    const fillings = names.map((name) => (name === "nonce" ? useNonce() : props[name]));
    const text = joined(markup, fillings);
    return text === undefined ? jsxTemplate(markup, ...fillings.map(escaped)) : jsxTemplate([text]);
  };
}

// Texts, and markup that is finished, are joined at once: for each element that is left the renderer takes many times as
// long, and the row of a list has dozens.
function joined(markup: string[], fillings: ComponentChildren[]): string | undefined {
  let text = markup[0] ?? "";
  for (const [at, filling] of fillings.entries()) {
    const one = finished(filling);
    if (one === undefined) return undefined;
    text += one + markup[at + 1];
  }
  return text;
}

/** Escaped, as the renderer would write it; undefined of markup that it has to render. */
function finished(filling: ComponentChildren): string | undefined {
  if (Array.isArray(filling)) {
    const all = filling.map(finished);
    return all.includes(undefined) ? undefined : all.join("");
  }
  if (filling === null || typeof filling !== "object") {
    return (jsxEscape(filling) as string | null) ?? "";
  }
  const { tpl } = (filling as VNode<{ tpl?: string[] }>).props ?? {};
  return tpl?.length === 1 ? tpl[0] : undefined;
}

// The elements of an array are escaped when the template is rendered (Preact 11.2.0).
function escaped(filling: ComponentChildren): unknown {
  return Array.isArray(filling) ? filling : jsxEscape(filling);
}
