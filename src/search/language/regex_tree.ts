// Regular expressions as small trees, built so that what is plainly the same is the same object: the matcher
// tells states apart by that.

export type Span = readonly [from: number, to: number];

/** `isOptional` says that it matches the empty text. */
export type Regex = { readonly isOptional: boolean } & Shape;

type Shape =
  | { readonly kind: "nothing" | "empty" }
  /** One character, by its code point. */
  | { readonly kind: "one"; readonly spans: readonly Span[]; readonly isNegated: boolean }
  | { readonly kind: "sequence"; readonly first: Regex; readonly rest: Regex }
  | { readonly kind: "union" | "intersection"; readonly parts: readonly Regex[] }
  | { readonly kind: "repeat"; readonly of: Regex; readonly least: number; readonly most: number }
  | { readonly kind: "complement"; readonly of: Regex };

export interface Factory {
  one(spans: readonly Span[], isNegated?: boolean): Regex;
  sequence(first: Regex, rest: Regex): Regex;
  union(parts: readonly Regex[]): Regex;
  intersection(parts: readonly Regex[]): Regex;
  repeat(of: Regex, least: number, most?: number): Regex;
  complement(of: Regex): Regex;
  /** Small for equal expressions, and the same. */
  numberOf(regex: Regex): number;
}

export class TooComplex extends Error {}

export const NOTHING: Regex = { kind: "nothing", isOptional: false };
export const EMPTY: Regex = { kind: "empty", isOptional: true };
const MOST_TREES = 20_000;

export function factory(): Factory {
  const known = new Map<string, Regex>();
  const numbers = new Map<Regex, number>([
    [NOTHING, 0],
    [EMPTY, 1],
  ]);
  const numberOf = (regex: Regex) => numbers.get(regex) ?? 0;

  function kept(key: string, shape: Shape): Regex {
    const found = known.get(key);
    if (found) return found;
    if (known.size >= MOST_TREES) throw new TooComplex();
    const regex = { ...shape, isOptional: isOptional(shape) };
    known.set(key, regex);
    numbers.set(regex, numbers.size);
    return regex;
  }

  function several(kind: "union" | "intersection", parts: readonly Regex[]): Regex {
    const flat = parts.flatMap((one) => (one.kind === kind ? one.parts : [one]));
    const sorted = [...new Set(flat)].toSorted((one, other) => numberOf(one) - numberOf(other));
    const key = `${kind} ${sorted.map(numberOf).join(" ")}`;
    return sorted.length === 1 && sorted[0] ? sorted[0] : kept(key, { kind, parts: sorted });
  }

  const one: Factory["one"] = (spans, isNegated = false) =>
    kept(`one ${isNegated} ${spans.join(" ")}`, { kind: "one", spans, isNegated });

  const sequence: Factory["sequence"] = (first, rest) => {
    if (first === NOTHING || rest === NOTHING) return NOTHING;
    if (first === EMPTY) return rest;
    if (rest === EMPTY) return first;
    if (first.kind === "sequence") return sequence(first.first, sequence(first.rest, rest));
    return kept(`${numberOf(first)} then ${numberOf(rest)}`, { kind: "sequence", first, rest });
  };

  const union: Factory["union"] = (parts) => {
    const some = parts.filter((part) => part !== NOTHING);
    return some.length === 0 ? NOTHING : several("union", some);
  };

  const intersection: Factory["intersection"] = (parts) =>
    parts.includes(NOTHING) ? NOTHING : several("intersection", parts);

  const repeat: Factory["repeat"] = (of, least, most = Number.POSITIVE_INFINITY) => {
    if (least > most) return NOTHING;
    if (most === 0 || of === EMPTY) return EMPTY;
    if (of === NOTHING) return least === 0 ? EMPTY : NOTHING;
    if (least === 1 && most === 1) return of;
    return kept(`${numberOf(of)} {${least},${most}}`, { kind: "repeat", of, least, most });
  };

  const complement: Factory["complement"] = (of) =>
    of.kind === "complement" ? of.of : kept(`not ${numberOf(of)}`, { kind: "complement", of });

  return { one, sequence, union, intersection, repeat, complement, numberOf };
}

function isOptional(shape: Shape): boolean {
  switch (shape.kind) {
    case "sequence":
      return shape.first.isOptional && shape.rest.isOptional;
    case "union":
      return shape.parts.some((part) => part.isOptional);
    case "intersection":
      return shape.parts.every((part) => part.isOptional);
    case "complement":
      return !shape.of.isOptional;
    case "repeat":
      return shape.least === 0 || shape.of.isOptional;
    default:
      return shape.kind === "empty";
  }
}
