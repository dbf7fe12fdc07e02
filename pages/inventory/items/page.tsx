// The page of an item, and the fragment that htmx replaces after a change.

import { type Caller, may } from "../../../src/auth/auth.ts";
import { INVENTORY_EDITORS } from "../../../src/auth/rights.ts";
import { type Timeline, timelineOf } from "../../../src/history/history.ts";
import { contextOf } from "../../../src/http/request_context.ts";
import type { Refusal } from "../../../src/input/errors.ts";
import {
  duplicateSerials,
  placeChoices,
  type SerialDuplicate,
} from "../../../src/inventory/items/choices.ts";
import { type Family, familyOf } from "../../../src/inventory/items/family.ts";
import { item as described } from "../../../src/inventory/items/item.ts";
import * as items from "../../../src/inventory/items/items.ts";
import { onOneConnection } from "../../../src/store/read.ts";
import { rowOf } from "../../../src/store/records.ts";
import { mayWrite } from "../../../src/store/rights/check.ts";
import { WatchButton } from "../../events/watch_button.tsx";
import { fragment, page, wantsFragment } from "../../layout/page.tsx";
import { ApiCall } from "../../parts/api_call.tsx";
import { Copy } from "../../parts/copy.tsx";
import type { Filled } from "../../parts/forms.tsx";
import { RefusalNote } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Qr } from "../../parts/qr.tsx";
import { RecordTimeline } from "../../parts/timeline.tsx";
import { ToastBeside } from "../../parts/toast.tsx";
import { InList, listOf, type PlaceInList, placeIn } from "../../records/in_list.tsx";
import { liveRecord } from "../../records/live.tsx";
import { type Notice, useHx } from "../../request/frame.ts";
import { threadOf } from "../comments/comments.tsx";
import { Thread, type ThreadProps } from "../comments/thread.tsx";
import { DeleteItem, REMOVERS } from "./delete_form.tsx";
import type { InPlaceEdit } from "./edit_in_place.tsx";
import { ItemFacts } from "./facts.tsx";
import { PATH, viewPath } from "./list.tsx";
import { itemListParams } from "./list_params.ts";
import { SerialDuplicates } from "./serial_duplicates.tsx";
import { FamilyTree } from "./tree.tsx";

export const EDITORS = INVENTORY_EDITORS;

/** What to show, and the result of a change. */
export interface ItemViewState {
  which: string;
  /** Its URL, with the query of the list that it was opened from. */
  next: string;
  status?: number;
  refused?: Filled;
  said?: Notice;
  /** Why it was not deleted. */
  refusal?: Refusal;
}

interface ItemPageState {
  item: items.ItemOfPage;
  family: Family;
  twins: SerialDuplicate[];
  timeline: Timeline;
  changing: InPlaceEdit | undefined;
}

interface ItemPageProps extends ItemPageState {
  thread: ThreadProps;
  place: PlaceInList | undefined;
  api: string;
  mayDelete: boolean;
  refusal?: Refusal | undefined;
}

export async function showItem(
  request: Request,
  caller: Caller,
  view: ItemViewState,
): Promise<Response> {
  const state = await read(caller, view);
  const { ics_id } = state.item;
  const { refusal, status = refusal?.status, said, next } = view;
  if (wantsFragment(request)) {
    const body = <ItemFragment {...state} said={said && { ...said, next }} />;
    return fragment(request, body, { status });
  }
  const [thread, place] = await Promise.all([
    threadOf(caller, ics_id),
    placeIn(next, (list) => items.neighboursInList(caller, state.item.id, itemListParams(list))),
  ]);
  const api = `${contextOf(request).origin}/api/v1/inventory/items/${ics_id}`;
  return page(request, {
    title: ics_id,
    live: liveRecord(described, state.item.id),
    status,
    crumbs: [
      { label: "Inventory" },
      { label: "Items", href: listOf(PATH, next) },
      { label: ics_id },
    ],
    body: (
      <ItemPage
        {...state}
        thread={thread}
        place={place}
        api={api}
        mayDelete={may(caller, REMOVERS)}
        refusal={refusal}
      />
    ),
  });
}

