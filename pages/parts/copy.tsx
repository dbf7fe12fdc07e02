import { Icon } from "./icon.tsx";
import { precompiled } from "./precompiled_markup.ts";

/** Copies a text to the clipboard; shown only with scripting. */
export const Copy = precompiled<{ text: string }>(({ text }) => (
  <button
    type="button"
    class="quiet square copy js-only"
    data-copy={text}
    aria-label={`Copy ${text}`}
    title="Copy"
  >
    <Icon name="copy" />
  </button>
));
