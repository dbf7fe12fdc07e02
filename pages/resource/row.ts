/** A record of a resource that is known by its description alone. */
export type StandardRow = { id: number; user: string | null; updated_at: string } & Record<
  string,
  unknown
>;

export function inTitle(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
