// What a page holds, read with the parser of the runtime.

export interface Element {
  tag: string;
  attributes: Record<string, string>;
}

/** Every element of a page that a selector finds, in order. */
export function elements(html: string, selector: string): Element[] {
  const found: Element[] = [];
  new HTMLRewriter()
    .on(selector, {
      element: ({ tagName, attributes }) => {
        const pairs = [...attributes].map(([name, value]) => [name, decode(value)]);
        found.push({ tag: tagName, attributes: Object.fromEntries(pairs) });
      },
    })
    .transform(html);
  return found;
}

/** The text of the elements that a selector finds. */
export function texts(html: string, selector: string): string[] {
  const found: string[] = [];
  new HTMLRewriter()
    .on(selector, {
      element: () => {
        found.push("");
      },
      text: ({ text }) => {
        found.push((found.pop() ?? "") + text);
      },
    })
    .transform(html);
  return found.map((text) => text.replace(/\s+/g, " ").trim());
}

function decode(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}
