// The pages of users. Besides: GET /admin/users/_names: usernames for suggestions; POST …/password/(username),
// …/rights/(username) and …/action.
import { type Caller, GROUPS } from "../../src/auth/auth.ts";
import { invalid, notFound } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { readFormInput } from "../../src/input/shape.ts";
import { rowOf, rowsOf } from "../../src/store/records.ts";
import { type Account, account } from "../../src/user/account.ts";
import {
  accountNamed,
  accounts,
  heldTokens,
  usernamesWith,
} from "../../src/user/administration.ts";
import * as auditLog from "../../src/user/audit_log.ts";
import { overview } from "../../src/user/passkeys/passkeys.ts";
import { explain } from "../../src/user/rights/explanation.ts";
import { rightInWords } from "../../src/user/rights/place.ts";
import * as rights from "../../src/user/rights/rights.ts";
import * as sessions from "../../src/user/sessions.ts";
import * as users from "../../src/user/users.ts";
import { redirect } from "../layout/page.tsx";
import { ChoiceFilter } from "../lists/choice_filter.tsx";
import { attempt, blank, refused } from "../parts/forms.tsx";
import { columnsOf } from "../parts/resource_fields.tsx";
import { Time } from "../records/time.tsx";
import { field } from "../request/form_values.ts";
import { recordChange, recordCreation, type ShownRecord } from "../resource/hooks.ts";
import { readBy } from "../resource/list.tsx";
import { ResourcePages } from "../resource/pages.tsx";
import type { RecordParts } from "../resource/view.tsx";
import { reasonsOf } from "../texts.ts";
import { CRUMB, serviceAccountPath, USERS, userPath } from "./paths.ts";
import { actionsFor } from "./user_actions.ts";
import { UserFields } from "./user_form.tsx";
import { Groups, UserState, userParts } from "./user_view.tsx";

const ADMINS = { see: ["admin"] } as const;

const pages = new ResourcePages({
  resource: account,
  readers: ["admin"],
  room: CRUMB,
  hasHistory: false,
  list: {
    lead: "Who may log in, and with which rights",
    icon: "users",
    read: readBy(USERS, accounts),
    columns: () => COLUMNS,
    filters: (params) => <AccountFilters params={params} />,
    fields: ["state", "groups"],
  },
  find: accountNamed,
  view: viewOf,
  creation: recordCreation({
    shape: users.newUser,
    start: () => ({}),
    work: async (caller, input) => ({ name: rowOf(await users.create(caller, input)).username }),
    placeholders: { username: `x${crypto.randomUUID()}`, password: crypto.randomUUID() },
  }),
  change: recordChange({
    shape: users.changedDetails,
    require: (row: Account) => {
      requirePerson(row);
      requireActive(row);
    },
    work: async (caller, input, { edited: { id, name } }) => {
      await users.update(caller, id, input);
      return { name };
    },
  }),
  form: ({ filled, edited }) => ({
    fields: <UserFields filled={filled} isNew={!edited} />,
    placed: Object.keys(filled.shape.properties),
  }),
  actions: (row) => {
    requirePerson(row);
    return actionsFor(row);
  },
});

export const userPages = pages
  .routes()
  .get(
    `${USERS}/_names`,
    async ({ caller, search }) => {
      const names = await usernamesWith(caller, search.get("q") ?? "");
      return Response.json({ data: names.map((name) => ({ name })) });
    },
    ADMINS,
  )
  .post(
    `${USERS}/password/:username`,
    ({ request, caller, params, form }) => setPassword(request, caller, params.username, form),
    ADMINS,
  )
  .post(
    `${USERS}/rights/:username`,
    ({ request, caller, params, form }) => changeRights(request, caller, params.username, form),
    ADMINS,
  )
  .post(
    `${USERS}/action`,
    ({ request, caller, form }) => pages.act(request, caller, field(form, "username"), form),
    ADMINS,
  );

