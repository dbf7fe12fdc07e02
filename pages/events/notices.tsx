// /user/watches: what a user watches, how they learn of its changes, and the addresses of their feeds.
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { currentConfig } from "../../src/config.ts";
import * as address from "../../src/events/notices/address.ts";
import * as feeds from "../../src/events/notices/feeds.ts";
import { lastTrouble } from "../../src/events/notices/mails.ts";
import * as settings from "../../src/events/notices/settings.ts";
import { changedWatch, newWatch } from "../../src/events/notices/watch.ts";
import * as watches from "../../src/events/notices/watches.ts";
import { contextOf } from "../../src/http/request_context.ts";
import { notFound, Refusal } from "../../src/input/errors.ts";
import { keyIn, keyNamed } from "../../src/input/keys.ts";
import { MOST_WATCHES } from "../../src/input/limits.ts";
import { readFormInput, readInput } from "../../src/input/shape.ts";
import { rowOf, rowsOf } from "../../src/store/records.ts";
import { fragment, isHtmx, type Page, page, redirect } from "../layout/page.tsx";
import { attempt, blank, unlessGone } from "../parts/forms.tsx";
import { field, safePath } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { attemptByPassword, confirmingOf } from "../user/token_forms.ts";
import { WATCHES, WatchesPage, type WatchesProps } from "./notices_view.tsx";
import { WatchButton } from "./watch_button.tsx";

const see = "everyone";

export const noticePages = new Elysia({ prefix: WATCHES, normalize: false })
  .use(guard)
  .get("", ({ request, caller }) => show(request, caller), { see })
  .post("", ({ request, caller, form }) => change(request, caller, form), { see })
  .post("/toggle", ({ request, caller, form }) => toggle(request, caller, form), { see })
  .post("/settings", ({ request, caller, form }) => changeSettings(request, caller, form), { see })
  .post("/feeds", ({ request, caller, form }) => renewFeeds(request, caller, form), { see })
  .post(
    "/address",
    async ({ request, caller }) => {
      const tried = await attemptMail(() => address.requestConfirmation(caller));
      if ("refusal" in tried) return show(request, caller, { refusal: tried.refusal });
      return redirect(request, WATCHES, "A link is on its way to your address");
    },
    { see },
  )
  .post(
    "/test",
    async ({ request, caller }) => {
      const tried = await attemptMail(() => address.requestTest(caller));
      if ("refusal" in tried) return show(request, caller, { refusal: tried.refusal });
      return redirect(request, WATCHES, "A test mail is on its way to your address");
    },
    { see: ["admin"] },
  )
  .get(
    "/confirm/:link",
    ({ request, params }) => {
      if (!address.isConfirmation(params.link)) throw notFound();
      return page(request, { title: "Confirm address", body: <Confirm link={params.link} /> });
    },
    { see },
  )
  .post(
    "/confirm/:link",
    async ({ request, caller, params }) => {
      const tried = await attempt(() => address.confirmAddress(caller, params.link));
      if ("refusal" in tried) return show(request, caller, { refusal: tried.refusal });
      return redirect(request, WATCHES, "Your address is confirmed");
    },
    { see },
  );

type NoticesState = Partial<WatchesProps> & Pick<Page, "headers">;

async function show(request: Request, caller: Caller, state: NoticesState = {}): Promise<Response> {
  const [listed, own, searches, trouble, confirming] = await Promise.all([
    watches.list(caller, new URLSearchParams({ per_page: "100", sort: "-created_at" })),
    settings.settingsOf(caller),
    watches.searchesToWatch(caller),
    lastTrouble(caller.id),
    confirmingOf(caller),
  ]);
  const further =
    listed.total > 100
      ? await watches.list(
          caller,
          new URLSearchParams({ per_page: "100", page: "2", sort: "-created_at" }),
        )
      : undefined;
  const { refusal } = state;
  return page(request, {
    title: "Watches",
    crumbs: [{ label: "Profile", href: "/user/profile" }, { label: "Watches" }],
    status: refusal?.status,
    headers: state.headers ?? refusal?.headers,
    isSecret: state.secret !== undefined,
    body: (
      <WatchesPage
        watches={[...rowsOf(listed), ...(further ? rowsOf(further) : [])]}
        most={MOST_WATCHES}
        settings={own}
        changing={blank(settings.changedSettings, {
          digest_hour: String(own.digest_hour),
          own_changes: String(own.own_changes),
        })}
        searches={searches}
        trouble={trouble}
        hasMail={currentConfig()?.mail !== undefined}
        origin={contextOf(request).origin}
        confirming={confirming}
        {...state}
      />
    ),
  });
}

