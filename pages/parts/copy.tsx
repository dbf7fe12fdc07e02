import { Icon } from "./icon.tsx";

/** Takes an id or an address along; of use with scripting alone. */
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
