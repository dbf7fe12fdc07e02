// POST /inventory/items/_bulk: the same change for many items. First the form, then what would change,
// then the change: each step carries the choice along, as keys or as the filter of a list.
import { Elysia } from "elysia";
import { asDryRun, type Caller } from "../../../src/auth/auth.ts";
import type { FieldError } from "../../../src/input/errors.ts";
import { readForm } from "../../../src/input/shape.ts";
import * as bulk from "../../../src/inventory/items/bulk.ts";
import { choices } from "../../../src/inventory/items/choices.ts";
import { page, redirect } from "../../layout/page.tsx";
import { attempt, type Filled } from "../../parts/forms.tsx";
import { field, keysIn } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { withParams } from "../../request/url_parameters.ts";
import { askedItems } from "./asked.ts";
import { BulkPage, type BulkTarget, type BulkValues } from "./bulk_page.tsx";
import { PATH } from "./list.tsx";

const FIELDS = ["location", "status", "comment"];

export const itemBulkPages = new Elysia({ prefix: PATH, normalize: false }).use(guard).post(
  "/_bulk",
  async ({ request, caller, form }) => {
    const keys = await bulk.selectedKeys(caller, chosenIn(form));
    if (form.has("labels")) return redirect(request, labelsOf(keys));
    if (!FIELDS.some((name) => form.has(name))) {
      return show(request, caller, { keys, form, filled: filledIn(form) });
    }
    return field(form, "step") === "apply"
      ? apply(request, caller, { keys, form })
      : preview(request, caller, { keys, form });
  },
  { see: ["inventory", "admin"] },
);

async function show(request: Request, caller: Caller, given: BulkValues): Promise<Response> {
  const { filled, form, isOther } = given;
  const title = "Change many items";
  const back = backOf(form);
  const seen = seenAs(given);
  return page(request, {
    title,
    status: filled.faults.length > 0 || isOther ? 422 : 200,
    crumbs: [{ label: "Inventory" }, { label: "Items", href: back }, { label: title }],
    body: <BulkPage {...given} choices={await choices(caller)} back={back} seen={seen} />,
  });
}

async function preview(
  request: Request,
  caller: Caller,
  { keys, form, isOther }: BulkTarget & { isOther?: boolean },
): Promise<Response> {
  const tried = await attempt(async () =>
    bulk.change(asDryRun(caller), keys, readForm(bulk.bulkChange, form)),
  );
  if ("refusal" in tried) {
    const filled = filledIn(form, tried.refusal.errors);
    return show(request, caller, { keys, form, filled });
  }
  const filled = filledIn(form);
  return show(request, caller, { keys, form, filled, outcome: tried.done, isOther });
}

async function apply(
  request: Request,
  caller: Caller,
  { keys, form }: BulkTarget,
): Promise<Response> {
  if (field(form, "seen") !== seenAs({ keys, form })) {
    return preview(request, caller, { keys, form, isOther: true });
  }
  const tried = await attempt(async () =>
    bulk.change(caller, keys, readForm(bulk.bulkChange, form)),
  );
  if ("refusal" in tried) {
    const filled = filledIn(form, tried.refusal.errors);
    return show(request, caller, { keys, form, filled });
  }
  const { change_set, chosen } = tried.done;
  const notice = `${chosen.toLocaleString("en")} ${chosen === 1 ? "item is" : "items are"} changed`;
  return redirect(request, `/changes/${change_set}`, notice);
}

/** Which items, and what is to become of them: applied is only what was looked at. */
function seenAs({ keys, form }: BulkTarget): string {
  const texts = FIELDS.map((name) => field(form, name));
  return Bun.hash(JSON.stringify([keys, texts])).toString(36);
}

function filledIn(form: FormData, faults: FieldError[] = []): Filled {
  const values = Object.fromEntries(FIELDS.map((name) => [name, field(form, name)]));
  return { shape: bulk.bulkChange, values, faults };
}

function chosenIn(form: FormData): bulk.Selection {
  if (form.has("all")) return { params: askedItems(new URLSearchParams(field(form, "filter"))) };
  return { keys: keysIn(form, "items") };
}

function labelsOf(keys: number[]): string {
  return `${PATH}/labels?${new URLSearchParams(keys.map((key) => ["id", String(key)]))}`;
}

function backOf(form: FormData): string {
  return withParams(PATH, new URLSearchParams(field(form, "filter")), {});
}
