import { Elysia } from "elysia";
import { readForm as readPosted } from "../../src/http/form_body.ts";
import { contextOf, visitOf } from "../../src/http/request_context.ts";
import { Refusal } from "../../src/input/errors.ts";
import { LARGEST_LOGIN_FORM, MOST_LOGIN_FIELDS } from "../../src/input/limits.ts";
import { readFormInput } from "../../src/input/shape.ts";
import * as login from "../../src/user/login.ts";
import { SignInFailed } from "../../src/user/sign_in/failure.ts";
import { type LoginButton, loginButtons } from "../../src/user/sign_in/providers.ts";
import { page, redirect } from "../layout/page.tsx";
import { blank, Field, type Filled, refused } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { clearSessionCookie, sessionOf, setSecondStep, setSession } from "../request/cookies.ts";
import {
  namesAnotherSite,
  requireOnDemand,
  requireOurSite,
  safePath,
} from "../request/form_values.ts";
import { callerOf } from "../request/guard.ts";
import { inPlainWords } from "../texts.ts";
import { PasskeyButton } from "./passkeys_forms.tsx";
import { LOGIN, partyOf, providerPath, SECOND_STEP } from "./paths.ts";

/** The pages that need no session. */
export const loginPages = new Elysia({ prefix: "/user", normalize: false })
  .get("/login", async ({ request }) => {
    contextOf(request).route = "/user/login";
    const next = nextOf(request);
    return (await callerOf(request))
      ? redirect(request, next)
      : showLogin(request, blank(login.credentials));
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

/** Of forms that a stranger may send. */
export const LOGIN_FORM_LIMITS = { most: LARGEST_LOGIN_FORM, fields: MOST_LOGIN_FIELDS };

async function logIn(request: Request): Promise<Response> {
  contextOf(request).route = "/user/login";
  requireOurSite(request);
  const form = await readPosted(request, LOGIN_FORM_LIMITS);
  const before = sessionOf(request);
  try {
    const next = safePath(textOf(form, "next"));
    const attempt = { ...readFormInput(login.credentials, form), ...visitOf(request) };
    const entered = await login.session(attempt, next);
    if (before) await login.endSession(before);
    if ("pending" in entered) return toSecondStep(request, entered.pending);
    return enter(request, entered.session, next);
  } catch (error) {
    const isShown = error instanceof Refusal && [401, 422, 429].includes(error.status);
    if (isShown || error instanceof SignInFailed) {
      return showLogin(request, refused(login.credentials, form, error), error);
    }
    throw error;
  }
}

/** Answers with the cookie of a new session. */
export function enter(request: Request, session: string, next: string, said?: string): Response {
  const response = redirect(request, next, said);
  response.headers.append("set-cookie", setSession(request, session));
  return response;
}

function toSecondStep(request: Request, pending: string): Response {
  const response = redirect(request, SECOND_STEP);
  response.headers.append("set-cookie", clearSessionCookie(request));
  response.headers.append("set-cookie", setSecondStep(request, pending));
  return response;
}

async function logOut(request: Request): Promise<Response> {
  const session = sessionOf(request);
  const provider = session ? await login.logOut(session, visitOf(request)) : undefined;
  const next = provider ? `${LOGIN}?${new URLSearchParams({ ended: provider })}` : LOGIN;
  const response = redirect(request, next, "Logged out");
  response.headers.append("set-cookie", clearSessionCookie(request));
  response.headers.set("Clear-Site-Data", '"cache", "storage"');
  return response;
}

export async function showLogin(
  request: Request,
  filled: Filled,
  refusal?: Refusal,
): Promise<Response> {
  const next = textOf(filled.values, "next") || nextOf(request);
  const buttons = await loginButtons();
  const ended = new URL(request.url).searchParams.get("ended");
  return page(request, {
    title: "Log in",
    kind: "login",
    status: refusal?.status,
    headers: refusal?.headers,
    body: (
      <LoginForm
        filled={filled}
        next={next}
        problem={refusal && inPlainWords(refusal.message)}
        buttons={buttons}
        ended={buttons.find(({ key }) => key === ended)}
        hasPasskeys={partyOf(request) !== undefined}
      />
    ),
  });
}

interface LoginFormProps {
  filled: Filled;
  next: string;
  problem: string | undefined;
  buttons: LoginButton[];
  /** The provider where the person who logged out here is still logged in. */
  ended: LoginButton | undefined;
  /** Passkeys work at this address. */
  hasPasskeys: boolean;
}

function LoginForm(props: LoginFormProps) {
  const { filled, next, problem, buttons, ended, hasPasskeys } = props;
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
      {ended && (
        <p class="note">
          You are still logged in at {ended.name}.{" "}
          <a href={`${providerPath(ended.key)}/logout`}>Log out there, too</a>
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
      {hasPasskeys && <PasskeyButton next={next} />}
      {buttons.length > 0 && (
        <div class="buttons">
          {buttons.map(({ key, name }) => (
            // Not a form: browsers refuse to send a form that is redirected to another site.
            <a class="button" href={`${providerPath(key)}?${new URLSearchParams({ next })}`}>
              Log in with {name}
            </a>
          ))}
        </div>
      )}
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

export function nextOf(request: Request): string {
  return safePath(new URL(request.url).searchParams.get("next"));
}

function textOf(from: FormData | Record<string, string | undefined>, name: string): string {
  const value = from instanceof FormData ? from.get(name) : from[name];
  return typeof value === "string" ? value : "";
}
