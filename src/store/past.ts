// The time of a read of the past.
import { invalid } from "../input/errors.ts";
import { TIME } from "../input/kinds.ts";
import { readTime } from "../input/times.ts";

/** The end of the given day, minute or second: a change that is shown with 14:05 is included at 14:05. */
export function readMoment(text: string): Date {
  const named = readTime(text);
  if (!named) throw invalid("at", `${TIME.description}, once`);
  if (named.begin > Date.now()) throw invalid("at", "Use a time that has passed");
  return new Date(named.begin + Math.max(named.length - 1, 0));
}
