// The latest changes, one line for each change set.
import type { StoredSet } from "../../src/history/sets.ts";
import { changePath } from "../../src/history/words.ts";
import { Sentence } from "../changes/sentence.tsx";
import { RecordLink } from "../records/links.tsx";
import { Time } from "../records/time.tsx";

export function Latest({ latest }: { latest: StoredSet[] }) {
  return (
    <section class="card wide" aria-labelledby="recent-title">
      <h2 id="recent-title">Recent changes</h2>
      <ol class="timeline">
        {latest.map((set) => (
          <li>
            <a class="when" href={changePath(set.id)}>
              <Time at={set.at} />
            </a>{" "}
            <b>{set.user ? <RecordLink table="users" name={set.user} /> : "system"}</b>{" "}
            <Sentence set={set} isInside />
          </li>
        ))}
      </ol>
      <a class="button quiet" href="/changes">
        All changes
      </a>
    </section>
  );
}
