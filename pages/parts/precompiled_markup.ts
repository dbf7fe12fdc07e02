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
