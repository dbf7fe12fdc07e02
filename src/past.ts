// Times at which the past is read.
import { invalid } from "./errors.ts";
import { NATURES } from "./kinds.ts";

const MINUTE = 60_000;
/** By how much is written down of a time: the length of what it names. */
const LENGTHS: Record<number, number> = { 10: 24 * 60 * MINUTE, 16: MINUTE, 19: 1_000 };

/** The end of the day, minute or second that is named: what is shown as 14:05 had happened at 14:05. */
export function readMoment(texts: string[]): Date {
  const [text = ""] = texts;
  const { reads, expected } = NATURES.time;
  if (texts.length !== 1 || !reads(text)) throw invalid("at", `${expected}, once`);
  const begin = Date.parse(`${text.replace(" ", "T")}${text.length > 10 ? "Z" : ""}`);
  if (begin > Date.now()) throw invalid("at", "Use a time that has passed");
  return new Date(begin + (LENGTHS[text.length] ?? MINUTE) - 1);
}
