// Markup that is repeated with different texts: rendered once, then filled in.
import { type ComponentChildren, Fragment, type VNode } from "preact";
import { jsx, jsxEscape, jsxTemplate } from "preact/jsx-runtime";
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
  const fillingOf = (props: Props, name: string) => (name === "nonce" ? useNonce() : props[name]);
  return (props) => {
    let text = markup[0] ?? "";
    for (let at = 0; at < names.length; at += 1) {
      const one = finished(fillingOf(props, names[at] ?? ""));
      if (one === undefined) {
        return jsxTemplate(markup, ...names.map((name) => escaped(fillingOf(props, name))));
      }
      text += one + markup[at + 1];
    }
    // As jsxTemplate() makes it, without a list of the expressions that it does not have.
    return jsx(Fragment, { tpl: [text] } as object);
  };
}

/** Variants may contain what users choose, such as columns. */
const MOST_VARIANTS = 1_000;

/** The same for markup that differs by more than what is inserted: each variant is rendered when it is first needed. */
export function precompiledBy<Variant, Props extends Filling = Record<never, never>>(
  draw: (variant: Variant, marks: Marks<Props>) => VNode,
): (variant: Variant) => (props: Props) => VNode {
  const cached = new Map<string, (props: Props) => VNode>();
  return (variant) => {
    const key = JSON.stringify(variant);
    const known = cached.get(key);
    if (known) return known;
    const made = precompiled<Props>((marks) => draw(variant, marks));
    if (cached.size >= MOST_VARIANTS) cached.clear();
    cached.set(key, made);
    return made;
  };
}

const SPECIAL = /["&<]/;

/**
 * Texts, escaped, and markup that is finished, which are joined at once: for each element that is left the renderer takes
 * many times as long, and the row of a list has dozens. Undefined of markup that has to be rendered.
 */
function finished(filling: ComponentChildren): string | undefined {
  if (typeof filling === "string")
    return SPECIAL.test(filling) ? (jsxEscape(filling) as string) : filling;
  if (filling === null || typeof filling !== "object") return (jsxEscape(filling) as string) ?? "";
  if (Array.isArray(filling)) {
    let text = "";
    for (const part of filling) {
      const one = finished(part);
      if (one === undefined) return undefined;
      text += one;
    }
    return text;
  }
  const { tpl } = (filling as VNode<{ tpl?: string[] }>).props ?? {};
  return tpl?.length === 1 ? tpl[0] : undefined;
}

// The elements of an array are escaped when the template is rendered (Preact 11.2.0).
function escaped(filling: ComponentChildren): unknown {
  return Array.isArray(filling) ? filling : jsxEscape(filling);
}
