// GET /admin/service-accounts: the list. GET and POST …/create, …/edit/(username) and …/rotate/(username)/(id), GET
// …/view/(username), POST …/token, …/revoke and …/action.
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { invalid, notFound, Refusal } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { readFormInput } from "../../src/input/shape.ts";
import { rowOf, rowsOf } from "../../src/store/records.ts";
import { textsIn } from "../../src/store/versions.ts";
import { confirmUnlessFresh } from "../../src/user/confirmation.ts";
import { explain } from "../../src/user/rights/explanation.ts";
import * as accounts from "../../src/user/service_accounts.ts";
import * as tokens from "../../src/user/tokens.ts";
import { confirmFirst } from "../layout/confirm.tsx";
import { page, redirect } from "../layout/page.tsx";
import { blank, type Filled, joinBoxes, refused } from "../parts/forms.tsx";
import { listOf } from "../records/in_list.tsx";
import { field } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { readTyped } from "../request/typed_search.ts";
import { attemptForm, type EditedRecord, type RefusedEdit, save } from "../resource/save.ts";
import { added, saved } from "../texts.ts";
import { attemptByPassword, confirmingOf, rotationForm } from "../user/token_forms.ts";
import { RotatePage } from "../user/token_parts.tsx";
import { CRUMB, SERVICE_ACCOUNTS, serviceAccountPath } from "./paths.ts";
import { DEACTIVATE, ServiceAccountForm, ServiceAccountPage } from "./service_account_view.tsx";
import { ServiceAccountList, ServiceAccountsPage } from "./service_accounts_list.tsx";

const ADMINS = { see: ["admin"] } as const;
const CREATE = `${SERVICE_ACCOUNTS}/create`;
const TITLE = "Service accounts";
const FIELDS = ["display_name", "groups"];

export const serviceAccountPages = new Elysia({ prefix: SERVICE_ACCOUNTS, normalize: false })
  .use(guard)
  .get("", ({ request, caller, search }) => showList(request, caller, search), ADMINS)
  .get("/create", ({ request }) => showNew(request, blank(accounts.newServiceAccount)), ADMINS)
  .post("/create", ({ request, caller, form }) => create(request, caller, form), ADMINS)
  .get(
    "/view/:username",
    ({ request, caller, params }) => show(request, caller, params.username),
    ADMINS,
  )
  .get(
    "/edit/:username",
    async ({ request, caller, params }) => {
      const edited = await readEdited(caller, params.username);
      const filled = blank(accounts.changedServiceAccount, edited.values);
      return showForm(request, edited, { filled });
    },
    ADMINS,
  )
  .post(
    "/edit/:username",
    ({ request, caller, params, form }) => update(request, caller, params.username, form),
    ADMINS,
  )
  .post("/token", ({ request, caller, form }) => createToken(request, caller, form), ADMINS)
  .get(
    "/rotate/:username/:id",
    ({ request, caller, params }) => showRotation(request, caller, params),
    ADMINS,
  )
  .post(
    "/rotate/:username/:id",
    ({ request, caller, params, form }) => rotate(request, caller, params, form),
    ADMINS,
  )
  .post("/revoke", ({ request, caller, form }) => revoke(request, caller, form), ADMINS)
  .post("/action", ({ request, caller, form }) => act(request, caller, form), ADMINS);

async function showList(
  request: Request,
  caller: Caller,
  params: URLSearchParams,
): Promise<Response> {
  const listParams = readTyped(params);
  listParams.delete("cols");
  const listed = await accounts.list(caller, listParams);
  const shown = { params, listed, rows: rowsOf(listed) };
  return page(request, {
    title: TITLE,
    crumbs: [CRUMB, { label: TITLE }],
    body: <ServiceAccountsPage {...shown} />,
    fragment: <ServiceAccountList {...shown} />,
  });
}

async function create(request: Request, caller: Caller, form: FormData): Promise<Response> {
  joinBoxes(form, "groups");
  const tried = await attemptForm(caller, form, {
    shape: accounts.newServiceAccount,
    work: accounts.create,
    placeholders: { username: `x${crypto.randomUUID()}` },
  });
  if ("refusal" in tried) {
    const { refusal } = tried;
    const filled = refused(accounts.newServiceAccount, form, refusal);
    return showNew(request, filled, refusal.status);
  }
  const { username } = rowOf(tried.done);
  const next = form.has("again") ? CREATE : serviceAccountPath(username);
  return redirect(request, next, added(username));
}

function showNew(request: Request, filled: Filled, status = 200): Response {
  return page(request, {
    title: "Add service account",
    status,
    crumbs: [CRUMB, { label: TITLE, href: SERVICE_ACCOUNTS }, { label: "Add" }],
    body: (
      <ServiceAccountForm
        title="Add service account"
        filled={filled}
        action={CREATE}
        back={SERVICE_ACCOUNTS}
      />
    ),
  });
}

interface ServiceAccountViewState {
  making?: Filled;
  made?: string;
  refusal?: Refusal;
}

async function show(
  request: Request,
  caller: Caller,
  username: string,
  { making = blank(tokens.confirmedToken), made, refusal }: ServiceAccountViewState = {},
): Promise<Response> {
  const row = rowOf(await accounts.findNamed(caller, username));
  const all = new URLSearchParams({ per_page: "100" });
  const [held, confirming, may] = await Promise.all([
    accounts.tokensOf(caller, row.id, all),
    confirmingOf(caller),
    row.state === "active" ? explain(caller, row.id) : undefined,
  ]);
  return page(request, {
    title: row.username,
    status: refusal?.status,
    headers: refusal?.headers,
    isSecret: made !== undefined,
    crumbs: [
      CRUMB,
      { label: TITLE, href: listOf(SERVICE_ACCOUNTS, request.url) },
      { label: row.username },
    ],
    body: (
      <ServiceAccountPage
        row={row}
        tokens={rowsOf(held)}
        making={making}
        made={made}
        confirming={confirming}
        may={may}
      />
    ),
  });
}

