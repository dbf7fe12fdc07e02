// Above a form: what others have changed in its record since it was opened. The script asks for it when it hears of a
// change; nothing in the form is touched, and saving merges both.
import { Elysia } from "elysia";
import type { LinkedEvent } from "../../src/history/history.ts";
import { changesSince } from "../../src/history/since.ts";
import { VERBS } from "../../src/history/words.ts";
import { notFound } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { resourceOf } from "../../src/resources.ts";
import type { Resource } from "../../src/store/resource.ts";
import { fragment } from "../layout/page.tsx";
import { fieldNames } from "../parts/resource_fields.tsx";
import { Change } from "../parts/timeline.tsx";
import { guard } from "../request/guard.ts";
import { Time } from "./time.tsx";

const PATH = "/_meanwhile";

interface Props {
  of: Resource;
  id: number;
  /** The version that the form is based on. */
  version: number;
}

export function Meanwhile({ of: { name }, id, version }: Props) {
  const from = `${PATH}/${name}/${id}/${version}`;
  return <div role="status" data-live={`${name}:${id}`} data-from={from} />;
}

export const meanwhilePages = new Elysia({ normalize: false }).use(guard).get(
  `${PATH}/:table/:id/:version`,
  async ({ request, caller, params }) => {
    const resource = resourceOf(params.table);
    if (!resource) throw notFound();
    const [id, version] = [keyNamed(params.id), keyNamed(params.version)];
    const events = await changesSince(resource, caller, { id, version });
    return fragment(request, events.length > 0 ? <Notice of={resource} events={events} /> : null);
  },
  { see: "everyone" },
);

const MOST_SHOWN = 5;

function Notice({ of, events }: { of: Resource; events: LinkedEvent[] }) {
  const isGone = events.some(
    ({ action, table_name }) => isOwn(of, table_name) && action === "delete",
  );
  return (
    <div class="note warn">
      {events.slice(0, MOST_SHOWN).map((event) => (
        <p>
          <b>{event.user ?? "System"}</b> <Deed of={of} event={event} /> <Time at={event.at} />
        </p>
      ))}
      {!isGone && <p>Your entries stay as they are. Saving merges both.</p>}
    </div>
  );
}

/** Changed the description; for parts, changed interface web-01. */
function Deed({ of, event }: { of: Resource; event: LinkedEvent }) {
  const { table_name, row_id, action, differences } = event;
  const fields = differences.map(({ field }) => field);
  if (isOwn(of, table_name) && action === "update" && fields.length > 0) {
    return <>{`${VERBS[action]} the ${fieldNames(of, fields).join(", ")}`}</>;
  }
  return <Change event={event} of={{ table: of.name, id: row_id }} />;
}

function isOwn({ name }: Resource, table: string): boolean {
  return name === table;
}
