// The latest changes, one line for each change set.
import type { StoredSet } from "../../src/history/sets.ts";
import { Sentence } from "../changes/sentence.tsx";
import { When } from "../parts/timeline.tsx";

export function Latest({ latest }: { latest: StoredSet[] }) {
  return (
    <section class="card wide" aria-labelledby="recent-title">
      <h2 id="recent-title">Recent changes</h2>
      <ol class="timeline">
        {latest.map((set) => (
          <li>
            <a class="when" href={`/changes/${set.id}`}>
              <When at={set.at} />
            </a>{" "}
            <b>{set.user ?? "system"}</b> <Sentence set={set} />
          </li>
        ))}
      </ol>
      <a class="button quiet" href="/changes">
        All changes
      </a>
    </section>
  );
}