interface EditedAccount extends EditedRecord {
  username: string;
}

async function readEdited(caller: Caller, username: string): Promise<EditedAccount> {
  const found = await accounts.findNamed(caller, username);
  const row = rowOf(found);
  if (row.state !== "active") throw invalid("username", "Activate this account first");
  const { id, user, updated_at } = row;
  const values = textsIn(row, FIELDS);
  return { id, username: row.username, version: found.version, values, user, updated_at };
}

function showForm(
  request: Request,
  { username, version }: EditedAccount,
  { filled, status, conflict }: { filled: Filled } & Partial<RefusedEdit>,
): Response {
  const back = serviceAccountPath(username);
  return page(request, {
    title: `Edit ${username}`,
    status,
    crumbs: [
      CRUMB,
      { label: TITLE, href: SERVICE_ACCOUNTS },
      { label: username, href: back },
      { label: "Edit" },
    ],
    body: (
      <ServiceAccountForm
        title={`Edit ${username}`}
        filled={filled}
        action={`${SERVICE_ACCOUNTS}/edit/${encodeURIComponent(username)}`}
        back={back}
        edited={{ version, conflict }}
      />
    ),
  });
}

async function update(
  request: Request,
  caller: Caller,
  username: string,
  form: FormData,
): Promise<Response> {
  joinBoxes(form, "groups");
  const edited = await readEdited(caller, username);
  const tried = await save(caller, {
    form,
    edited,
    resource: accounts.serviceAccount,
    shape: accounts.changedServiceAccount,
    work: (as, input) => accounts.update(as, edited.id, input),
  });
  if ("done" in tried) return redirect(request, serviceAccountPath(username), saved(username));
  const { version } = tried.refused;
  return showForm(request, { ...edited, version }, tried.refused);
}

async function createToken(request: Request, caller: Caller, form: FormData): Promise<Response> {
  joinBoxes(form, "limits");
  const { id, username } = await accountIn(caller, form);
  const tried = await attemptByPassword(async () => {
    const { current_password, ...input } = readFormInput(tokens.confirmedToken, form);
    await confirmUnlessFresh(caller, current_password);
    return accounts.createToken(caller, id, input);
  });
  if ("refusal" in tried) {
    const { refusal } = tried;
    const making = refused(tokens.confirmedToken, form, refusal);
    return show(request, caller, username, { making, refusal });
  }
  return show(request, caller, username, { made: rowOf(tried.done).token });
}

async function accountIn(caller: Caller, form: FormData): Promise<accounts.ServiceAccount> {
  return rowOf(await accounts.findNamed(caller, field(form, "username")));
}

interface NamedToken {
  username: string;
  id: string;
}

async function showRotation(
  request: Request,
  caller: Caller,
  named: NamedToken,
  tried?: { form: FormData; refusal: Refusal },
): Promise<Response> {
  const account = rowOf(await accounts.findNamed(caller, named.username));
  const which = new URLSearchParams({ id: String(keyNamed(named.id)) });
  const [held, confirming] = await Promise.all([
    accounts.tokensOf(caller, account.id, which),
    confirmingOf(caller),
  ]);
  const [token] = rowsOf(held);
  if (!token) throw notFound();
  const back = serviceAccountPath(account.username);
  return page(request, {
    title: "Rotate token",
    status: tried?.refusal.status,
    headers: tried?.refusal.headers,
    crumbs: [
      CRUMB,
      { label: TITLE, href: SERVICE_ACCOUNTS },
      { label: account.username, href: back },
      { label: "Rotate token" },
    ],
    body: (
      <RotatePage
        token={token}
        filled={rotationForm(tried)}
        action={rotationPath(account.username, token.id)}
        back={back}
        {...confirming}
      />
    ),
  });
}

function rotationPath(username: string, id: number): string {
  return `${SERVICE_ACCOUNTS}/rotate/${encodeURIComponent(username)}/${id}`;
}

async function rotate(
  request: Request,
  caller: Caller,
  named: NamedToken,
  form: FormData,
): Promise<Response> {
  const account = rowOf(await accounts.findNamed(caller, named.username));
  const token = keyNamed(named.id);
  const tried = await attemptByPassword(async () => {
    const { current_password, ...input } = readFormInput(tokens.confirmedRotation, form);
    await confirmUnlessFresh(caller, current_password);
    return accounts.rotateToken(caller, { account: account.id, token }, input);
  });
  if ("refusal" in tried) {
    return showRotation(request, caller, named, { form, refusal: tried.refusal });
  }
  return show(request, caller, account.username, { made: rowOf(tried.done).token });
}

async function revoke(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const { id, username } = await accountIn(caller, form);
  const token = keyNamed(field(form, "token_id"));
  await accounts.revokeToken(caller, { account: id, token }).catch(unlessGone);
  return redirect(request, serviceAccountPath(username), "The token is revoked");
}

/** Revoking a revoked token is not an error. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Refusal && error.status === 404)) throw error;
}

async function act(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const { id, username, state } = await accountIn(caller, form);
  const back = serviceAccountPath(username);
  if (state === "deactivated") {
    await accounts.activate(caller, id);
    return redirect(request, back, `${username} is active; it needs new tokens`);
  }
  const asking = confirmFirst(request, form, { ...DEACTIVATE, back });
  if (asking) return asking;
  await accounts.remove(caller, id);
  return redirect(request, back, `${username} is deactivated`);
}