/** Saves when watches send mails, deletes one, or adds a saved search. */
async function change(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const gone = keyIn(field(form, "delete"));
  if (gone !== undefined) {
    await watches.remove(caller, gone).catch(unlessGone);
    return redirect(request, WATCHES, "Deleted the watch");
  }
  if (form.has("search_id")) {
    const tried = await attempt(async () => watches.create(caller, readFormInput(newWatch, form)));
    if ("refusal" in tried) return show(request, caller, { refusal: tried.refusal });
    return redirect(request, WATCHES, `Watching ${rowOf(tried.done).name}`);
  }
  const tried = await attempt(async () => {
    for (const [name, value] of form) {
      const [, id] = /^mail-([0-9]+)$/.exec(name) ?? [];
      if (id === undefined) continue;
      const { mail } = readInput(changedWatch, { mail: value });
      await watches.changeIfOther(caller, keyNamed(id), mail).catch(unlessGone);
    }
  });
  if ("refusal" in tried) return show(request, caller, { refusal: tried.refusal });
  return redirect(request, WATCHES, "Saved your watches");
}

async function toggle(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const { table_name, row_id } = readFormInput(newWatch, form);
  const of = { table: table_name ?? "", id: row_id ?? 0 };
  const known = await watches.watchOf(caller, of);
  let watch: string | null = null;
  let name = known?.name ?? "";
  if (field(form, "watch") === "true") {
    const made = rowOf(await watches.create(caller, { table_name, row_id }));
    watch = made.mail;
    name = made.name;
  } else if (known) {
    await watches.remove(caller, known.id).catch(unlessGone);
  }
  if (isHtmx(request)) return fragment(request, <WatchButton of={of} name={name} watch={watch} />);
  return redirect(
    request,
    safePath(field(form, "next"), WATCHES),
    watch === null ? "Not watched any more" : `Watching ${name}`,
  );
}

async function changeSettings(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const tried = await attempt(async () =>
    settings.change(caller, readFormInput(settings.changedSettings, form)),
  );
  if ("refusal" in tried) return show(request, caller, { refusal: tried.refusal });
  return redirect(request, WATCHES, "Saved your settings");
}

async function renewFeeds(request: Request, caller: Caller, form: FormData): Promise<Response> {
  if (form.has("end")) {
    await feeds.endFeeds(caller);
    return redirect(request, WATCHES, "The addresses of your feeds are no longer valid");
  }
  const password = field(form, "current_password") || undefined;
  const tried = await attemptByPassword(() => feeds.renewFeeds(caller, password));
  if ("refusal" in tried) {
    const { refusal } = tried;
    const making = { ...blank(settings.changedSettings), errors: refusal.errors };
    return show(request, caller, { refusal, making });
  }
  return show(request, caller, { secret: tried.done });
}

/** A refusal of too many mails is shown on the page, too. */
function attemptMail<T>(work: () => Promise<T>) {
  return attempt(work).catch((error) => {
    if (!(error instanceof Refusal && error.status === 429)) throw error;
    const { status, message, headers } = error;
    return { refusal: new Refusal(status, message, { headers, errors: [{ field: "", message }] }) };
  });
}

function Confirm({ link }: { link: string }) {
  return (
    <>
      <header class="head">
        <h1>Confirm your address</h1>
      </header>
      <form class="sheet" method="post" action={`${address.CONFIRM}/${encodeURIComponent(link)}`}>
        <p>Mails about the changes of what you watch are then sent to the address of this link.</p>
        <div class="buttons">
          <button type="submit" class="primary">
            Confirm
          </button>
        </div>
      </form>
    </>
  );
}
