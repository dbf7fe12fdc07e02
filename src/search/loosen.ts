// Words side by side are one text to the search. When it finds nothing, people may have meant each of them.
import type { Clause, Group, Word } from "./tree.ts";

/** The same query with any, or all, of such words; undefined where there are none. */
export function loosened(query: string, group: Group, by: "OR" | "AND"): string | undefined {
  const runs = runsIn(group).toSorted(([one], [other]) => placeOf(one) - placeOf(other));
  if (runs.length === 0) return undefined;
  let text = "";
  let at = 0;
  for (const run of runs) {
    const words = run.map(({ offset, end }) => query.slice(offset, end)).join(` ${by} `);
    text += `${query.slice(at, placeOf(run[0]))}(${words})`;
    at = run.at(-1)?.end ?? at;
  }
  return text + query.slice(at);
}

function runsIn(clause: Clause): Array<readonly Word[]> {
  if (clause.kind !== "group") return clause.kind === "term" && clause.run ? [clause.run] : [];
  return [...clause.must, ...clause.should, ...clause.must_not].flatMap(runsIn);
}

function placeOf(word: Word | undefined): number {
  return word?.offset ?? 0;
}
