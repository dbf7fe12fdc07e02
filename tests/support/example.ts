/** Input of growing size that could make a parser slow. */
export interface ParserExample {
  name: string;
  /** The input, n times as long as the smallest. */
  make: (n: number) => any;
  /** May throw. */
  parse: (input: any) => unknown;
}

export function several(n: number, one: (at: number) => string, between = ""): string {
  return Array.from({ length: n }, (_, at) => one(at)).join(between);
}
