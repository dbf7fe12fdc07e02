// One change for many items in three steps: form, preview, change. Each step carries the
// selection, as keys or as the filter of a list.

import { asDryRun, type Caller } from "../../../src/auth/auth.ts";
import type { FieldError } from "../../../src/input/errors.ts";
import { readFormInput } from "../../../src/input/shape.ts";
import * as bulk from "../../../src/inventory/items/bulk.ts";
import { choices } from "../../../src/inventory/items/choices.ts";
import { page, redirect } from "../../layout/page.tsx";
import { countOf } from "../../parts/count.ts";
import { attempt, type Filled } from "../../parts/forms.tsx";
import { allLines, field, keysIn, siteInputsIn } from "../../request/form_values.ts";
import { withParams } from "../../request/url_parameters.ts";
import { BulkPage, type BulkTarget, type BulkValues } from "./bulk_page.tsx";
import { ITEMS, itemListParams } from "./paths.ts";

const FIELDS = Object.keys(bulk.bulkChange.properties);

export async function changeSelected(
  request: Request,
  caller: Caller,
  form: FormData,
): Promise<Response> {
  const keys = await bulk.selectedKeys(caller, chosenIn(form));
  if (form.has("labels")) return redirect(request, labelsOf(keys));
  if (!FIELDS.some((name) => form.has(name))) {
    return show(request, caller, { keys, form, filled: filledIn(form) });
  }
  return field(form, "step") === "apply"
    ? apply(request, caller, { keys, form })
    : preview(request, caller, { keys, form });
}

async function show(request: Request, caller: Caller, given: BulkValues): Promise<Response> {
  const { filled, form, isOther } = given;
  const title = "Change selected items";
  const back = backOf(form);
  const seen = seenAs(given);
  return page(request, {
    title,
    status: filled.errors.length > 0 || isOther ? 422 : 200,
    crumbs: [{ label: "Inventory" }, { label: "Items", href: back }, { label: title }],
    body: <BulkPage {...given} choices={await choices(caller)} back={back} seen={seen} />,
  });
}

async function preview(
  request: Request,
  caller: Caller,
  { keys, form, isOther }: BulkTarget & { isOther?: boolean },
): Promise<Response> {
  // What moves away leaves its parent, unless the user decides otherwise.
  if (!form.has("leave_parent")) form.set("leave_parent", "true");
  const tried = await attempt(async () =>
    bulk.change(asDryRun(caller), keys, readFormInput(bulk.bulkChange, form)),
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
    bulk.change(caller, keys, readFormInput(bulk.bulkChange, form)),
  );
  if ("refusal" in tried) {
    const filled = filledIn(form, tried.refusal.errors);
    return show(request, caller, { keys, form, filled });
  }
  const text = `Changed ${countOf(bulk.itemsIn(tried.done), "item")}`;
  return redirect(request, backOf(form), { text, undo: tried.done.change_set });
}

/** A fingerprint of items and values: only what the user has previewed is applied. */
function seenAs({ keys, form }: BulkTarget): string {
  const values = [...FIELDS, ...siteInputsIn(form)].filter((name) => name !== "leave_parent");
  const texts = values.map((name) => allLines(form, name));
  return Bun.hash(JSON.stringify([keys, texts])).toString(36);
}

function filledIn(form: FormData, errors: FieldError[] = []): Filled {
  const leave_parent = String(form.getAll("leave_parent").at(-1) ?? "");
  const texts = [...FIELDS, ...siteInputsIn(form)].map((name) => [name, allLines(form, name)]);
  const values = { ...Object.fromEntries(texts), leave_parent };
  return { shape: bulk.bulkChange, values, errors };
}

function chosenIn(form: FormData): bulk.ItemSelection {
  if (form.has("all"))
    return { params: itemListParams(new URLSearchParams(field(form, "filter"))) };
  return { keys: keysIn(form, "items") };
}

function labelsOf(keys: number[]): string {
  return `${ITEMS}/labels?${new URLSearchParams(keys.map((key) => ["id", String(key)]))}`;
}

function backOf(form: FormData): string {
  return withParams(ITEMS, new URLSearchParams(field(form, "filter")), {});
}
