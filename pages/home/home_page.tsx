// The home page, rendered from the data that its route has read.

import type { ComponentChildren } from "preact";
import type { RecentItem, RecentRecord } from "../../src/history/recent_work.ts";
import type { StoredSet } from "../../src/history/sets.ts";
import { changePath } from "../../src/history/words.ts";
import { kindNamed } from "../../src/inventory/attributes/attribute.ts";
import type { Favorite } from "../../src/inventory/attributes/favorites.ts";
import type { FreeAddress, RecentHost } from "../../src/network/latest.ts";
import type { FirstStep } from "../../src/system/first_steps.ts";
import type { SiteState } from "../../src/system/state.ts";
import { Sentence } from "../changes/sentence.tsx";
import { Parcels } from "../layout/parcels.tsx";
import { SearchBox } from "../layout/search_box.tsx";
import { RecordLink, recordPath } from "../records/links.tsx";
import { Time } from "../records/time.tsx";
import { useFrame } from "../request/frame.ts";
import type { Dashboard } from "./dashboard.ts";
import { Figures } from "./figures.tsx";
import { FillUp, fillingUp } from "./fill_up.tsx";
import { FirstSteps } from "./first_steps.tsx";
import { type Role, rolesOf } from "./roles.ts";
import { Tour } from "./tour.tsx";
import { FreeAddresses, MyItems, NewHosts, ScanCard, SiteCard, Work } from "./work_cards.tsx";

interface HomeProps {
  shown: Dashboard;
  work: RecentRecord[];
  starred: Favorite[];
  /** The first steps that were taken, for admins until all are. */
  taken: ReadonlySet<FirstStep> | undefined;
  /** The tour is not closed yet. */
  hasTour: boolean;
  /** The address of the site. */
  origin: string;
  /** What only some people work with: undefined for the others. */
  items: RecentItem[] | undefined;
  free: FreeAddress[] | undefined;
  hosts: RecentHost[] | undefined;
  site: SiteState | undefined;
}

export function Home(props: HomeProps) {
  const { shown, starred, taken, hasTour, origin } = props;
  const { caller } = useFrame();
  const { items, hosts, networks, latest } = shown;
  const isEmpty = networks.length === 0 && !items.daily.at(-1) && !hosts.daily.at(-1);
  const cards = cardsOf(props);
  const first = caller ? rolesOf(caller).flatMap((role) => FIRST[role]) : [];
  const rest = REST.filter((name) => !first.includes(name));
  return (
    <>
      <h1 class="hidden">Home</h1>
      <Parcels as="ornament" />
      <SearchBox isBig />
      {(isEmpty || taken) && caller && <FirstSteps {...{ caller, taken, isEmpty, origin }} />}
      {hasTour && <Tour />}
      <Cards cards={[...new Set(first)].map((name) => cards[name])} />
      {!isEmpty && <Figures {...shown} />}
      <Cards cards={rest.map((name) => cards[name])} />
      <div class="cards">
        {starred.length > 0 && <Favorites starred={starred} />}
        {latest.length > 0 && <Latest latest={latest} />}
      </div>
    </>
  );
}

type Card = "site" | "scan" | "items" | "full" | "free" | "hosts" | "work";

/** What each kind of person works with comes before the figures. */
const FIRST: Record<Role, Card[]> = {
  admin: ["site", "full", "work"],
  inventory: ["scan", "items", "work"],
  network: ["full", "free", "hosts"],
};

const REST: Card[] = ["full", "free", "hosts", "work"];

/** A card that has nothing to say is not there. */
function cardsOf(props: HomeProps): Record<Card, ComponentChildren> {
  const { shown, work, items, free, hosts, site } = props;
  const filling = fillingUp(shown.networks);
  return {
    site: site && <SiteCard {...site} />,
    scan: items && <ScanCard />,
    items: items && items.length > 0 && <MyItems items={items} />,
    full: filling.length > 0 && <FillUp filling={filling} />,
    free: free && free.length > 0 && <FreeAddresses free={free} />,
    hosts: hosts && hosts.length > 0 && <NewHosts hosts={hosts} />,
    work: work.length > 0 && <Work work={work} />,
  };
}

function Cards({ cards }: { cards: ComponentChildren[] }) {
  return cards.some(Boolean) ? <div class="cards flow">{cards}</div> : null;
}

function Favorites({ starred }: { starred: Favorite[] }) {
  return (
    <section class="card wide" aria-labelledby="favorites-title">
      <h2 id="favorites-title">Favourites</h2>
      <ul class="favorites">
        {starred.map(({ kind, name }) => (
          <li>
            <a href={recordPath(kindNamed(kind).plural, name)}>{name}</a>{" "}
            <span class="tag">{kind}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Latest({ latest }: { latest: StoredSet[] }) {
  return (
    <section class="card wide latest" aria-labelledby="recent-title">
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
