// GET /inventory/items/view/(ics_id): the page of an item. POST …/place/(ics_id) and …/macs/(ics_id): changes in
// place; htmx gets the parts that have changed.
import type { TObject } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Caller } from "../../../src/auth/auth.ts";
import type { FieldError, Refusal } from "../../../src/input/errors.ts";
import { readFormInput } from "../../../src/input/shape.ts";
import * as entry from "../../../src/inventory/items/form_input.ts";
import * as itemMacs from "../../../src/inventory/items/form_macs.ts";
import * as items from "../../../src/inventory/items/items.ts";
import { rowOf } from "../../../src/store/records.ts";
import { redirect, wantsFragment } from "../../layout/page.tsx";
import { countOf } from "../../parts/count.ts";
import { attempt, refused } from "../../parts/forms.tsx";
import { field, safePath } from "../../request/form_values.ts";
import type { Notice } from "../../request/frame.ts";
import { guard } from "../../request/guard.ts";
import { CHANGED_MEANWHILE, inTitle, NO_CHANGES } from "../../texts.ts";
import { PATH, viewPath } from "./list.tsx";
import { EDITORS, showItem } from "./page.tsx";
import { showPreview } from "./preview.tsx";

const { placeEntry } = entry;
const { changedMacs } = itemMacs;

export const itemViewPages = new Elysia({ prefix: PATH, normalize: false })
  .use(guard)
  .get("/view/:ics_id", ({ request, caller, params }) => view(request, caller, params.ics_id), {
    see: "everyone",
  })
  .post(
    "/place/:ics_id",
    ({ request, caller, params, form }) => move(request, caller, { which: params.ics_id, form }),
    { see: EDITORS },
  )
  .post(
    "/macs/:ics_id",
    ({ request, caller, params, form }) =>
      changeMacs(request, caller, { which: params.ics_id, form }),
    { see: EDITORS },
  );

const LABEL = /^[A-Z]{3}[0-9]{3}$/;

async function view(request: Request, caller: Caller, which: string): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  if (LABEL.test(which)) {
    if (wantsFragment(request)) return showPreview(request, caller, which);
    return showItem(request, caller, { which, next: pathname + search });
  }
  // One URL for each item: a key or an id in lower case is redirected.
  const { ics_id } = rowOf(await items.find(caller, which));
  return redirect(request, viewPath(ics_id) + search);
}

interface FormRequest {
  which: string;
  form: FormData;
}

async function move(request: Request, caller: Caller, sent: FormRequest): Promise<Response> {
  const { which, form } = sent;
  const tried = await attempt(async () =>
    entry.update(caller, which, readFormInput(placeEntry, form)),
  );
  if ("refusal" in tried)
    return showRefused(request, caller, { ...sent, shape: placeEntry, ...tried });
  const { ics_id, changed, inside, change_set: undo } = tried.done;
  if (changed.length === 0) return goOn(request, caller, { ...sent, said: NOTHING });
  const contents = inside > 0 ? ` and ${countOf(inside, "item")}` : "";
  const isMove = changed.some((name) => name !== "status");
  const text = `${isMove ? "Moved" : "Changed status of"} ${ics_id}${contents}`;
  return goOn(request, caller, { ...sent, said: { text, undo } });
}

async function changeMacs(request: Request, caller: Caller, sent: FormRequest): Promise<Response> {
  const { which, form } = sent;
  const tried = await attempt(async () =>
    itemMacs.changeMacs(caller, which, readFormInput(changedMacs, form)),
  );
  if ("refusal" in tried)
    return showRefused(request, caller, { ...sent, shape: changedMacs, ...tried });
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
  { which, form, said }: FormRequest & { said: Notice },
): Response | Promise<Response> {
  const next = nextOf({ which, form });
  if (!wantsFragment(request)) return redirect(request, next, said);
  return showItem(request, caller, { which, next, said });
}

interface RefusedRequest extends FormRequest {
  shape: TObject;
  refusal: Refusal;
}

/** The current page with the refused field open. */
function showRefused(request: Request, caller: Caller, sent: RefusedRequest): Promise<Response> {
  const { which, form, shape, refusal } = sent;
  const filled = refused(shape, form, refusal);
  const { status } = refusal;
  const errors = status === 412 ? staleIn(form) : filled.errors;
  return showItem(request, caller, {
    which,
    next: nextOf(sent),
    status,
    refused: { ...filled, errors },
  });
}

function staleIn(form: FormData): FieldError[] {
  const name = Object.keys(placeEntry.properties).find((one) => form.has(one)) ?? "location";
  return [{ field: name, message: CHANGED_MEANWHILE }];
}

function nextOf({ which, form }: FormRequest): string {
  return safePath(field(form, "next"), viewPath(which));
}
