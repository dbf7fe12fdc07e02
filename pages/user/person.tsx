// GET /users/(name): a user and what they changed last.
import { Elysia } from "elysia";
import { type Event, recent } from "../../src/history/history.ts";
import { findPerson, type Person } from "../../src/user/people.ts";
import { page } from "../layout/page.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { guard } from "../request/guard.ts";

const MOST = 50;

export const personPages = new Elysia({ prefix: "/users", normalize: false }).use(guard).get(
  "/:username",
  async ({ request, caller, params }) => {
    const person = await findPerson(params.username);
    const events = await recent(caller, { by: person.id, most: MOST });
    return page(request, {
      title: person.display_name ?? person.username,
      crumbs: [{ label: "Users" }, { label: person.username }],
      body: <PersonPage person={person} events={events} />,
    });
  },
  { see: "everyone" },
);

function PersonPage({ person, events }: { person: Person; events: Event[] }) {
  const { username, display_name } = person;
  return (
    <>
      <header class="head">
        <div>
          <h1>{display_name ?? username}</h1>
          <p class="lead">{display_name ? username : "User"}</p>
        </div>
      </header>
      <div class="stack">
        <section aria-labelledby="history-title">
          <h2 id="history-title">Recent changes</h2>
          {events.length === 0 ? <p class="muted">No changes yet</p> : <Timeline events={events} />}
        </section>
      </div>
    </>
  );
}
