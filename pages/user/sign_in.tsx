// GET /user/login/with/(key): redirects to the provider. GET …/callback: the provider redirects back here. GET …/logout:
// redirects to where the user logs out at the provider.
import { Elysia } from "elysia";
import { contextOf } from "../../src/http/request_context.ts";
import { Refusal } from "../../src/input/errors.ts";
import * as login from "../../src/user/login.ts";
import * as sessions from "../../src/user/sessions.ts";
import { admit, noteFailure } from "../../src/user/sign_in/accounts.ts";
import * as oidc from "../../src/user/sign_in/oidc.ts";
import type { Provider } from "../../src/user/sign_in/provider.ts";
import { providerToAsk } from "../../src/user/sign_in/providers.ts";
import { redirect } from "../layout/page.tsx";
import { blank } from "../parts/forms.tsx";
import { clearSignIn, sessionOf, setSession, setSignIn, signInOf } from "../request/cookies.ts";
import { requireOnDemand } from "../request/form_values.ts";
import { nextOf, providerPath, showLogin } from "./login.tsx";

/** Pages without a session, like that of the login. */
export const signInPages = new Elysia({ prefix: "/user/login/with", normalize: false })
  .get("/:key", ({ request, params, route }) =>
    visited(request, route, params.key, (provider) => begin(request, provider, nextOf(request))),
  )
  .get("/:key/callback", ({ request, params, route }) =>
    visited(request, route, params.key, (provider) => finish(request, provider)),
  )
  .get("/:key/logout", ({ request, params, route }) =>
    visited(request, route, params.key, (provider) => leave(request, provider)),
  );

/** A refusal is shown above the login form, so that another way can be taken. */
async function visited(
  request: Request,
  route: string,
  key: string,
  work: (provider: Provider) => Promise<Response>,
): Promise<Response> {
  contextOf(request).route = route;
  requireOnDemand(request);
  try {
    return await work(await providerToAsk(key));
  } catch (error) {
    if (!(error instanceof Refusal) || error.status === 404) throw error;
    if (error instanceof oidc.SignInFailed) await noteFailure(error, visitOf(request));
    return showLogin(request, blank(login.credentials), error);
  }
}

async function begin(request: Request, provider: Provider, next: string): Promise<Response> {
  const redirect_uri = callbackOf(request, provider.key);
  const { url, cookie } = await oidc.begin(provider, { redirect_uri, next, is_test: false });
  const response = redirect(request, url);
  response.headers.append("set-cookie", setSignIn(request, cookie));
  return response;
}

async function finish(request: Request, provider: Provider): Promise<Response> {
  const flow = oidc.flowOf(signInOf(request), provider.key);
  if (!flow) throw new Refusal(401, STALE);
  const { person } = await oidc.finish(provider, flow, new URL(request.url).search);
  const user = await admit(provider, person, visitOf(request));
  const before = sessionOf(request);
  if (before) await login.endSession(before);
  const session = await sessions.open(user, contextOf(request).address);
  const response = redirect(request, flow.next);
  response.headers.append("set-cookie", setSession(request, session));
  response.headers.append("set-cookie", clearSignIn(request));
  return response;
}

const STALE = "This login was begun in another browser or too long ago; begin it again";

async function leave(request: Request, provider: Provider): Promise<Response> {
  const here = `${contextOf(request).origin}/user/login`;
  return redirect(request, (await oidc.endSessionUrl(provider, here)) ?? here);
}

export function callbackOf(request: Request, key: string): string {
  return `${contextOf(request).origin}${providerPath(key)}/callback`;
}

function visitOf(request: Request) {
  const { address, id: request_id } = contextOf(request);
  return { address, request_id };
}
