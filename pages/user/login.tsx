import { Elysia } from "elysia";
import { contextOf } from "../../src/http/request_context.ts";
import { Refusal } from "../../src/input/errors.ts";
import { LARGEST_LOGIN_FORM, MOST_LOGIN_FIELDS } from "../../src/input/limits.ts";
import { readFormInput } from "../../src/input/shape.ts";
import * as login from "../../src/user/login.ts";
import { page, redirect } from "../layout/page.tsx";
import { blank, Field, type Filled, refused } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { clearSessionCookie, sessionOf, setSession } from "../request/cookies.ts";
import { readForm as readPosted } from "../request/form_body.ts";
import {
  namesAnotherSite,
  requireOnDemand,
  requireOurSite,
  safePath,
} from "../request/form_values.ts";
import { callerOf } from "../request/guard.ts";

/** The pages that need no session. */
export const loginPages = new Elysia({ prefix: "/user", normalize: false })
  .get("/login", async ({ request }) => {
    contextOf(request).route = "/user/login";
    const next = nextOf(request);
    return (await callerOf(request))
      ? redirect(request, next)
      : show(request, blank(login.credentials));
  })
  .post("/login", ({ request }) => logIn(request), { parse: () => null })
  .get("/logout", async ({ request }) => {
    contextOf(request).route = "/user/logout";
    requireOnDemand(request);
    return namesAnotherSite(request) ? confirmLogOut(request) : logOut(request);
  })
  .post("/logout", ({ request }) => {
    requireOurSite(request);
    return logOut(request);
  });

const LIMITS = { most: LARGEST_LOGIN_FORM, fields: MOST_LOGIN_FIELDS };

async function logIn(request: Request): Promise<Response> {
  const visit = contextOf(request);
  visit.route = "/user/login";
  requireOurSite(request);
  const form = await readPosted(request, LIMITS);
  const before = sessionOf(request);
  try {
    const session = await login.session({
      ...readFormInput(login.credentials, form),
      address: visit.address,
      request_id: visit.id,
    });
    if (before) await login.endSession(before);
    const response = redirect(request, safePath(textOf(form, "next")));
    response.headers.append("set-cookie", setSession(request, session));
    return response;
  } catch (error) {
    if (error instanceof Refusal && [401, 422, 429].includes(error.status)) {
      return show(request, refused(login.credentials, form, error), error);
    }
    throw error;
  }
}

async function logOut(request: Request): Promise<Response> {
  const session = sessionOf(request);
  if (session) await login.logOut(session);
  const response = redirect(request, "/user/login", "Logged out");
  response.headers.append("set-cookie", clearSessionCookie(request));
  response.headers.set("clear-site-data", '"cache", "storage"');
  return response;
}

function show(request: Request, filled: Filled, refusal?: Refusal): Response {
  const next = textOf(filled.values, "next") || nextOf(request);
  return page(request, {
    title: "Log in",
    kind: "login",
    status: refusal?.status,
    headers: refusal?.headers,
    body: <LoginForm filled={filled} next={next} problem={refusal?.message} />,
  });
}

function LoginForm({ filled, next, problem }: { filled: Filled; next: string; problem?: string }) {
  const message = filled.errors.length > 0 ? undefined : problem;
  return (
    <>
      <p class="brand">
        <Icon name="cadastre" /> Cadastre
      </p>
      <h1>Log in</h1>
      {message && (
        <p class="note bad" role="alert">
          {message}
        </p>
      )}
      <form class="sheet" method="post" action="/user/login">
        <input type="hidden" name="next" value={next} />
        <Field filled={filled} name="username" autocomplete="username" autofocus />
        <Field filled={filled} name="password" type="password" autocomplete="current-password">
          <button type="button" class="quiet js-only" data-reveal="field-password">
            <Icon name="eye" /> Show
          </button>
        </Field>
        <div class="buttons">
          <button type="submit" class="primary">
            Log in
          </button>
        </div>
      </form>
    </>
  );
}

// A link on another site must not log the user out: it is refused, and the page offers to log out.
async function confirmLogOut(request: Request): Promise<Response> {
  return page(request, {
    title: "Log out",
    kind: "login",
    status: 403,
    body: (
      <>
        <h1>Log out?</h1>
        <form class="sheet" method="post" action="/user/logout">
          <div class="buttons">
            <button type="submit" class="primary">
              Log out
            </button>
            <a class="button quiet" href="/">
              Cancel
            </a>
          </div>
        </form>
      </>
    ),
  });
}

function nextOf(request: Request): string {
  return safePath(new URL(request.url).searchParams.get("next"));
}

function textOf(from: FormData | Record<string, string | undefined>, name: string): string {
  const value = from instanceof FormData ? from.get(name) : from[name];
  return typeof value === "string" ? value : "";
}
