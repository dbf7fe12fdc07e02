/** A shape of what comes from outside, that some parser could stumble over. */
export interface Example {
  name: string;
  /** The input, n times as long as the smallest. */
  make: (n: number) => any;
  /** May refuse. */
  parse: (input: any) => unknown;
}

export function several(n: number, one: (at: number) => string, between = ""): string {
  return Array.from({ length: n }, (_, at) => one(at)).join(between);
}
