// Markup that is repeated on pages and differs in a few texts: rendered once, then filled in.
import type { ComponentChildren, VNode } from "preact";
import { jsxEscape, jsxTemplate } from "preact/jsx-runtime";
import { renderToString } from "preact-render-to-string";
import { apart, useNonce } from "../request/frame.ts";

/** Secret, so that no text from outside can pass for a mark. */
const SECRET = crypto.randomUUID();
const MARK = new RegExp(`\\{${SECRET}:(\\w+)\\}`);
const NONCE = `{${SECRET}:nonce}`;

type Filling = Record<string, ComponentChildren>;
type Marks<Props> = { [name in keyof Props]: string };

/**
 * A component that is drawn only once, with marks in the place of its props, which it puts where they belong and does
 * not look into: texts anywhere, markup among children. They are filled in by the renderer's own means, which escape.
 * Of the frame it may ask for nothing but the means to write hx- attributes.
 */
export function precompiled<Props extends Filling>(
  draw: (marks: Marks<Props>) => VNode,
): (props: Props) => VNode {
  const marks = new Proxy({} as Marks<Props>, {
    get: (_, name) => `{${SECRET}:${String(name)}}`,
  });
  const parts = apart(NONCE, () => renderToString(draw(marks))).split(MARK);
  const markup = parts.filter((_, at) => at % 2 === 0);
  const names = parts.filter((_, at) => at % 2 === 1);
  return (props) =>
    jsxTemplate(
      markup,
      ...names.map((name) => escaped(name === "nonce" ? useNonce() : props[name])),
    );
}

// The elements of an array are escaped when the template is rendered (Preact 11.2.0).
function escaped(filling: ComponentChildren): unknown {
  return Array.isArray(filling) ? filling : jsxEscape(filling);
}