async function read(
  caller: Caller,
  { which, next, refused }: ItemViewState,
): Promise<ItemPageState> {
  const found = await items.findShown(caller, which);
  const item = rowOf(found);
  const { id, ics_id } = item;
  const mayEdit = may(caller, EDITORS) && (await mayWrite(caller, "items", id));
  const [family, others, timeline, offered] = await onOneConnection((ask) =>
    Promise.all([
      familyOf(id, ask),
      duplicateSerials(item, ics_id, ask),
      timelineOf(caller, { table: "items", id }, undefined, ask),
      mayEdit ? placeChoices(ask) : undefined,
    ]),
  );
  const { version } = found;
  const changing = offered && { version, choices: offered, inside: family.total, refused, next };
  return { item, family, twins: others, timeline, changing };
}

function ItemPage(shown: ItemPageProps) {
  const { item, thread, place, api, changing, refusal } = shown;
  const { ics_id } = item;
  return (
    <>
      <header class="head">
        <div>
          <h1>
            <span class="mono">{ics_id}</span> <Copy text={ics_id} />
          </h1>
          <p class="lead">{[item.manufacturer, item.model].filter(Boolean).join(" ") || "Item"}</p>
        </div>
        <div class="actions">
          <InList place={place} pathOf={viewPath} />
          <WatchButton
            of={{ table: "items", id: item.id }}
            name={ics_id}
            watch={shown.timeline.watch}
          />
          {changing && <Actions item={item} />}
        </div>
      </header>
      <RefusalNote refusal={refusal} />
      <div class="split record">
        <div class="stack">
          <ItemDetails {...shown} />
          <Thread {...thread} />
          <ApiCall address={api} />
        </div>
        <Label {...shown} />
        <History {...shown} />
      </div>
    </>
  );
}

/** What a change can affect. The thread is not replaced, so a comment that is being written is kept. */
function ItemFragment({ said, ...state }: ItemPageState & { said?: Notice & { next: string } }) {
  const hx = useHx();
  return (
    <>
      <ItemDetails {...state} />
      <History {...state} more={hx({ "swap-oob": "true" })} />
      {said && <ToastBeside {...said} />}
    </>
  );
}

function ItemDetails({ item, family, twins: others, changing }: ItemPageState) {
  return (
    <div class="beside" id="item">
      {others.length > 0 && <SerialDuplicates twins={others} />}
      <ItemFacts item={item} changing={changing} />
      <section aria-labelledby="family-title">
        <h2 id="family-title">Contents</h2>
        <FamilyTree item={item} family={family} />
      </section>
    </div>
  );
}

function History({ item, timeline, more }: ItemPageState & { more?: Record<string, string> }) {
  return (
    <section id="history" class="late" aria-labelledby="history-title" {...more}>
      <h2 id="history-title">History</h2>
      <RecordTimeline timeline={timeline} of={{ table: "items", id: item.id }} />
    </section>
  );
}

function Actions({ item: { ics_id } }: Pick<ItemPageState, "item">) {
  return (
    <>
      <a class="button" href={`${PATH}/create?parent=${ics_id}`}>
        <Icon name="plus" /> Add item inside
      </a>
      <a class="button primary" href={`${PATH}/edit/${ics_id}`} data-key="e">
        <Icon name="pencil" /> Edit
      </a>
    </>
  );
}

function Label({ item, family, mayDelete }: ItemPageProps) {
  const { ics_id } = item;
  return (
    <aside class="panel" aria-label="Label">
      <figure class="qr">
        <Qr text={ics_id} />
        <figcaption>{ics_id}</figcaption>
      </figure>
      <a class="button" href={`${PATH}/labels?ics_id=${ics_id}`}>
        <Icon name="printer" /> Print label
      </a>
      {mayDelete && <DeleteItem item={item} inside={family.total} />}
    </aside>
  );
}
