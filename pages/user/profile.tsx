// GET and POST /user/profile, POST /user/tokens/revoke: the account of the caller.
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { invalid, type Refusal } from "../../src/input/errors.ts";
import { keyIn, keyNamed } from "../../src/input/keys.ts";
import { readFormInput } from "../../src/input/shape.ts";
import { rowOf, rowsOf } from "../../src/store/records.ts";
import { overview } from "../../src/user/passkeys/passkeys.ts";
import { rightsOf } from "../../src/user/rights/rights.ts";
import * as sessions from "../../src/user/sessions.ts";
import * as tokens from "../../src/user/tokens.ts";
import * as users from "../../src/user/users.ts";
import { fragment, isHtmx, type Page, page, redirect } from "../layout/page.tsx";
import { attempt, blank, type Filled, refused, unlessGone } from "../parts/forms.tsx";
import { setDensity, setTheme } from "../request/cookies.ts";
import { field, safePath } from "../request/form_values.ts";
import { DENSITIES, THEMES } from "../request/frame.ts";
import { guard } from "../request/guard.ts";
import { Profile, type ProfileProps } from "./profile_view.tsx";
import { attemptByPassword, confirmingOf, rotationForm } from "./token_forms.ts";
import { blankToken, RotatePage } from "./token_parts.tsx";

export const profilePages = new Elysia({ prefix: "/user", normalize: false })
  .use(guard)
  .get("/profile", ({ request, caller }) => show(request, caller), { see: "everyone" })
  .post(
    "/profile",
    ({ request, caller, form }) => {
      if (form.has("theme")) return changeTheme(request, form);
      if (form.has("density")) return changeDensity(request, form);
      const action = actions.get(field(form, "action") || "profile");
      if (!action) throw invalid("action", "Use profile, password or token");
      return action(request, caller, form);
    },
    { see: "everyone" },
  )
  .post("/tokens/revoke", ({ request, caller, form }) => revoke(request, caller, form), {
    see: "everyone",
  })
  .get(
    "/tokens/rotate/:id",
    ({ request, caller, params }) => showRotation(request, caller, keyNamed(params.id)),
    { see: "everyone" },
  )
  .post(
    "/tokens/rotate/:id",
    ({ request, caller, params, form }) => rotate(request, caller, keyNamed(params.id), form),
    { see: "everyone" },
  );

const PROFILE = "/user/profile";

type ProfileAction = (request: Request, caller: Caller, form: FormData) => Promise<Response>;

const actions = new Map<string, ProfileAction>(
  Object.entries({ profile: change, password: changePassword, token: makeToken }),
);

async function show(
  request: Request,
  caller: Caller,
  state: Partial<ProfileProps> & Pick<Page, "status" | "headers"> = {},
) {
  const [user, listed, open, rights, admins, confirming, passkeys] = await Promise.all([
    users.find(caller, caller.id ?? 0),
    tokens.list(caller, new URLSearchParams("per_page=100&sort=-created_at")),
    sessions.list(caller),
    rightsOf(caller.id ?? 0),
    users.adminNames(),
    confirmingOf(caller),
    overview(caller.id ?? 0),
  ]);
  const record = rowOf(user);
  const account: ProfileProps = {
    user: record,
    version: user.version,
    tokens: rowsOf(listed),
    sessions: open,
    rights,
    admins,
    changing: blank(users.changedProfile, {
      display_name: record.display_name ?? "",
      email: record.email ?? "",
    }),
    password: blank(users.changedProfile),
    making: blankToken(),
    ...confirming,
    passkeys,
    ...state,
  };
  return page(request, {
    title: "Profile",
    crumbs: [{ label: "Profile" }],
    status: state.status,
    headers: state.headers,
    isSecret: account.made !== undefined,
    body: <Profile {...account} />,
  });
}

async function change(request: Request, caller: Caller, form: FormData): Promise<Response> {
  for (const name of ["password", "current_password", "end_tokens"]) form.delete(name);
  const tried = await attempt(async () =>
    users.updateProfile(caller, readFormInput(users.changedProfile, form)),
  );
  if ("done" in tried) return redirect(request, "/user/profile", "Saved your profile");
  const { refusal } = tried;
  return show(request, caller, {
    status: refusal.status,
    changing: refused(users.changedProfile, form, refusal),
  });
}

