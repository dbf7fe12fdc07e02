// The home page, rendered from the data that its route has read.

import type { RecentRecord } from "../../src/history/recent_work.ts";
import type { StoredSet } from "../../src/history/sets.ts";
import { changePath } from "../../src/history/words.ts";
import { kindNamed } from "../../src/inventory/attributes/attribute.ts";
import type { Favorite } from "../../src/inventory/attributes/favorites.ts";
import { resourceOf } from "../../src/resources.ts";
import type { FirstStep } from "../../src/system/first_steps.ts";
import { Sentence } from "../changes/sentence.tsx";
import { SearchBox } from "../layout/search_box.tsx";
import { RecordLink, recordPath } from "../records/links.tsx";
import { Time } from "../records/time.tsx";
import { useFrame } from "../request/frame.ts";
import type { Dashboard } from "./dashboard.ts";
import { Figures } from "./figures.tsx";
import { FillUp } from "./fill_up.tsx";
import { FirstSteps } from "./first_steps.tsx";

interface HomeProps {
  shown: Dashboard;
  work: RecentRecord[];
  starred: Favorite[];
  /** The first steps that were taken, for admins until all are. */
  taken: ReadonlySet<FirstStep> | undefined;
}

export function Home({ shown, work, starred, taken }: HomeProps) {
  const { caller } = useFrame();
  const { items, hosts, networks, latest } = shown;
  const isEmpty = networks.length === 0 && !items.daily.at(-1) && !hosts.daily.at(-1);
  return (
    <>
      <h1 class="hidden">Home</h1>
      <SearchBox isBig />
      {(isEmpty || taken) && caller && (
        <FirstSteps caller={caller} taken={taken} isEmpty={isEmpty} />
      )}
      {!isEmpty && <Figures {...shown} />}
      <div class="cards">
        <FillUp networks={networks} />
        <Work work={work} />
        {!(isEmpty && starred.length === 0) && <Favorites starred={starred} />}
        {latest.length > 0 && <Latest latest={latest} />}
      </div>
    </>
  );
}

function Work({ work }: { work: RecentRecord[] }) {
  if (work.length === 0) return null;
  return (
    <section class="card" aria-labelledby="work-title">
      <h2 id="work-title">My recent work</h2>
      <ul class="work">
        {work.map((record) => (
          <li>
            <a href={pathOf(record)} title={record.name}>
              {record.name}
            </a>{" "}
            <span class="tag">{resourceOf(record.kind)?.noun}</span>{" "}
            <span class="muted">
              <Time at={record.at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function pathOf({ kind, name }: RecentRecord): string | undefined {
  return recordPath(kind, name);
}

function Favorites({ starred }: { starred: Favorite[] }) {
  return (
    <section class="card" aria-labelledby="favorites-title">
      <h2 id="favorites-title">Favourites</h2>
      {starred.length === 0 ? (
        <p class="muted">
          None yet. Click the star of a location, status or model in{" "}
          <a href="/inventory/attributes/location">its list</a>.
        </p>
      ) : (
        <ul class="plain">
          {starred.map(({ kind, name }) => (
            <li>
              <a href={recordPath(kindNamed(kind).plural, name)}>{name}</a>{" "}
              <span class="tag">{kind}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Latest({ latest }: { latest: StoredSet[] }) {
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
