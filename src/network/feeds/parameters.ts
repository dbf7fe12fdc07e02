// What may be asked of a feed, read from its query.
import { type Fault, invalid, refuse } from "../../input/errors.ts";

/** The parameter's one value, if it is given. */
export function only(params: URLSearchParams, name: string, expected: string): string | undefined {
  const [text, ...others] = params.getAll(name);
  if (others.length > 0) throw invalid(name, `${expected}, once`);
  return text;
}

/** One of these words; the first where none is given. */
export function word<Word extends string>(
  params: URLSearchParams,
  name: string,
  words: readonly [Word, ...Word[]],
): Word {
  const expected = `Use ${words.join(" or ")}`;
  const text = only(params, name, expected) ?? words[0];
  const found = words.find((one) => one === text);
  if (!found) throw invalid(name, expected);
  return found;
}

interface Range {
  least: number;
  most: number;
}

export function numbers(params: URLSearchParams, name: string, range: Range): number[] {
  const expected = `Use a whole number from ${range.least} to ${range.most}`;
  return params.getAll(name).map((text) => {
    const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(range.least <= value && value <= range.most)) throw invalid(name, expected);
    return value;
  });
}

/** All that is wrong with a parameter's values at once. */
export function refuseAny(faults: Fault[]): void {
  if (faults.length > 0) throw refuse(faults);
}
