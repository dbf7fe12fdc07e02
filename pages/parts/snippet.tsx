/** Text for a terminal. It can get the focus, so that it scrolls by keyboard. */
export function Snippet({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <pre class="snippet" tabIndex={0}>
      <code>{text}</code>
    </pre>
  );
}
