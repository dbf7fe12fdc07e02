// All numbers from one to another, as a regular expression.
import { EMPTY, type Factory, NOTHING, type Regex } from "./regex_tree.ts";

/** With leading zeros up to so many digits, or, where that is 0, with any. */
export function numbers(
  make: Factory,
  { least, most, digits }: { least: number; most: number; digits: number },
): Regex {
  if (digits > 0) return between(make, padded(least, digits), padded(most, digits));
  const width = String(most).length;
  const all = Array.from({ length: width }, (_, index) => index + 1).flatMap((length) => {
    const from = Math.max(least, length === 1 ? 0 : 10 ** (length - 1));
    const to = Math.min(most, 10 ** length - 1);
    return from > to ? [] : [between(make, String(from), String(to))];
  });
  return make.sequence(make.repeat(digit(make, "0", "0"), 0), make.union(all));
}

/** Texts of digits, both of one length. */
function between(make: Factory, from: string, to: string): Regex {
  const [first, last] = [from[0], to[0]];
  if (first === undefined || last === undefined) return EMPTY;
  if (/^0+$/.test(from) && /^9+$/.test(to)) {
    return make.repeat(digit(make, "0", "9"), from.length, from.length);
  }
  const [low, high] = [from.slice(1), to.slice(1)];
  const then = (start: string, rest: Regex) => make.sequence(digit(make, start, start), rest);
  if (first === last) return then(first, between(make, low, high));
  const [least, most] = ["0".repeat(low.length), "9".repeat(low.length)];
  const inner = digit(make, String(Number(first) + 1), String(Number(last) - 1));
  return make.union([
    then(first, between(make, low, most)),
    make.sequence(inner, between(make, least, most)),
    then(last, between(make, least, high)),
  ]);
}

/** Nothing, where the first is behind the last. */
function digit({ one }: Factory, from: string, to: string): Regex {
  return from > to ? NOTHING : one([[from.charCodeAt(0), to.charCodeAt(0)]]);
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, "0");
}
