// Parts of response bodies.
import type { Answer } from "./api.ts";

/** The fields that an error response names. */
export function fieldsOf(body: { errors?: Array<{ field: string }> }): string[] {
  return (body.errors ?? []).map(({ field }) => field);
}

export function namesOf(records: Array<{ name: string }>): string[] {
  return records.map(({ name }) => name);
}

/** The answer to a search. On a busy machine one may not end in the time that it has: then it is asked again. */
export async function searched(ask: () => Promise<Answer>): Promise<Answer> {
  for (let times = 0; times < 30; times += 1) {
    const answer = await ask();
    if (!/takes too long|try again shortly/.test(answer.body?.detail ?? "")) return answer;
  }
  throw new Error("A search never ended in its time");
}
