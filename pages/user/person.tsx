// GET /users/(name): a user and what they changed last.
import { Elysia } from "elysia";
import { latestChanges } from "../../src/history/feed.ts";
import type { StoredSet } from "../../src/history/sets.ts";
import { changePath } from "../../src/history/words.ts";
import { findPerson, type Person } from "../../src/user/people.ts";
import { Sentence } from "../changes/sentence.tsx";
import { page } from "../layout/page.tsx";
import { PageHead } from "../layout/page_head.tsx";
import { Time } from "../records/time.tsx";
import { guard } from "../request/guard.ts";

const MOST_CHANGES = 50;

export const personPages = new Elysia({ prefix: "/users", normalize: false }).use(guard).get(
  "/:username",
  async ({ request, caller, params }) => {
    const person = await findPerson(params.username);
    const filters = { user: [person.username] };
    const { sets } = await latestChanges(caller, { filters, most: MOST_CHANGES });
    const title = person.display_name ?? person.username;
    return page(request, {
      title,
      crumbs: [{ label: "Users" }, { label: person.username }],
      body: <PersonPage person={person} title={title} sets={sets} />,
    });
  },
  { see: "everyone" },
);

interface Props {
  person: Person;
  title: string;
  sets: StoredSet[];
}

function PersonPage({ person: { username, display_name }, title, sets }: Props) {
  return (
    <>
      <PageHead title={title} lead={display_name ? username : "User"} />
      <div class="stack">
        <section aria-labelledby="history-title">
          <h2 id="history-title">Recent changes</h2>
          <ol class="timeline">
            {sets.map((set) => (
              <li>
                <a class="when" href={changePath(set.id)}>
                  <Time at={set.at} />
                </a>{" "}
                <Sentence set={set} isInside />
              </li>
            ))}
          </ol>
          <a class="button quiet" href={`/changes?${new URLSearchParams({ user: username })}`}>
            All changes
          </a>
        </section>
      </div>
    </>
  );
}