async function changePassword(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const tried = await attemptByPassword(async () => {
    if (form.get("password") !== form.get("repeated_password")) {
      throw invalid("repeated_password", "Enter the same new password again");
    }
    if (!field(form, "password")) throw invalid("password", "Enter a new password");
    const { password, current_password, end_tokens } = readFormInput(users.changedProfile, form);
    const change = { password, current_password, end_tokens };
    return users.updateProfile(caller, change);
  });
  const end_tokens = field(form, "end_tokens");
  if ("done" in tried) {
    const others = end_tokens === "true" ? "; personal tokens revoked" : "";
    return redirect(
      request,
      "/user/profile",
      `Password changed; all other sessions ended${others}`,
    );
  }
  const filled = blank(users.changedProfile, { end_tokens });
  const password: Filled = { ...filled, errors: tried.refusal.errors };
  const { status, headers } = tried.refusal;
  return show(request, caller, { status, headers, password });
}

async function makeToken(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const tried = await attemptByPassword(async () =>
    tokens.createInSession(caller, readFormInput(tokens.confirmedToken, form)),
  );
  if ("refusal" in tried) {
    const { refusal } = tried;
    return show(request, caller, {
      status: refusal.status,
      headers: refusal.headers,
      making: refused(tokens.confirmedToken, form, refusal),
    });
  }
  return show(request, caller, { made: rowOf(tried.done).token });
}

async function showRotation(
  request: Request,
  caller: Caller,
  id: number,
  tried?: { form: FormData; refusal: Refusal },
): Promise<Response> {
  const [token, confirming] = await Promise.all([tokens.find(caller, id), confirmingOf(caller)]);
  return page(request, {
    title: "Rotate token",
    crumbs: [{ label: "Profile", href: PROFILE }, { label: "Rotate token" }],
    status: tried?.refusal.status,
    headers: tried?.refusal.headers,
    body: (
      <RotatePage
        token={rowOf(token)}
        filled={rotationForm(tried)}
        action={`/user/tokens/rotate/${id}`}
        back={PROFILE}
        {...confirming}
      />
    ),
  });
}

async function rotate(
  request: Request,
  caller: Caller,
  id: number,
  form: FormData,
): Promise<Response> {
  const tried = await attemptByPassword(async () =>
    tokens.rotateInSession(caller, id, readFormInput(tokens.confirmedRotation, form)),
  );
  if ("refusal" in tried) {
    return showRotation(request, caller, id, { form, refusal: tried.refusal });
  }
  return show(request, caller, { made: rowOf(tried.done).token });
}

/** By id, or a login token by its jti. Revoking a revoked token is not an error. */
async function revoke(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const id = keyIn(field(form, "token_id"));
  const jti = field(form, "jti");
  if (id === undefined && jti === "") throw invalid("token_id", "Name the token by its id");
  await tokens.revoke(caller, id === undefined ? { jti } : { id }).catch(unlessGone);
  return isHtmx(request)
    ? fragment(request, null)
    : redirect(request, "/user/profile", "Revoked the token");
}

function changeTheme(request: Request, form: FormData): Response {
  const theme = THEMES.find((one) => one === form.get("theme"));
  if (!theme) throw invalid("theme", `Use one of ${THEMES.join(", ")}`);
  // A command of the one box is given on any page.
  const from = URL.parse(request.headers.get("referer") ?? "");
  const next = field(form, "next") || (from ? from.pathname + from.search : "");
  const response = redirect(request, safePath(next, "/user/profile"));
  response.headers.append("set-cookie", setTheme(request, theme));
  return response;
}

function changeDensity(request: Request, form: FormData): Response {
  const density = DENSITIES.find((one) => one === form.get("density"));
  if (!density) throw invalid("density", `Use one of ${DENSITIES.join(", ")}`);
  const response = redirect(request, safePath(field(form, "next"), "/user/profile"));
  response.headers.append("set-cookie", setDensity(request, density));
  return response;
}
