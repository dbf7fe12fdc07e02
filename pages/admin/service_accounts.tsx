// The pages of service accounts. Besides: GET and POST /admin/service-accounts/rotate/(username)/(id), POST …/token,
// …/revoke and …/action.
import type { Caller } from "../../src/auth/auth.ts";
import { invalid, notFound, type Refusal } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { readFormInput } from "../../src/input/shape.ts";
import { rowOf, rowsOf } from "../../src/store/records.ts";
import { confirmUnlessFresh } from "../../src/user/confirmation.ts";
import { explain } from "../../src/user/rights/explanation.ts";
import * as accounts from "../../src/user/service_accounts.ts";
import * as tokens from "../../src/user/tokens.ts";
import { confirmFirst } from "../layout/confirm.tsx";
import { page, redirect } from "../layout/page.tsx";
import { Field, refused, unlessGone } from "../parts/forms.tsx";
import { columnsOf } from "../parts/resource_fields.tsx";
import { Time } from "../records/time.tsx";
import { field } from "../request/form_values.ts";
import { recordChange, recordCreation, type ShownRecord } from "../resource/hooks.ts";
import { readBy } from "../resource/list.tsx";
import { ResourcePages } from "../resource/pages.tsx";
import { attemptByPassword, confirmingOf, rotationForm } from "../user/token_forms.ts";
import { blankToken, RotatePage } from "../user/token_parts.tsx";
import { CRUMB, SERVICE_ACCOUNTS, serviceAccountPath } from "./paths.ts";
import { DEACTIVATE, serviceAccountParts } from "./service_account_view.tsx";
import { GroupBoxes, UsernameField } from "./user_form.tsx";
import { Groups, UserState } from "./user_view.tsx";
import { AccountFilters } from "./users.tsx";

const ADMINS = { see: ["admin"] } as const;

const pages = new ResourcePages({
  resource: accounts.serviceAccount,
  path: SERVICE_ACCOUNTS,
  readers: ["admin"],
  room: CRUMB,
  hasHistory: false,
  list: {
    lead: "Programs, which have groups and tokens and cannot log in",
    icon: "key",
    purpose: "A program with an account keeps its access when a person leaves",
    read: readBy(SERVICE_ACCOUNTS, accounts.list),
    columns: () => COLUMNS,
    filters: (params) => <AccountFilters params={params} />,
    fields: ["state", "groups"],
  },
  find: accounts.findNamed,
  view: viewOf,
  creation: recordCreation({
    shape: accounts.newServiceAccount,
    start: () => ({}),
    work: async (caller, input) => ({ name: rowOf(await accounts.create(caller, input)).username }),
    placeholders: { username: `x${crypto.randomUUID()}` },
  }),
  change: recordChange({
    shape: accounts.changedServiceAccount,
    require: ({ state }: accounts.ServiceAccount) => {
      if (state !== "active") throw invalid("username", "Activate this account first");
    },
    work: async (caller, input, { edited: { id, name } }) => {
      await accounts.update(caller, id, input);
      return { name };
    },
  }),
  form: ({ filled, edited }) => ({
    fields: (
      <>
        {!edited && <UsernameField filled={filled} />}
        <Field
          filled={filled}
          name="display_name"
          hint="What the program does"
          autofocus={edited !== undefined}
        />
        <GroupBoxes filled={filled} />
      </>
    ),
    placed: Object.keys(filled.shape.properties),
  }),
});

export const serviceAccountPages = pages
  .routes()
  .post(
    `${SERVICE_ACCOUNTS}/token`,
    ({ request, caller, form }) => createToken(request, caller, form),
    ADMINS,
  )
  .get(
    `${SERVICE_ACCOUNTS}/rotate/:username/:id`,
    ({ request, caller, params }) => showRotation(request, caller, params),
    ADMINS,
  )
  .post(
    `${SERVICE_ACCOUNTS}/rotate/:username/:id`,
    ({ request, caller, params, form }) => rotate(request, caller, params, form),
    ADMINS,
  )
  .post(
    `${SERVICE_ACCOUNTS}/revoke`,
    ({ request, caller, form }) => revoke(request, caller, form),
    ADMINS,
  )
  .post(
    `${SERVICE_ACCOUNTS}/action`,
    ({ request, caller, form }) => act(request, caller, form),
    ADMINS,
  );

const COLUMNS = columnsOf<accounts.ServiceAccount>(accounts.serviceAccount, [
  {
    name: "username",
    sortable: true,
    fixed: true,
    cell: ({ username }, inList) => (
      <a class="open" href={serviceAccountPath(username) + inList}>
        {username}
      </a>
    ),
  },
  { name: "display_name", sortable: true, cell: ({ display_name }) => display_name },
  { name: "groups", cell: ({ groups }) => <Groups groups={groups ?? []} /> },
  { name: "state", sortable: true, cell: ({ state }) => <UserState state={state} /> },
  { name: "tokens", sortable: true, class: "number", cell: ({ tokens }) => tokens },
  {
    name: "last_seen",
    label: "Last used",
    sortable: true,
    class: "time",
    cell: ({ last_seen }) => (last_seen ? <Time at={last_seen} /> : "never"),
  },
]);

async function viewOf({ caller, row, filled, secret }: ShownRecord<accounts.ServiceAccount>) {
  const all = new URLSearchParams({ per_page: "100" });
  const [held, confirming, may] = await Promise.all([
    accounts.tokensOf(caller, row.id, all),
    confirmingOf(caller),
    row.state === "active" ? explain(caller, row.id) : undefined,
  ]);
  return serviceAccountParts({
    row,
    tokens: rowsOf(held),
    making: filled ?? blankToken(),
    made: secret,
    confirming,
    may,
  });
}

async function createToken(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const { id, username } = await accountIn(caller, form);
  const tried = await attemptByPassword(async () => {
    const { current_password, ...input } = readFormInput(tokens.confirmedToken, form);
    await confirmUnlessFresh(caller, current_password);
    return accounts.createToken(caller, id, input);
  });
  if ("refusal" in tried) {
    const { refusal } = tried;
    const filled = refused(tokens.confirmedToken, form, refusal);
    return pages.view(request, caller, username, { refusal, filled });
  }
  return pages.view(request, caller, username, { secret: rowOf(tried.done).token });
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
    crumbs: pages.crumbs(
      undefined,
      { label: account.username, href: back },
      { label: "Rotate token" },
    ),
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
  return pages.view(request, caller, account.username, { secret: rowOf(tried.done).token });
}

async function revoke(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const { id, username } = await accountIn(caller, form);
  const token = keyNamed(field(form, "token_id"));
  await accounts.revokeToken(caller, { account: id, token }).catch(unlessGone);
  return redirect(request, serviceAccountPath(username), "Revoked the token");
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
