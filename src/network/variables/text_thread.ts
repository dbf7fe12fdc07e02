// Runs text_worker.ts. Merge keys make a small text into a large one, and finding the line of an error reads the text
// several times: this would block the main thread.
import { invalid } from "../../input/errors.ts";
import { LONGEST_SHORT_VARS, LONGEST_VARS_READING } from "../../input/limits.ts";
import { Threads, TookTooLong } from "../../input/threads.ts";
import { readVars } from "./text.ts";
import type { Vars } from "./variables.ts";

const threads = new Threads<string, Vars>(
  () => new Worker(new URL("./text_worker.ts", import.meta.url).href, { smol: true }),
  "Too many variables are being read; try again shortly",
);

/** As `readVars`, without blocking other requests. */
export async function readVarsInThread(
  text: string,
  timeLimit = LONGEST_VARS_READING,
): Promise<Vars> {
  // A thread costs more than what is read in a millisecond.
  if (text.length <= LONGEST_SHORT_VARS && !text.includes("<<")) return readVars(text);
  try {
    return await threads.read({ order: text, patience: timeLimit });
  } catch (error) {
    if (!(error instanceof TookTooLong)) throw error;
    throw invalid("vars", "These variables take too long to read; use fewer merge keys (<<)");
  }
}
