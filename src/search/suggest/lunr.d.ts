// What we use of Lunr 2.3.9, which brings no types; those of others have its automaton wrong.
declare module "lunr" {
  export class TokenSet {
    /** All texts that are so near, and a few more; `*` on an edge is any character. */
    static fromFuzzyString(text: string, distance: number): TokenSet;
    readonly id: number;
    readonly final: boolean;
    readonly edges: Readonly<Record<string, TokenSet>>;
  }
  const lunr: { TokenSet: typeof TokenSet };
  export default lunr;
}
