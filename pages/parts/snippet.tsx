/** Text for a terminal; it scrolls, so it takes the focus for those who scroll by keys. */
export function Snippet({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <pre class="snippet" tabIndex={0}>
      <code>{text}</code>
    </pre>
  );
}
