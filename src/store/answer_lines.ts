// Stored answers of idempotent requests, as text. The answer of an import is too long for one JSON text: it is written
// and parsed in slices, so that other requests are served in between.
import { isObject } from "../input/text.ts";
import { mapInSlices, yieldToOthers } from "../input/time_slices.ts";

/** Elements of a list that stay in the first line. */
const FEW = 100;

/** JSON on one line; the elements of long lists follow on lines of their own, with the name of their list. */
export async function answerLines(answer: unknown): Promise<string> {
  const long = Object.entries(isObject(answer) ? answer : {}).filter(isLong);
  if (long.length === 0) return JSON.stringify(answer);
  const emptied = Object.fromEntries(long.map(([name]) => [name, []]));
  const lines = [JSON.stringify({ ...(answer as object), ...emptied })];
  for (const [name, list] of long) {
    lines.push(...(await mapInSlices(list, (one) => JSON.stringify([name, one]))));
  }
  const text = lines.join("\n");
  await yieldToOthers();
  return text;
}

export async function fromLines(text: string): Promise<unknown> {
  const [first = "", ...lines] = text.split("\n");
  const answer = JSON.parse(first);
  await mapInSlices(lines, (line) => {
    const [name, one] = JSON.parse(line);
    answer[name].push(one);
  });
  return answer;
}

function isLong(entry: [string, unknown]): entry is [string, unknown[]] {
  return Array.isArray(entry[1]) && entry[1].length > FEW;
}
