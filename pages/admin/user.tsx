// GET /admin/users/view/(username): one user. GET and POST …/edit/(username), POST …/password/(username),
// …/rights/(username) and …/action.
import { sql } from "drizzle-orm";
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { invalid, notFound, type Refusal } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { readFormInput } from "../../src/input/shape.ts";
import { positionOf, rowOf, rowsOf } from "../../src/store/records.ts";
import { textsIn } from "../../src/store/versions.ts";
import type { Account } from "../../src/user/account.ts";
import { account } from "../../src/user/account.ts";
import { accountNamed, accountQuery, heldTokens } from "../../src/user/administration.ts";
import * as auditLog from "../../src/user/audit_log.ts";
import { overview } from "../../src/user/passkeys/passkeys.ts";
import { explain } from "../../src/user/rights/explanation.ts";
import { rightInWords } from "../../src/user/rights/place.ts";
import * as rights from "../../src/user/rights/rights.ts";
import { newRight } from "../../src/user/rights/rights.ts";
import * as sessions from "../../src/user/sessions.ts";
import * as users from "../../src/user/users.ts";
import { confirmFirst } from "../layout/confirm.tsx";
import { page, redirect } from "../layout/page.tsx";
import { attempt, blank, type Filled, joinBoxes, refused } from "../parts/forms.tsx";
import { listOf, placeIn } from "../records/in_list.tsx";
import { field } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { readTyped } from "../request/typed_search.ts";
import { type EditedRecord, type RefusedEdit, save } from "../resource/save.ts";
import { reasonsOf, saved } from "../texts.ts";
import { CRUMB, serviceAccountPath, USERS, userPath } from "./paths.ts";
import { actionsFor, type UserAction } from "./user_actions.ts";
import { EditUserForm } from "./user_form.tsx";
import { UserPage } from "./user_view.tsx";

const ADMINS = { see: ["admin"] } as const;
const FIELDS = ["display_name", "email", "groups"];

export const userPages = new Elysia({ prefix: USERS, normalize: false })
  .use(guard)
  .get(
    "/view/:username",
    ({ request, caller, params }) => show(request, caller, { username: params.username }),
    ADMINS,
  )
  .get(
    "/edit/:username",
    async ({ request, caller, params }) => {
      const edited = await readEdited(caller, params.username);
      return showForm(request, edited, { filled: blank(users.changedDetails, edited.values) });
    },
    ADMINS,
  )
  .post(
    "/edit/:username",
    ({ request, caller, params, form }) => update(request, caller, params.username, form),
    ADMINS,
  )
  .post(
    "/password/:username",
    ({ request, caller, params, form }) => setPassword(request, caller, params.username, form),
    ADMINS,
  )
  .post(
    "/rights/:username",
    ({ request, caller, params, form }) => changeRights(request, caller, params.username, form),
    ADMINS,
  )
  .post("/action", ({ request, caller, form }) => act(request, caller, form), ADMINS);

interface ShownUser {
  username: string;
  /** Why the action was refused. */
  refusal?: Refusal;
  password?: Filled;
  right?: Filled;
}

async function show(
  request: Request,
  caller: Caller,
  { username, refusal, password = blank(users.newPassword), right = blank(newRight) }: ShownUser,
): Promise<Response> {
  const row = rowOf(await accountNamed(caller, username));
  if (row.is_service) {
    const reasons = refusal && reasonsOf(refusal.errors);
    return redirect(request, serviceAccountPath(row.username), reasons);
  }
  const [held, open, did, place, may, own] = await Promise.all([
    heldTokens(caller, new URLSearchParams({ owner_id: String(row.id), per_page: "100" })),
    sessions.sessionsOf(row.id),
    auditLog.list(caller, new URLSearchParams({ username: row.username, per_page: "10" })),
    placeIn(request.url, (list) => positionIn(caller, row.id, list)),
    row.state === "active" ? explain(caller, row.id) : undefined,
    overview(row.id),
  ]);
  return page(request, {
    title: row.username,
    status: refusal?.status,
    crumbs: [CRUMB, { label: "Users", href: listOf(USERS, request.url) }, { label: row.username }],
    body: (
      <UserPage
        row={row}
        tokens={rowsOf(held)}
        sessions={open}
        passkeys={own?.passkeys ?? []}
        entries={rowsOf(did)}
        password={password}
        may={may}
        right={right}
        place={place}
        refusal={password.errors.length + right.errors.length > 0 ? undefined : refusal}
        isSelf={row.id === caller.id}
      />
    ),
  });
}

function positionIn(caller: Caller, id: number, params: URLSearchParams) {
  return positionOf(accountQuery(caller), readTyped(params), { id, name: sql`users.username` });
}

interface EditedUser extends EditedRecord {
  username: string;
}

async function readEdited(caller: Caller, username: string): Promise<EditedUser> {
  const found = await accountNamed(caller, username);
  const row = rowOf(found);
  requirePerson(row);
  requireActive(row);
  const { id, user, updated_at } = row;
  const values = textsIn(row, FIELDS);
  return { id, username: row.username, version: found.version, values, user, updated_at };
}

/** Service accounts have pages of their own. */
function requirePerson({ is_service }: Account): void {
  if (is_service) throw notFound();
}

function requireActive({ state }: Account): void {
  if (state !== "active") throw invalid("username", "Activate this user first");
}

function showForm(
  request: Request,
  edited: EditedUser,
  { filled, status, conflict }: { filled: Filled } & Partial<RefusedEdit>,
): Response {
  const { username, version } = edited;
  const back = userPath(username);
  const title = `Edit ${username}`;
  return page(request, {
    title,
    status,
    crumbs: [
      CRUMB,
      { label: "Users", href: USERS },
      { label: username, href: back },
      { label: "Edit" },
    ],
    body: (
      <>
        <header class="head">
          <h1>{title}</h1>
        </header>
        <EditUserForm
          filled={filled}
          action={`${USERS}/edit/${encodeURIComponent(username)}`}
          back={back}
          version={version}
          conflict={conflict}
        />
      </>
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
    resource: account,
    shape: users.changedDetails,
    work: (as, input) => users.update(as, edited.id, input),
  });
  if ("done" in tried) return redirect(request, userPath(username), saved(username));
  const { version } = tried.refused;
  return showForm(request, { ...edited, version }, tried.refused);
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
    return show(request, caller, {
      username: row.username,
      refusal,
      password: { ...password, errors: refusal.errors },
    });
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
    const given = await rights.give(caller, row.id, readFormInput(newRight, form));
    return `${row.username} has the right ${rightInWords({ kind: given.right, place: given.place })}`;
  });
  if ("done" in tried) return redirect(request, back, tried.done);
  const right = refused(newRight, form, tried.refusal);
  return show(request, caller, { username: row.username, refusal: tried.refusal, right });
}

async function act(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const row = rowOf(await accountNamed(caller, field(form, "username")));
  requirePerson(row);
  const chosen: UserAction | undefined = actionsFor(row).find(
    ({ name }) => name === field(form, "action"),
  );
  if (!chosen) throw invalid("action", "This cannot be done with this user now");
  const back = userPath(row.username);
  if (chosen.question) {
    const asking = confirmFirst(request, form, { ...chosen.question, back });
    if (asking) return asking;
  }
  const tried = await attempt(() => chosen.work(caller, row.id));
  if ("refusal" in tried) {
    return show(request, caller, { username: row.username, refusal: tried.refusal });
  }
  return redirect(request, back, chosen.done);
}