const COLUMNS = columnsOf<Account>(
  account,
  [
    {
      name: "username",
      sortable: true,
      fixed: true,
      cell: ({ username }, inList) => (
        <a class="open" href={userPath(username) + inList}>
          {username}
        </a>
      ),
    },
    { name: "display_name", sortable: true, cell: ({ display_name }) => display_name },
    { name: "groups", cell: ({ groups }) => <Groups groups={groups ?? []} /> },
    { name: "state", sortable: true, cell: ({ state }) => <UserState state={state} /> },
    {
      name: "last_seen",
      sortable: true,
      class: "time",
      cell: ({ last_seen }) => (last_seen ? <Time at={last_seen} /> : "never"),
    },
    { name: "sessions", sortable: true, class: "number", cell: ({ sessions }) => sessions },
    { name: "tokens", sortable: true, class: "number", cell: ({ tokens }) => tokens },
  ],
  ["is_service"],
);

export function AccountFilters({ params }: { params: URLSearchParams }) {
  const states = ["active", "deactivated"];
  return (
    <>
      <ChoiceFilter name="state" label="Any state" params={params} options={states} />
      <ChoiceFilter name="groups" label="Any group" params={params} options={GROUPS} />
    </>
  );
}

/** Service accounts have pages of their own. */
async function viewOf(shown: ShownRecord<Account>): Promise<RecordParts | Response> {
  const { request, caller, row, refusal, filled } = shown;
  const { id, username } = row;
  if (row.is_service) {
    const reasons = refusal && reasonsOf(refusal.errors);
    return redirect(request, serviceAccountPath(username), reasons);
  }
  const [held, open, did, may, own] = await Promise.all([
    heldTokens(caller, new URLSearchParams({ owner_id: String(id), per_page: "100" })),
    sessions.sessionsOf(id),
    auditLog.list(caller, new URLSearchParams({ username, per_page: "10" })),
    row.state === "active" ? explain(caller, id) : undefined,
    overview(id),
  ]);
  return userParts({
    row,
    tokens: rowsOf(held),
    sessions: open,
    passkeys: own?.passkeys ?? [],
    entries: rowsOf(did),
    filled,
    may,
    isSelf: id === caller.id,
  });
}

function requirePerson({ is_service }: Account): void {
  if (is_service) throw notFound();
}

function requireActive({ state }: Account): void {
  if (state !== "active") throw invalid("username", "Activate this user first");
}

async function setPassword(
  request: Request,
  caller: Caller,
  username: string,
  form: FormData,
): Promise<Response> {
  const row = rowOf(await accountNamed(caller, username));
  requirePerson(row);
  const tried = await attempt(async () => {
    requireActive(row);
    // Users confirm a change of their own password by the current one.
    if (row.id === caller.id)
      throw invalid("password", "Change your own password on your profile page");
    return users.update(caller, row.id, readFormInput(users.newPassword, form));
  });
  if ("refusal" in tried) {
    const { refusal } = tried;
    const password = blank(users.newPassword, { end_tokens: field(form, "end_tokens") });
    const filled = { ...password, errors: refusal.errors };
    return pages.view(request, caller, row.username, { refusal, filled });
  }
  const done = `${row.username} has a new password, and is logged out everywhere`;
  return redirect(request, userPath(row.username), done);
}

/** Gives a right in one place, or takes one. */
async function changeRights(
  request: Request,
  caller: Caller,
  username: string,
  form: FormData,
): Promise<Response> {
  const row = rowOf(await accountNamed(caller, username));
  const back = userPath(row.username);
  const tried = await attempt(async () => {
    if (form.has("take")) {
      await rights.take(caller, row.id, keyNamed(field(form, "take")));
      return `${row.username} does not have this right any more`;
    }
    const given = await rights.give(caller, row.id, readFormInput(rights.newRight, form));
    return `${row.username} has the right ${rightInWords({ kind: given.right, place: given.place })}`;
  });
  if ("done" in tried) return redirect(request, back, tried.done);
  const { refusal } = tried;
  const filled = refused(rights.newRight, form, refusal);
  return pages.view(request, caller, row.username, { refusal, filled });
}
