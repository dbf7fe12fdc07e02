// The page of an item, the fragment that htmx replaces after a change, and its facts in a dialog over the list.
import { contextOf } from "../../../src/http/request_context.ts";
import type { FieldError, Refusal } from "../../../src/input/errors.ts";
import {
  duplicateSerials,
  placeChoices,
  type SerialDuplicate,
} from "../../../src/inventory/items/choices.ts";
import { type Family, familyOf } from "../../../src/inventory/items/family.ts";
import { placeEntry } from "../../../src/inventory/items/form_input.ts";
import { changedMacs } from "../../../src/inventory/items/form_macs.ts";
import { item as described } from "../../../src/inventory/items/item.ts";
import type { ItemOfPage } from "../../../src/inventory/items/items.ts";
import { onOneConnection } from "../../../src/store/read.ts";
import { HeadPicture } from "../../files/picture.tsx";
import { Files, filesOf } from "../../files/section.tsx";
import { DeleteForm } from "../../layout/confirm.tsx";
import { wantsFragment } from "../../layout/page.tsx";
import { ApiCall } from "../../parts/api_call.tsx";
import { Copy } from "../../parts/copy.tsx";
import { countOf } from "../../parts/count.ts";
import { type Filled, refused } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Qr } from "../../parts/qr.tsx";
import { ToastBeside } from "../../parts/toast.tsx";
import { type Notice, useHx } from "../../request/frame.ts";
import type { ShownRecord } from "../../resource/hooks.ts";
import { RecordHistory, type RecordParts } from "../../resource/view.tsx";
import { CHANGED_MEANWHILE } from "../../texts.ts";
import { threadOf } from "../comments/comments.tsx";
import { Thread } from "../comments/thread.tsx";
import { type InPlaceEdit, ItemFacts } from "./facts.tsx";
import { SerialDuplicates } from "./form.tsx";
import { ITEMS } from "./paths.ts";
import { FamilyTree } from "./tree.tsx";

interface ItemPageState extends Pick<ShownRecord<ItemOfPage>, "timeline"> {
  item: ItemOfPage;
  family: Family;
  twins: SerialDuplicate[];
  changing: InPlaceEdit | undefined;
}

export async function viewItem(shown: ShownRecord<ItemOfPage>): Promise<RecordParts> {
  const { request, caller, row: item, timeline, mayEdit, mayRemove, said } = shown;
  const { ics_id } = item;
  const { pathname, search } = new URL(request.url);
  const address = shown.address ?? pathname + search;
  if (wantsFragment(request) && request.method === "GET") {
    return { fragment: <Preview item={item} href={address} /> };
  }
  const [[family, others, offered], held] = await Promise.all([
    onOneConnection((ask) =>
      Promise.all([
        familyOf(item.id, ask),
        duplicateSerials(item, ics_id, ask),
        mayEdit ? placeChoices(ask) : undefined,
      ]),
    ),
    wantsFragment(request) ? undefined : filesOf(caller, { table: "items", id: item.id }),
  ]);
  const { version, refusal, form } = shown;
  const refusedForm = refusal && form && refusedIn(form, refusal);
  const edit = { version, inside: family.total, refused: refusedForm, next: address };
  const changing = offered && { ...edit, choices: offered };
  const state = { item, family, twins: others, timeline, changing };
  return {
    ...(held && { picture: <HeadPicture {...held} /> }),
    heading: (
      <>
        <span class="mono">{ics_id}</span> <Copy text={ics_id} />
      </>
    ),
    lead: [item.manufacturer, item.model].filter(Boolean).join(" ") || "Item",
    actions: changing && (
      <a class="button" href={`${ITEMS}/create?parent=${ics_id}`}>
        <Icon name="plus" /> Add item inside
      </a>
    ),
    body: held && (
      <div class="split record">
        <div class="stack">
          <ItemDetails {...state} />
          <Files {...held} />
          <Thread {...(await threadOf(caller, ics_id))} />
          <ApiCall address={`${contextOf(request).origin}/api/v1${ITEMS}/${ics_id}`} />
        </div>
        <Label item={item} family={family} mayDelete={mayRemove} />
        <RecordHistory resource={described} id={item.id} timeline={timeline} />
      </div>
    ),
    fragment: <ItemFragment {...state} said={said && { ...said, next: address }} />,
  };
}

