// An event that names parts of pages and no change: they ask for themselves again.

/** The word of each page. */
export const ALL_PAGES = "*";

/** By the words of data-live: see pages/records/live.tsx. Without an id: a reader continues after the last change set. */
export function againText(words: string[]): string {
  return `event: again\ndata: ${JSON.stringify({ words })}\n\n`;
}
