// What we use of Lunr 2.3.9, which brings no types; those of others have its automaton wrong.
declare module "lunr" {
  export class TokenSet {
    /** Of texts that are sorted by their units. */
    static fromArray(words: readonly string[]): TokenSet;
    /** All texts that are so near, and a few more. */
    static fromFuzzyString(text: string, distance: number): TokenSet;
    intersect(other: TokenSet): TokenSet;
    toArray(): string[];
  }
  const lunr: { TokenSet: typeof TokenSet };
  export default lunr;
}
