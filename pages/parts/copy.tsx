import { Icon } from "./icon.tsx";

/** Copies a text to the clipboard; shown only with scripting. */
export function Copy({ text }: { text: string }) {
  return (
    <button
      type="button"
      class="quiet square copy js-only"
      data-copy={text}
      aria-label={`Copy ${text}`}
      title="Copy"
    >
      <Icon name="copy" />
    </button>
  );
}

/**
 * A text in a list, which can be copied. A list has dozens of them, and their buttons would be half of its page: the
 * script adds them, from the template of the list.
 */
export function Copied({ text }: { text: string }) {
  return <span data-copied>{text}</span>;
}

/** What the script copies for each of these texts. */
export function CopyTemplate() {
  return (
    <template id="copy">
      <Copy text="" />
    </template>
  );
}
