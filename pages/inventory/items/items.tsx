// The pages of items: some of an item is changed on its page, and many items are changed at once.
import type { Caller } from "../../../src/auth/auth.ts";
import { INVENTORY_EDITORS } from "../../../src/auth/rights.ts";
import type { Refusal } from "../../../src/input/errors.ts";
import { keyNamed } from "../../../src/input/keys.ts";
import { readFormInput } from "../../../src/input/shape.ts";
import * as choices from "../../../src/inventory/items/choices.ts";
import * as exports from "../../../src/inventory/items/export.ts";
import * as entry from "../../../src/inventory/items/form_input.ts";
import * as itemMacs from "../../../src/inventory/items/form_macs.ts";
import { item as described } from "../../../src/inventory/items/item.ts";
import * as items from "../../../src/inventory/items/items.ts";
import { accepted } from "../../jobs/status.tsx";
import { fragment, isHtmx, redirect, wantsFragment } from "../../layout/page.tsx";
import { countOf } from "../../parts/count.ts";
import { attempt } from "../../parts/forms.tsx";
import { field, requireOnDemand, requireOurSite, safePath } from "../../request/form_values.ts";
import type { Notice } from "../../request/frame.ts";
import { ResourcePages } from "../../resource/pages.tsx";
import { inTitle, NO_CHANGES } from "../../texts.ts";
import { changeSelected } from "./bulk.tsx";
import { itemChange, itemCreation, itemForm, itemFormPart, StackOptions } from "./form.tsx";
import { itemList } from "./list.tsx";
import { impactOf, viewItem } from "./page.tsx";
import { ITEMS, itemListParams, itemPath } from "./paths.ts";

const { placeEntry } = entry;
const { changedMacs } = itemMacs;
const SEEN_BY_EDITORS = { see: INVENTORY_EDITORS } as const;

const pages = new ResourcePages({
  resource: described,
  list: itemList,
  find: items.findShown,
  hasOneAddress: true,
  view: viewItem,
  creation: itemCreation,
  change: itemChange,
  form: itemForm,
  answer: itemFormPart,
  removal: {
    detail: impactOf,
    work: items.remove,
    said: ({ ics_id }) => `Deleted ${ics_id}`,
  },
});

export const itemPages = pages
  .routes()
  .post(
    `${ITEMS}/place/:ics_id`,
    ({ request, caller, params, form }) => move(request, caller, { which: params.ics_id, form }),
    SEEN_BY_EDITORS,
  )
  .post(
    `${ITEMS}/macs/:ics_id`,
    ({ request, caller, params, form }) =>
      changeMacs(request, caller, { which: params.ics_id, form }),
    SEEN_BY_EDITORS,
  )
  .post(
    `${ITEMS}/_bulk`,
    ({ request, caller, form }) => changeSelected(request, caller, form),
    SEEN_BY_EDITORS,
  )
  .get(
    `${ITEMS}/_generate_excel_file`,
    async ({ request, caller, search }) => {
      // A link or an image on another site must not start a job.
      requireOnDemand(request);
      requireOurSite(request);
      return accepted(request, await exports.request(caller, itemListParams(search)));
    },
    { fetch: { allowed: "everyone", reach: { kinds: ["inventory"] } } },
  )
  .get(
    "/inventory/_retrieve_host_names",
    async ({ caller, search }) =>
      Response.json({ data: await choices.hostNames(caller, search.get("q") ?? "") }),
    { see: "everyone" },
  )
  .get(
    "/inventory/_retrieve_free_stack_members/:host_id",
    async ({ request, caller, params, search }) => {
      const host = { id: keyNamed(params.host_id) };
      const data = await choices.stackMembers(caller, host, search.get("ics_id") ?? "");
      if (!isHtmx(request)) return Response.json({ data });
      const selected = String(data.selected_member ?? "");
      return fragment(request, <StackOptions members={data.stack_members} selected={selected} />);
    },
    { see: "everyone" },
  );

interface SentChange {
  which: string;
  form: FormData;
}

async function move(request: Request, caller: Caller, sent: SentChange): Promise<Response> {
  const { which, form } = sent;
  const tried = await attempt(async () =>
    entry.update(caller, which, readFormInput(placeEntry, form)),
  );
  if ("refusal" in tried) return showRefused(request, caller, sent, tried.refusal);
  const { ics_id, changed, inside, change_set: undo } = tried.done;
  if (changed.length === 0) return goOn(request, caller, { ...sent, said: NOTHING });
  const contents = inside > 0 ? ` and ${countOf(inside, "item")}` : "";
  const isMove = changed.some((name) => name !== "status");
  const text = `${isMove ? "Moved" : "Changed status of"} ${ics_id}${contents}`;
  return goOn(request, caller, { ...sent, said: { text, undo } });
}

async function changeMacs(request: Request, caller: Caller, sent: SentChange): Promise<Response> {
  const { which, form } = sent;
  const tried = await attempt(async () =>
    itemMacs.changeMacs(caller, which, readFormInput(changedMacs, form)),
  );
  if ("refusal" in tried) return showRefused(request, caller, sent, tried.refusal);
  const { added, freed, change_set: undo } = tried.done;
  const parts = [
    ...(added > 0 ? [`added ${countOf(added, "MAC address")}`] : []),
    ...(freed > 0 ? [`removed ${countOf(freed, "MAC address")}`] : []),
  ];
  const said = parts.length > 0 ? { text: inTitle(parts.join(", ")), undo } : NOTHING;
  return goOn(request, caller, { ...sent, said });
}

const NOTHING = { text: NO_CHANGES };

/** Redirects to the page with a notice; htmx gets the changed parts. */
function goOn(
  request: Request,
  caller: Caller,
  { which, form, said }: SentChange & { said: Notice },
): Response | Promise<Response> {
  const next = nextOf({ which, form });
  if (!wantsFragment(request)) return redirect(request, next, said);
  return pages.view(request, caller, which, { address: next, said });
}

/** The current page with the refused field open. */
function showRefused(
  request: Request,
  caller: Caller,
  sent: SentChange,
  refusal: Refusal,
): Promise<Response> {
  const { which, form } = sent;
  return pages.view(request, caller, which, { address: nextOf(sent), form, refusal });
}

function nextOf({ which, form }: SentChange): string {
  return safePath(field(form, "next"), itemPath(which));
}
