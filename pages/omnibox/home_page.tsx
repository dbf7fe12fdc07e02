// Home, from what its route read.
import { may } from "../../src/auth/auth.ts";
import type { Event } from "../../src/history/history.ts";
import type { Favorite } from "../../src/inventory/attributes/favorites.ts";
import type { FullNetwork } from "../../src/network/networks/usage.ts";
import type { Overview } from "../../src/network/overview.ts";
import { SearchBox } from "../layout/search_box.tsx";
import { countOf } from "../parts/count.ts";
import { Timeline } from "../parts/timeline.tsx";
import { Usage } from "../parts/usage.tsx";
import { useFrame } from "../request/frame.ts";

interface Shown {
  events: Event[];
  mine: Event[];
  starred: Favorite[];
  full: FullNetwork[];
  counts: Overview;
}

export function Home({ events, mine, starred, full, counts }: Shown) {
  const { caller } = useFrame();
  const isEmpty = counts.hosts + counts.items + counts.networks === 0;
  return (
    <>
      <header class="head">
        <div>
          <h1>Home</h1>
          <Counts {...counts} />
        </div>
      </header>
      <SearchBox isBig />
      <div class="cards">
        {isEmpty && caller && may(caller, ["admin"]) && <FirstSteps />}
        {full.length > 0 && <NearlyFull full={full} />}
        <Favorites starred={starred} />
        {mine.length > 0 && (
          <section class="card" aria-labelledby="mine-title">
            <h2 id="mine-title">My changes</h2>
            <Timeline events={mine} />
          </section>
        )}
        <section class="card wide" aria-labelledby="recent-title">
          <h2 id="recent-title">Recent changes</h2>
          {events.length === 0 ? (
            <p class="muted">Nothing has changed yet.</p>
          ) : (
            <>
              <Timeline events={events} />
              <a class="button quiet" href="/changes">
                All changes
              </a>
            </>
          )}
        </section>
      </div>
    </>
  );
}

function Counts({ hosts, items, networks }: Overview) {
  return (
    <p class="lead">
      <a href="/inventory/items">{countOf(items, "item")}</a>,{" "}
      <a href="/network/hosts">{countOf(hosts, "host")}</a> and{" "}
      <a href="/network/networks">{countOf(networks, "network")}</a>
    </p>
  );
}

function NearlyFull({ full }: { full: FullNetwork[] }) {
  return (
    <section class="card" aria-labelledby="full-title">
      <h2 id="full-title">Networks that fill up</h2>
      <dl class="facts">
        {full.map(({ vlan_name, used, size }) => (
          <>
            <dt>
              <a href={`/network/networks/view/${vlan_name}`}>{vlan_name}</a>
            </dt>
            <dd>
              <Usage used={used} size={BigInt(size)} />
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}

function Favorites({ starred }: { starred: Favorite[] }) {
  return (
    <section class="card" aria-labelledby="favorites-title">
      <h2 id="favorites-title">Favourites</h2>
      {starred.length === 0 ? (
        <p class="muted">
          Mark what you use every day with a star in{" "}
          <a href="/inventory/attributes/location">its list</a>.
        </p>
      ) : (
        <ul class="plain">
          {starred.map(({ kind, id, name }) => (
            <li>
              <a href={`/inventory/attributes/${kind}?selected=${id}`}>{name}</a>{" "}
              <span class="tag">{kind}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const STEPS = [
  {
    href: "/network/domains",
    label: "Add a domain",
    what: "under which your hosts have their names",
  },
  { href: "/network/scopes/create", label: "Make a scope", what: "with its VLANs and its block" },
  { href: "/network/networks/create", label: "Make a network", what: "that gives out addresses" },
  { href: "/network/hosts/create", label: "Register a host", what: "with the first free one" },
  {
    href: "/inventory/attributes/location",
    label: "Add the places",
    what: "where your equipment stands",
  },
  { href: "/inventory/items/import", label: "Bring your items", what: "from a spreadsheet" },
  { href: "/user/profile", label: "Generate a token", what: "for your programs" },
];

function FirstSteps() {
  return (
    <section class="card" aria-labelledby="steps-title">
      <h2 id="steps-title">First steps</h2>
      <ol>
        {STEPS.map(({ href, label, what }) => (
          <li>
            <a href={href}>{label}</a> {what}
          </li>
        ))}
      </ol>
    </section>
  );
}
