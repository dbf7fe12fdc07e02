// The latest changes, one line for each action: many changes of one kind are a number.
import type { ChangeGroup, SummedUp } from "../../src/history/change_groups.ts";
import { resourceOf } from "../../src/resources.ts";
import { ChangedRecord, VERBS } from "../parts/timeline.tsx";

export function Latest({ latest }: { latest: SummedUp[] }) {
  return (
    <section class="card wide" aria-labelledby="recent-title">
      <h2 id="recent-title">Recent changes</h2>
      <ol class="timeline">
        {latest.map((set) => (
          <li>
            <Line {...set} />
          </li>
        ))}
      </ol>
      <a class="button quiet" href="/changes">
        All changes
      </a>
    </section>
  );
}

/** Further kinds of changes are on the page of the change set. */
const MOST_GROUPS = 3;

function Line({ change_set, at, user, groups, is_more }: SummedUp) {
  return (
    <>
      <a class="when" href={`/changes/${change_set}`}>
        <time>{at}</time>
      </a>{" "}
      <b>{user ?? "system"}</b>{" "}
      {groups.slice(0, MOST_GROUPS).map((group, place) => (
        <>
          {place > 0 && ", "}
          {groups[place - 1]?.action !== group.action && `${VERBS[group.action]} `}
          {group.count === 1 ? <ChangedRecord event={group} /> : inNumbers(group)}
        </>
      ))}
      {(is_more || groups.length > MOST_GROUPS) && (
        <>
          {" "}
          <a href={`/changes/${change_set}`}>and more</a>
        </>
      )}
    </>
  );
}

function inNumbers({ count, table_name }: ChangeGroup): string {
  const plural = PLURALS[table_name] ?? resourceOf(table_name)?.plural ?? table_name;
  return `${count.toLocaleString("en")} ${plural}`;
}

/** Of rows that are no records. */
const PLURALS: Record<string, string> = {
  group_hosts: "members of groups",
  group_children: "children of groups",
};
