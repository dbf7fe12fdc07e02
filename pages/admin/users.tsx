// GET /admin/users: the list. GET and POST …/create, GET …/_names: usernames for suggestions.
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { rowOf, rowsOf } from "../../src/store/records.ts";
import { accounts, usernamesWith } from "../../src/user/administration.ts";
import * as users from "../../src/user/users.ts";
import { page, redirect } from "../layout/page.tsx";
import { blank, type Filled, joinBoxes, refused } from "../parts/forms.tsx";
import { guard } from "../request/guard.ts";
import { readTyped } from "../request/typed_search.ts";
import { attemptForm } from "../resource/save.ts";
import { added } from "../texts.ts";
import { CRUMB, USERS, userPath } from "./paths.ts";
import { NewUserForm } from "./user_form.tsx";
import { UserList, UsersPage } from "./users_list.tsx";

const ADMINS = { see: ["admin"] } as const;
const CREATE = `${USERS}/create`;

export const userListPages = new Elysia({ prefix: USERS, normalize: false })
  .use(guard)
  .get("", ({ request, caller, search }) => show(request, caller, search), ADMINS)
  .get(
    "/_names",
    async ({ caller, search }) => {
      const names = await usernamesWith(caller, search.get("q") ?? "");
      return Response.json({ data: names.map((name) => ({ name })) });
    },
    ADMINS,
  )
  .get("/create", ({ request }) => showForm(request, blank(users.newUser)), ADMINS)
  .post("/create", ({ request, caller, form }) => create(request, caller, form), ADMINS);

async function show(request: Request, caller: Caller, params: URLSearchParams): Promise<Response> {
  const listParams = readTyped(params);
  listParams.delete("cols");
  const listed = await accounts(caller, listParams);
  const shown = { params, listed, rows: rowsOf(listed) };
  return page(request, {
    title: "Users",
    crumbs: [CRUMB, { label: "Users" }],
    body: <UsersPage {...shown} />,
    fragment: <UserList {...shown} />,
  });
}

async function create(request: Request, caller: Caller, form: FormData): Promise<Response> {
  joinBoxes(form, "groups");
  const tried = await attemptForm(caller, form, {
    shape: users.newUser,
    work: users.create,
    placeholders: { username: `x${crypto.randomUUID()}`, password: crypto.randomUUID() },
  });
  if ("refusal" in tried) {
    const { refusal } = tried;
    return showForm(request, refused(users.newUser, form, refusal), refusal.status);
  }
  const { username } = rowOf(tried.done);
  const next = form.has("again") ? CREATE : userPath(username);
  return redirect(request, next, added(username));
}

function showForm(request: Request, filled: Filled, status = 200): Response {
  return page(request, {
    title: "Add user",
    status,
    crumbs: [CRUMB, { label: "Users", href: USERS }, { label: "Add" }],
    body: (
      <>
        <header class="head">
          <h1>Add user</h1>
        </header>
        <NewUserForm filled={filled} action={CREATE} back={USERS} />
      </>
    ),
  });
}
