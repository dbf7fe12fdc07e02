// The other side of text_worker.ts. Merge keys make a small text into a large one, and to find the line of a fault
// the text is read several times: on the main thread others would wait.
import { invalid } from "../../input/errors.ts";
import { LONGEST_SHORT_VARS, LONGEST_VARS_READING } from "../../input/limits.ts";
import { Threads, TookTooLong } from "../../input/threads.ts";
import { readVars } from "./text.ts";
import type { Vars } from "./variables.ts";

const threads = new Threads<string, Vars>(
  () => new Worker(new URL("./text_worker.ts", import.meta.url).href, { smol: true }),
  "Too many variables are being read at the moment; try again shortly",
);

/** As `readVars`, while others are served. */
export async function readVarsAside(text: string, patience = LONGEST_VARS_READING): Promise<Vars> {
  // A thread costs more than what is read in a millisecond.
  if (text.length <= LONGEST_SHORT_VARS && !text.includes("<<")) return readVars(text);
  try {
    return await threads.read({ order: text, patience });
  } catch (fault) {
    if (!(fault instanceof TookTooLong)) throw fault;
    throw invalid("vars", "These variables take too long to read; use fewer merge keys (<<)");
  }
}