/** The form of the page that was refused. */
function refusedIn(form: FormData, refusal: Refusal): Filled {
  const shape = form.has("macs") || form.has("free") ? changedMacs : placeEntry;
  const filled = refused(shape, form, refusal);
  return refusal.status === 412 ? { ...filled, errors: staleIn(form) } : filled;
}

function staleIn(form: FormData): FieldError[] {
  const name = Object.keys(placeEntry.properties).find((one) => form.has(one)) ?? "location";
  return [{ field: name, message: CHANGED_MEANWHILE }];
}

/** What a change can affect. The thread is not replaced, so a comment that is being written is kept. */
function ItemFragment({ said, ...state }: ItemPageState & { said?: Notice & { next: string } }) {
  const hx = useHx();
  return (
    <>
      <ItemDetails {...state} />
      <RecordHistory
        resource={described}
        id={state.item.id}
        timeline={state.timeline}
        more={hx({ "swap-oob": "true" })}
      />
      {said && <ToastBeside {...said} />}
    </>
  );
}

function ItemDetails({ item, family, twins: others, changing }: ItemPageState) {
  return (
    <div class="beside" id="item">
      {others.length > 0 && <SerialDuplicates twins={others} />}
      <dl class="facts">
        <ItemFacts item={item} changing={changing} />
      </dl>
      <section aria-labelledby="family-title">
        <h2 id="family-title">Contents</h2>
        <FamilyTree item={item} family={family} />
      </section>
    </div>
  );
}

function Label({
  item,
  family,
  mayDelete,
}: Pick<ItemPageState, "item" | "family"> & { mayDelete: boolean }) {
  const { ics_id } = item;
  return (
    <aside class="panel" aria-label="Label">
      <figure class="qr">
        <Qr text={ics_id} />
        <figcaption>{ics_id}</figcaption>
      </figure>
      <a class="button" href={`${ITEMS}/labels?ics_id=${ics_id}`}>
        <Icon name="printer" /> Print label
      </a>
      {mayDelete && <DeleteItem item={item} inside={family.total} />}
    </aside>
  );
}

type DeletedItem = Pick<ItemOfPage, "ics_id" | "comments" | "macs" | "host">;

/** An item that holds others cannot be deleted. */
function DeleteItem({ item, inside }: { item: DeletedItem; inside: number }) {
  if (inside > 0) {
    const them = inside === 1 ? "it" : "them";
    return (
      <p class="muted">
        Contains {countOf(inside, "item")}: remove {them} first to delete this item
      </p>
    );
  }
  return (
    <DeleteForm
      action={`${ITEMS}/delete`}
      field={["ics_id", item.ics_id]}
      noun="item"
      name={item.ics_id}
      detail={impactOf(item)}
    />
  );
}

export function impactOf({ comments, macs, host }: DeletedItem): string {
  const parts = [
    comments.length > 0 && `${countOf(comments.length, "comment")} deleted with it`,
    macs.length > 0 && `${countOf(macs.length, "MAC address")} free to use again`,
    host !== null && `${host} stays, without this item`,
  ].filter((part) => part !== false);
  return [...(parts.length > 0 ? [parts.join("; ")] : []), "The deletion can be undone"].join(". ");
}

function Preview({ item, href }: { item: ItemOfPage; href: string }) {
  return (
    <>
      <header>
        <h2 id="preview-title">
          <span class="mono">{item.ics_id}</span>
        </h2>
        <form method="dialog">
          <button type="submit" class="quiet square" aria-label="Close" title="Close">
            <Icon name="x" />
          </button>
        </form>
      </header>
      <dl class="facts">
        <ItemFacts item={item} />
      </dl>
      <a class="button" href={href}>
        <Icon name="external-link" /> Open
      </a>
    </>
  );
}
