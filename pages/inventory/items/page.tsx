// The page of an item, and what of it changes when something is done there.
import { type Caller, may } from "../../../src/auth/auth.ts";
import { type Timeline, timelineOf } from "../../../src/history/history.ts";
import { contextOf } from "../../../src/http/request_context.ts";
import {
  choices,
  duplicateSerials,
  type SerialDuplicate,
} from "../../../src/inventory/items/choices.ts";
import { type Family, familyOf } from "../../../src/inventory/items/family.ts";
import type { Item } from "../../../src/inventory/items/item.ts";
import * as items from "../../../src/inventory/items/items.ts";
import { rowOf } from "../../../src/store/records.ts";
import { fragment, page, wantsFragment } from "../../layout/page.tsx";
import { ApiCall } from "../../parts/api_call.tsx";
import { Copy } from "../../parts/copy.tsx";
import type { Filled } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Qr } from "../../parts/qr.tsx";
import { RecordTimeline } from "../../parts/timeline.tsx";
import { ToastBeside } from "../../parts/toast.tsx";
import { type Notice, useHx } from "../../request/frame.ts";
import { threadOf } from "../comments/comments.tsx";
import { Thread, type ThreadProps } from "../comments/thread.tsx";
import { ItemFacts } from "./facts.tsx";
import { InList, listOf, type PlaceInList, placeIn } from "./in_list.tsx";
import { PATH } from "./list.tsx";
import type { Placing } from "./place.tsx";
import { FamilyTree } from "./tree.tsx";
import { Twins } from "./twins.tsx";

export const EDITORS = ["inventory", "admin"] as const;

/** How the page is to be shown: as it is, or after something was done to the item. */
export interface Showing {
  which: string;
  /** Its address, with the list that it was opened from. */
  next: string;
  status?: number;
  refused?: Filled;
  said?: Notice;
}

interface ItemState {
  item: Item;
  family: Family;
  twins: SerialDuplicate[];
  timeline: Timeline;
  changing: Placing | undefined;
}

interface Shown extends ItemState {
  thread: ThreadProps;
  place: PlaceInList | undefined;
  api: string;
}

export async function showItem(
  request: Request,
  caller: Caller,
  showing: Showing,
): Promise<Response> {
  const state = await read(caller, showing);
  const { ics_id } = state.item;
  const { status, said, next } = showing;
  if (wantsFragment(request)) {
    const body = <Changed {...state} said={said && { ...said, next }} />;
    return fragment(request, body, { status });
  }
  const [thread, place] = await Promise.all([
    threadOf(caller, ics_id),
    placeIn(caller, state.item, next),
  ]);
  const api = `${contextOf(request).origin}/api/v1/inventory/items/${ics_id}`;
  return page(request, {
    title: ics_id,
    status,
    crumbs: [{ label: "Inventory" }, { label: "Items", href: listOf(next) }, { label: ics_id }],
    body: <ItemPage {...state} thread={thread} place={place} api={api} />,
  });
}

async function read(caller: Caller, { which, next, refused }: Showing): Promise<ItemState> {
  const found = await items.find(caller, which);
  const item = rowOf(found);
  const { id, ics_id, serial_number } = item;
  const mayEdit = may(caller, EDITORS);
  const [family, others, timeline, offered] = await Promise.all([
    familyOf(id),
    duplicateSerials(serial_number, ics_id),
    timelineOf(caller, { table: "items", id }),
    mayEdit ? choices(caller) : undefined,
  ]);
  const { version } = found;
  const changing = offered && { version, choices: offered, inside: family.total, refused, next };
  return { item, family, twins: others, timeline, changing };
}

function ItemPage(shown: Shown) {
  const { item, thread, place, api, changing } = shown;
  const { ics_id } = item;
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
        <div class="actions">
          {place && <InList {...place} />}
          {changing && <Actions item={item} />}
        </div>
      </header>
      <div class="split">
        <div class="stack">
          <Present {...shown} />
          <Thread {...thread} />
          <History {...shown} />
          <ApiCall address={api} />
        </div>
        <Label ics_id={ics_id} />
      </div>
    </>
  );
}

/** What may be another after a change; the thread between stays, with what is being written in it. */
function Changed({ said, ...state }: ItemState & { said?: Notice & { next: string } }) {
  const hx = useHx();
  return (
    <>
      <Present {...state} />
      <History {...state} more={hx({ "swap-oob": "true" })} />
      {said && <ToastBeside {...said} />}
    </>
  );
}

function Present({ item, family, twins: others, changing }: ItemState) {
  return (
    <div class="stack" id="item">
      {others.length > 0 && <Twins twins={others} />}
      <ItemFacts item={item} changing={changing} />
      <section aria-labelledby="family-title">
        <h2 id="family-title">Where it stands</h2>
        <FamilyTree item={item} family={family} />
      </section>
    </div>
  );
}

function History({ item, timeline, more }: ItemState & { more?: Record<string, string> }) {
  return (
    <section id="history" aria-labelledby="history-title" {...more}>
      <h2 id="history-title">History</h2>
      <RecordTimeline timeline={timeline} of={{ table: "items", id: item.id }} />
    </section>
  );
}

function Actions({ item: { ics_id } }: { item: Item }) {
  return (
    <>
      <a class="button" href={`${PATH}/create?parent=${ics_id}`}>
        <Icon name="plus" /> Put an item into it
      </a>
      <a class="button primary" href={`${PATH}/edit/${ics_id}`} data-key="e">
        <Icon name="pencil" /> Edit
      </a>
    </>
  );
}

function Label({ ics_id }: { ics_id: string }) {
  return (
    <aside class="panel" aria-label="Label">
      <figure class="qr">
        <Qr text={ics_id} />
        <figcaption>{ics_id}</figcaption>
      </figure>
      <a class="button" href={`${PATH}/labels?ics_id=${ics_id}`}>
        <Icon name="printer" /> Print the label
      </a>
    </aside>
  );
}
