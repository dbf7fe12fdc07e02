// POST /inventory/items/delete: asks for confirmation, and lists what is deleted along with the item.
import { Elysia } from "elysia";
import type { Caller } from "../../../src/auth/auth.ts";
import * as items from "../../../src/inventory/items/items.ts";
import { rowOf } from "../../../src/store/records.ts";
import { confirmFirst } from "../../layout/confirm.tsx";
import { redirect } from "../../layout/page.tsx";
import { attempt } from "../../parts/forms.tsx";
import { field } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { impactOf, REMOVERS } from "./delete_form.tsx";
import { PATH, viewPath } from "./list.tsx";
import { showItem } from "./page.tsx";

export const itemDeletePages = new Elysia({ prefix: PATH, normalize: false })
  .use(guard)
  .post("/delete", ({ request, caller, form }) => remove(request, caller, form), {
    see: REMOVERS,
  });

async function remove(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const item = rowOf(await items.find(caller, field(form, "ics_id")));
  const { id, ics_id } = item;
  const asking = confirmFirst(request, form, {
    title: `Delete ${ics_id}?`,
    detail: impactOf(item),
    verb: "Delete",
    back: viewPath(ics_id),
  });
  if (asking) return asking;
  const tried = await attempt(() => items.remove(caller, id));
  if ("refusal" in tried) {
    const { refusal } = tried;
    return showItem(request, caller, { which: ics_id, next: viewPath(ics_id), refusal });
  }
  return redirect(request, PATH, { text: `${ics_id} is deleted`, undo: tried.done });
}
