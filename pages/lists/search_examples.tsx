// How to search in a list: queries that can be tried, and what each finds.
import { withParams } from "../request/url_parameters.ts";

export type Example = [query: string, finds: string];

export function SearchExamples({ path, examples }: { path: string; examples: Example[] }) {
  return (
    <details class="help">
      <summary>How to search</summary>
      <dl class="facts">
        {examples.map(([query, finds]) => (
          <>
            <dt class="mono">
              <a href={withParams(path, new URLSearchParams(), { q: query })}>{query}</a>
            </dt>
            <dd>{finds}</dd>
          </>
        ))}
      </dl>
    </details>
  );
}
