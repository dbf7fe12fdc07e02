// GET /user/login/with/(key): redirects to the provider. GET …/callback: the provider redirects back here. GET …/logout:
// redirects to where the user logs out at the provider.
import { Elysia } from "elysia";
import { requireAdmin } from "../../src/auth/auth.ts";
import { contextOf, visitOf } from "../../src/http/request_context.ts";
import { notFound, Refusal, unauthenticated } from "../../src/input/errors.ts";
import * as login from "../../src/user/login.ts";
import * as sessions from "../../src/user/sessions.ts";
import { admit, noteFailure } from "../../src/user/sign_in/accounts.ts";
import { SignInFailed } from "../../src/user/sign_in/failure.ts";
import * as oidc from "../../src/user/sign_in/oidc.ts";
import type { OidcProvider } from "../../src/user/sign_in/provider.ts";
import { providerToAsk } from "../../src/user/sign_in/providers.ts";
import { showTest } from "../admin/provider_test.tsx";
import { redirect } from "../layout/page.tsx";
import { blank } from "../parts/forms.tsx";
import { clearSignIn, sessionOf, setSession, setSignIn, signInOf } from "../request/cookies.ts";
import { requireOnDemand } from "../request/form_values.ts";
import { callerOf } from "../request/guard.ts";
import { nextOf, showLogin } from "./login.tsx";
import { redirectsOf } from "./paths.ts";

/** Pages without a session, like that of the login. */
export const signInPages = new Elysia({ prefix: "/user/login/with", normalize: false })
  .get("/:key", ({ request, params, route }) =>
    visited(request, route, () => begin(request, params.key)),
  )
  .get("/:key/callback", async ({ request, params, route }) => {
    const response = await visited(request, route, () => comeBack(request, params.key));
    if (isOver(request, params.key)) response.headers.append("set-cookie", clearSignIn(request));
    return response;
  })
  .get("/:key/logout", ({ request, params, route }) =>
    visited(request, route, () => leave(request, params.key)),
  );

/** A refusal is shown above the login form, so that another way can be taken. */
async function visited(
  request: Request,
  route: string,
  work: () => Promise<Response>,
): Promise<Response> {
  contextOf(request).route = route;
  requireOnDemand(request);
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || [403, 404].includes(error.status)) throw error;
    if (error instanceof SignInFailed) await noteFailure(error, visitOf(request));
    return showLogin(request, blank(login.credentials), error);
  }
}

async function oidcProvider(key: string, options?: { isTest: boolean }): Promise<OidcProvider> {
  const provider = await providerToAsk(key, options);
  if (provider.kind !== "oidc") throw notFound();
  return provider;
}

async function begin(request: Request, key: string): Promise<Response> {
  return toProvider(request, await oidcProvider(key), { next: nextOf(request), is_test: false });
}

/** Redirects to the provider, with a cookie for the way back. */
export async function toProvider(
  request: Request,
  provider: OidcProvider,
  flow: { next: string; is_test: boolean },
): Promise<Response> {
  const redirect_uri = redirectsOf(request, provider.key).login;
  const { url, cookie } = await oidc.begin(provider, { redirect_uri, ...flow });
  const response = redirect(request, url);
  response.headers.append("set-cookie", setSignIn(request, cookie));
  return response;
}

async function comeBack(request: Request, key: string): Promise<Response> {
  const flow = oidc.flowOf(signInOf(request), key);
  if (!flow) {
    const { name } = await oidcProvider(key);
    throw new SignInFailed(401, STALE, { provider: name, reason: "no cookie of this login" });
  }
  const provider = await oidcProvider(key, { isTest: flow.is_test });
  const { address } = contextOf(request);
  const ask = () => oidc.finish(provider, flow, { query: queryOf(request), address });
  if (flow.is_test) return test(request, provider, ask);
  const { person } = await ask();
  const user = await admit(provider, person, { ...visitOf(request), credential: "session" });
  const before = sessionOf(request);
  if (before) await login.endSession(before);
  const session = await sessions.open(user, contextOf(request).address);
  const response = redirect(request, flow.next);
  response.headers.append("set-cookie", setSession(request, session));
  return response;
}

/** The cookie is good for one answer; one to another login leaves it. */
function isOver(request: Request, key: string): boolean {
  const flow = oidc.flowOf(signInOf(request), key);
  return flow !== undefined && oidc.isAnswerTo(flow, queryOf(request));
}

function queryOf(request: Request): string {
  return new URL(request.url).search;
}

const STALE = "This login was begun in another browser or too long ago; begin it again";

/** Shows an admin what came back. Nobody is logged in, and nothing is stored. */
async function test(
  request: Request,
  provider: OidcProvider,
  ask: () => Promise<oidc.OidcAnswer>,
): Promise<Response> {
  const caller = await callerOf(request);
  if (!caller) throw unauthenticated("Log in first");
  requireAdmin(caller);
  contextOf(request).caller = caller;
  return showTest(request, caller, provider, async () => {
    const { person, id_token, userinfo } = await ask();
    return { person, parts: { "ID token": id_token, userinfo } };
  });
}

async function leave(request: Request, key: string): Promise<Response> {
  const { logout } = redirectsOf(request, key);
  return redirect(request, (await oidc.endSessionUrl(await oidcProvider(key), logout)) ?? logout);
}
