// GET and POST /inventory/scanner: the scan desk and the codes that control it. The form contains all previous
// scans, so that the desk works without scripting.

import { Elysia } from "elysia";
import { type Caller, may, permit } from "../../../src/auth/auth.ts";
import { INVENTORY_EDITORS } from "../../../src/auth/rights.ts";
import { contextOf } from "../../../src/http/request_context.ts";
import { publicId, readPublicId } from "../../../src/input/change_ids.ts";
import type { FieldError } from "../../../src/input/errors.ts";
import * as favorites from "../../../src/inventory/attributes/favorites.ts";
import * as scan_apply from "../../../src/inventory/scan/apply.ts";
import {
  type Desk,
  emptyDesk,
  type ScanMeaning,
  step,
} from "../../../src/inventory/scan/scan_desk.ts";
import * as scans from "../../../src/inventory/scan/scanned_text.ts";
import { page, redirect } from "../../layout/page.tsx";
import { attempt } from "../../parts/forms.tsx";
import { field } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { withParams } from "../../request/url_parameters.ts";
import { type AppliedScan, ScannerPage, Tested } from "./page.tsx";
import { Scanned } from "./scanned_list.tsx";

const PATH = "/inventory/scanner";
const EDITORS = INVENTORY_EDITORS;
const MOST_SCANS = 500;
/** URLs have a limited length. */
const MOST_LEFT = 40;

export const scannerPages = new Elysia({ normalize: false })
  .use(guard)
  .get(
    PATH,
    async ({ request, caller, search }) => {
      const text = search.get("test");
      const tested = text ? await meaningOf(request, caller, text) : undefined;
      const log = search.getAll("scan").slice(0, MOST_SCANS);
      return show(request, caller, { log, tested, done: await doneBy(caller, search.get("done")) });
    },
    { see: "everyone" },
  )
  .post(
    PATH,
    async ({ request, caller, form }) => {
      const log = readLog(form);
      const action = field(form, "action");
      if (action === "apply" || action === "apply_good")
        return apply(request, caller, { log, form });
      const before = form.has("back") ? log.slice(0, -1) : log;
      const after = compact([...before, ...textsOf(form, "scan")]);
      return show(request, caller, { log: after, key: field(form, "key") });
    },
    { see: "everyone" },
  );

interface ScanState {
  /** All scans, oldest first. */
  log: string[];
  /** The idempotency key of the list. */
  key?: string;
  errors?: FieldError[];
  tested?: { text: string; meaning: ScanMeaning };
  done?: AppliedScan;
}

async function show(request: Request, caller: Caller, state: ScanState): Promise<Response> {
  const { errors = [], key, tested, done } = state;
  const log = state.log.slice(0, MOST_SCANS);
  const desk = await deskOf(request, caller, log);
  const shown = {
    log,
    desk,
    inside: await scan_apply.countInside(desk.rows),
    leaving: await scan_apply.leavingIn(desk.rows),
    key: key || crypto.randomUUID(),
    errors,
    isFull: state.log.length > MOST_SCANS,
    mayApply: may(caller, EDITORS),
  };
  return page(request, {
    title: "Scan desk",
    crumbs: [{ label: "Inventory" }, { label: "Scan desk" }],
    status: errors.length > 0 ? 422 : 200,
    trusts: ["htmx", "scan"],
    body: (
      <ScannerPage
        shown={shown}
        favorites={await favorites.list(caller)}
        tested={tested}
        done={done}
      />
    ),
    fragment: tested ? <Tested tested={tested} /> : <Scanned {...shown} />,
  });
}

interface ApplyRequest {
  log: string[];
  form: FormData;
}

async function apply(request: Request, caller: Caller, applied: ApplyRequest): Promise<Response> {
  permit(caller, EDITORS, true);
  const { log, form } = applied;
  const desk = await deskOf(request, caller, log);
  const key = field(form, "key");
  const wanted = field(form, "action") === "apply" ? "all" : "good";
  const tried = await attempt(() => scan_apply.apply(onceOnly(caller, { key, log }), desk, wanted));
  if ("refusal" in tried) {
    return show(request, caller, { log, key, errors: tried.refusal.errors });
  }
  const { change_set, left } = tried.done;
  const kept = left.slice(0, MOST_LEFT).map((text): [string, string] => ["scan", text]);
  return redirect(
    request,
    withParams(PATH, new URLSearchParams(kept), { done: publicId(change_set) }),
  );
}

/** Sending the form twice registers items once. */
function onceOnly(caller: Caller, { key, log }: { key: string; log: string[] }): Caller {
  if (!caller.options || !/^[\w-]{1,64}$/.test(key)) return caller;
  const fingerprint = Bun.hash(log.join("\n")).toString(36);
  return { ...caller, options: { ...caller.options, idempotency: { key, fingerprint } } };
}

async function deskOf(request: Request, caller: Caller, log: string[]): Promise<Desk> {
  const meanings = await scans.interpretAll(caller, log, contextOf(request).origin);
  return meanings.reduce(step, emptyDesk);
}

async function meaningOf(request: Request, caller: Caller, text: string) {
  return { text, meaning: await scans.interpret(caller, text, contextOf(request).origin) };
}

async function doneBy(caller: Caller, text: string | null): Promise<ScanState["done"]> {
  const change_set = readPublicId(text ?? "");
  if (change_set === undefined) return undefined;
  const outcome = await scan_apply.outcome(caller, change_set);
  return outcome && { change_set, ...outcome };
}

function readLog(form: FormData): string[] {
  return compact(textsOf(form, "scans"));
}

/** One text per line. */
function textsOf(form: FormData, name: string): string[] {
  return form
    .getAll(name)
    .flatMap((value) => String(value).split(/\r?\n/))
    .map((text) => text.trim())
    .filter((text) => text !== "");
}

/** Drops the scans before the last "Clear all". */
function compact(log: string[]): string[] {
  const cleared = log.findLastIndex((text) => /^CSE:action:Clear all$/i.test(text));
  return log.slice(cleared + 1);
}
