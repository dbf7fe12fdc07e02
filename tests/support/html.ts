// Reads elements and texts of a page, with the parser of Bun.

export interface Element {
  tag: string;
  attributes: Record<string, string>;
}

/** The elements of a page that match a selector, in order. */
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

/** The texts of the elements that match a selector. */
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
  return found.map((text) => text.replaceAll("&quot;", '"').replace(/\s+/g, " ").trim());
}

function decode(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}
