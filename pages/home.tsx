// GET /: the one box, and what has happened; with ?q= what the box found.
import { Elysia } from "elysia";
import { type Caller, may } from "../src/auth.ts";
import { type Event, recent } from "../src/history.ts";
import * as favorites from "../src/inventory/favorites.ts";
import { type Hit, search } from "../src/inventory/search.ts";
import { door } from "./door.ts";
import { page, redirect } from "./page.tsx";
import { Icon } from "./parts/icon.tsx";
import { Timeline } from "./parts/timeline.tsx";

export const homePages = new Elysia({ normalize: false }).use(door).get(
  "/",
  ({ request, caller, search }) => {
    const text = search.get("q")?.trim() ?? "";
    return text === "" ? home(request, caller) : results(request, caller, text);
  },
  { see: "everyone" },
);

async function home(request: Request, caller: Caller): Promise<Response> {
  const [events, mine] = await Promise.all([recent(caller, { most: 20 }), favorites.list(caller)]);
  const isNew = events.length === 0 && may(caller, ["admin"]);
  return page(request, {
    title: "Home",
    body: <Home events={events} favorites={mine} isNew={isNew} />,
  });
}

async function results(request: Request, caller: Caller, text: string): Promise<Response> {
  const hits = await search(caller, text);
  const [first] = hits;
  const isExact = hits.filter(({ name }) => name.toLowerCase() === text.toLowerCase()).length === 1;
  if (first && isExact) return redirect(request, pathOf(first));
  return page(request, {
    title: `Search: ${text}`,
    crumbs: [{ label: "Search" }],
    body: <Results text={text} hits={hits} />,
  });
}

function Home({
  events,
  favorites: mine,
  isNew,
}: {
  events: Event[];
  favorites: favorites.Favorite[];
  isNew: boolean;
}) {
  return (
    <>
      <header class="head">
        <div>
          <h1>Home</h1>
          <p class="lead">What stands here, and the network it hangs on</p>
        </div>
      </header>
      <BigBox text="" />
      <div class="cards">
        {isNew && <FirstSteps />}
        <section class="card" aria-labelledby="favorites-title">
          <h2 id="favorites-title">Favourites</h2>
          {mine.length === 0 ? (
            <p class="muted">
              Mark what you use every day with a star in{" "}
              <a href="/inventory/attributes/location">its list</a>.
            </p>
          ) : (
            <ul class="plain">
              {mine.map((one) => (
                <li>
                  <a href={pathOf(one)}>{one.name}</a> <span class="tag">{one.kind}</span>
                </li>
              ))}
            </ul>
          )}
        </section>
        <section class="card wide" aria-labelledby="recent-title">
          <h2 id="recent-title">Recent changes</h2>
          {events.length === 0 ? (
            <p class="muted">Nothing has changed yet.</p>
          ) : (
            <Timeline events={events} />
          )}
        </section>
      </div>
    </>
  );
}

function BigBox({ text }: { text: string }) {
  return (
    <search aria-label="From home">
      <form class="omnibox big" action="/" method="get">
        <input
          type="search"
          name="q"
          value={text}
          aria-label="Search everything"
          placeholder="Search everything"
        />
        <button type="submit" class="primary">
          <Icon name="search" /> Search
        </button>
      </form>
    </search>
  );
}

function FirstSteps() {
  return (
    <section class="card" aria-labelledby="steps-title">
      <h2 id="steps-title">First steps</h2>
      <ol>
        <li>
          <a href="/inventory/attributes/location">Add the places</a> where your equipment stands
        </li>
        <li>
          <a href="/inventory/attributes/status">Add the statuses</a> that you use
        </li>
        <li>
          <a href="/user/profile">Generate a token</a> for your programs
        </li>
      </ol>
    </section>
  );
}

function Results({ text, hits }: { text: string; hits: Hit[] }) {
  return (
    <>
      <header class="head">
        <h1>Search</h1>
      </header>
      <BigBox text={text} />
      <p role="status">
        {hits.length === 0
          ? "Nothing matches"
          : `${hits.length} ${hits.length === 1 ? "match" : "matches"}`}
      </p>
      <ul class="plain hits">
        {hits.map((hit) => (
          <li>
            <a href={pathOf(hit)}>{hit.name}</a> <span class="tag">{hit.kind}</span>{" "}
            <span class="muted">{hit.description}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function pathOf({ kind, id }: Pick<Hit, "kind" | "id">): string {
  return `/inventory/attributes/${kind}?selected=${id}`;
}
