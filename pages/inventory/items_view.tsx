// GET /inventory/items/view/(ics_id): all that is known of an item.
import { Elysia } from "elysia";
import { type Caller, may } from "../../src/auth.ts";
import { type Timeline, timelineOf } from "../../src/history.ts";
import { type Twin, twins } from "../../src/inventory/item_choices.ts";
import { type Family, familyOf } from "../../src/inventory/item_family.ts";
import * as items from "../../src/inventory/items.ts";
import { visitOf } from "../../src/visit.ts";
import { door } from "../door.ts";
import { page, redirect } from "../page.tsx";
import { Copy } from "../parts/copy.tsx";
import { Icon } from "../parts/icon.tsx";
import { Qr } from "../parts/qr.tsx";
import { Snippet } from "../parts/snippet.tsx";
import { RecordTimeline } from "../parts/timeline.tsx";
import { threadOf } from "./comments.tsx";
import { Thread, type ThreadProps } from "./comments_thread.tsx";
import { type ItemRow, PATH, viewPath } from "./items_list.tsx";
import { FamilyTree } from "./items_tree.tsx";
import { Twins } from "./items_twins.tsx";

const EDITORS = ["inventory", "admin"] as const;

export const itemViewPages = new Elysia({ prefix: PATH, normalize: false }).use(door).get(
  "/view/:ics_id",
  async ({ request, caller, params }) => {
    const item: Item = JSON.parse((await items.find(caller, params.ics_id)).json);
    // One address for each: by its key or in lower case it is the same item.
    if (item.ics_id !== params.ics_id) return redirect(request, viewPath(item.ics_id));
    return show(request, caller, item);
  },
  { see: "everyone" },
);

type Item = ItemRow & { stack_member: number | null; created_at: string };

interface Shown {
  item: Item;
  family: Family;
  twins: Twin[];
  thread: ThreadProps;
  timeline: Timeline;
  mayEdit: boolean;
  api: string;
}

async function show(request: Request, caller: Caller, item: Item): Promise<Response> {
  const { id, ics_id, serial_number } = item;
  const [family, others, thread, timeline] = await Promise.all([
    familyOf(id),
    twins(serial_number, ics_id),
    threadOf(caller, ics_id),
    timelineOf(caller, { table: "items", id }),
  ]);
  const api = `${visitOf(request).origin}/api/v1/inventory/items/${ics_id}`;
  const mayEdit = may(caller, EDITORS);
  return page(request, {
    title: ics_id,
    crumbs: [{ label: "Inventory" }, { label: "Items", href: PATH }, { label: ics_id }],
    body: <ItemPage {...{ item, family, twins: others, thread, timeline, mayEdit, api }} />,
  });
}

function ItemPage({ item, family, twins: others, thread, timeline, mayEdit, api }: Shown) {
  const { id, ics_id } = item;
  return (
    <>
      <header class="head">
        <div>
          <h1>
            <span class="mono">{ics_id}</span> <Copy text={ics_id} />
          </h1>
          <p class="lead">
            {[item.manufacturer, item.model].filter(Boolean).join(" ") || "An item"}
          </p>
        </div>
        {mayEdit && <Actions item={item} />}
      </header>
      <div class="split">
        <div class="stack">
          {others.length > 0 && <Twins twins={others} />}
          <Facts item={item} />
          <section aria-labelledby="family-title">
            <h2 id="family-title">Where it stands</h2>
            <FamilyTree item={item} family={family} />
          </section>
          <Thread {...thread} />
          <section aria-labelledby="history-title">
            <h2 id="history-title">History</h2>
            <RecordTimeline timeline={timeline} of={{ table: "items", id }} />
          </section>
          <details class="api">
            <summary>API</summary>
            <Snippet text={`curl -H "Authorization: Bearer $TOKEN" "${api}"`} />
          </details>
        </div>
        <aside class="panel" aria-label="Label">
          <figure class="qr">
            <Qr text={ics_id} />
            <figcaption>{ics_id}</figcaption>
          </figure>
          <a class="button" href={`${PATH}/labels?ics_id=${ics_id}`}>
            <Icon name="printer" /> Print the label
          </a>
        </aside>
      </div>
    </>
  );
}

function Actions({ item: { ics_id } }: { item: Item }) {
  return (
    <div class="actions">
      <a class="button" href={`${PATH}/create?parent=${ics_id}`}>
        <Icon name="plus" /> Put an item into it
      </a>
      <a class="button primary" href={`${PATH}/edit/${ics_id}`} data-key="e">
        <Icon name="pencil" /> Edit
      </a>
    </div>
  );
}

function Facts({ item }: { item: Item }) {
  const facts: Array<[string, string | number | null]> = [
    ["Serial number", item.serial_number],
    ["Quantity", item.quantity === 1 ? null : item.quantity],
    ["Manufacturer", item.manufacturer],
    ["Model", item.model],
    ["Location", item.location],
    ["Status", item.status],
    ["Host", item.host],
    ["Stack member", item.stack_member],
  ];
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== null)
        .map(([label, value]) => (
          <>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </>
        ))}
      {item.macs.length > 0 && (
        <>
          <dt>MAC addresses</dt>
          {item.macs.map((mac) => (
            <dd class="mono">
              {mac} <Copy text={mac} />
            </dd>
          ))}
        </>
      )}
      <dt>Registered</dt>
      <dd>
        <time>{item.created_at}</time>
      </dd>
      <dt>Changed</dt>
      <dd>
        <time>{item.updated_at}</time> {item.user && `by ${item.user}`}
      </dd>
    </dl>
  );
}
