// Sign-in by OpenID Connect: the code flow with PKCE, state and nonce, by openid-client. What has to be remembered until
// the provider redirects back is in a sealed cookie, so that any instance can go on.
import * as client from "openid-client";
import { networkOf } from "../../auth/client_network.ts";
import { seal, unseal } from "../../auth/sealed.ts";
import { connectionReason } from "../../http/connection_errors.ts";
import { Refusal } from "../../input/errors.ts";
import { queueOfProvider } from "../../input/limiters.ts";
import { DEEPEST, MOST_PROVIDERS } from "../../input/limits.ts";
import { SignInFailed, unreachable } from "./failure.ts";
import { checkedPerson } from "./person.ts";
import {
  type ExternalPerson,
  OIDC_DEFAULTS,
  type OidcProvider,
  type OidcSettings,
} from "./provider.ts";
import { isLocal } from "./safety.ts";

/** Seconds until a provider has to answer a request. */
const TIMEOUT = 5;
/** Milliseconds in which the metadata of a provider is not read again. */
const METADATA_AGE = 10 * 60_000;
/** Milliseconds in which a provider that failed to send its metadata is not asked again. */
const RETRY_AFTER = 2_000;
/** Milliseconds from the button on the login page to the return from the provider. */
const LONGEST_SIGN_IN = 15 * 60_000;

/** Characters of the next path; browsers keep cookies of 4 KiB. */
const LONGEST_NEXT = 1_000;

/** What has to be known when the provider redirects back. */
interface Flow {
  provider: string;
  state: string;
  nonce: string;
  verifier: string;
  redirect_uri: string;
  next: string;
  /** An admin tests the provider: nobody is logged in. */
  is_test: boolean;
  began: number;
}

/** What came back: the person, and for admins who test all claims. */
export interface OidcAnswer {
  person: ExternalPerson;
  id_token: Claims;
  userinfo: Claims;
}

/** Where to send the browser, and the cookie with which it comes back. */
export async function begin(
  provider: OidcProvider,
  { redirect_uri, next, is_test }: Pick<Flow, "redirect_uri" | "next" | "is_test">,
): Promise<{ url: string; cookie: string }> {
  const flow: Flow = {
    provider: provider.key,
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    redirect_uri,
    next: next.length > LONGEST_NEXT ? "/" : next,
    is_test,
    began: Date.now(),
  };
  const { state, nonce, verifier } = flow;
  const code_challenge = await client.calculatePKCECodeChallenge(verifier);
  const url = await asking(provider, async (configuration) =>
    client.buildAuthorizationUrl(configuration, {
      redirect_uri,
      scope: provider.settings.scope ?? OIDC_DEFAULTS.scope,
      state,
      nonce,
      code_challenge,
      code_challenge_method: "S256",
    }),
  );
  return { url: url.href, cookie: seal(JSON.stringify(flow), "sign-in") };
}

/** The flow that a cookie holds, if it is for this provider and not too old. */
export function flowOf(cookie: string | undefined, provider: string): Flow | undefined {
  const text = cookie === undefined ? undefined : unseal(cookie, "sign-in");
  const flow: Flow | undefined = text === undefined ? undefined : JSON.parse(text);
  const isCurrent = flow?.provider === provider && Date.now() - flow.began < LONGEST_SIGN_IN;
  return isCurrent ? flow : undefined;
}

/** Whether the query is the answer to this flow, whatever it says: the flow has ended then. */
export function isAnswerTo({ state }: Flow, query: string): boolean {
  return new URLSearchParams(query).get("state") === state;
}

/** Exchanges the code in the query for what the provider says about the person, in turn with other clients. */
export function finish(
  provider: OidcProvider,
  flow: Flow,
  { query, address }: { query: string; address: string },
): Promise<OidcAnswer> {
  const turn = { client: networkOf(address), isPreferred: false };
  return queueOfProvider(provider.key)(turn, () => exchange(provider, flow, query));
}

function exchange(provider: OidcProvider, flow: Flow, query: string): Promise<OidcAnswer> {
  return asking(provider, async (configuration) => {
    const url = new URL(flow.redirect_uri + query);
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      pkceCodeVerifier: flow.verifier,
      idTokenExpected: true,
    });
    const id_token = tokens.claims();
    if (!id_token) throw new Error("The provider sent no ID token");
    const userinfo = configuration.serverMetadata().userinfo_endpoint
      ? await client.fetchUserInfo(configuration, tokens.access_token, id_token.sub)
      : {};
    for (const claims of [id_token, userinfo]) requireShallow(claims);
    return { id_token, userinfo, person: personIn(provider, { id_token, userinfo }) };
  });
}

/** Where the browser logs out at the provider; undefined if the provider has no such page. */
export async function endSessionUrl(
  provider: OidcProvider,
  post_logout_redirect_uri: string,
): Promise<string | undefined> {
  return asking(provider, async (configuration) =>
    configuration.serverMetadata().end_session_endpoint
      ? client.buildEndSessionUrl(configuration, { post_logout_redirect_uri }).href
      : undefined,
  );
}

function personIn(
  { settings }: OidcProvider,
  { id_token, userinfo }: { id_token: client.IDToken; userinfo: Claims },
): ExternalPerson {
  const places = [id_token, userinfo];
  return checkedPerson({
    authority: id_token.iss,
    subject: id_token.sub,
    username: textIn(places, settings.username_claim ?? OIDC_DEFAULTS.username_claim),
    display_name: textIn(places, "name") ?? null,
    email: textIn(places, "email") ?? null,
    groups: groupsIn(settings, places),
  });
}

const configurations = new Map<string, { until: number; found: Promise<client.Configuration> }>();

async function asking<T>(
  provider: OidcProvider,
  work: (configuration: client.Configuration) => Promise<T>,
): Promise<T> {
  try {
    return await work(await configurationOf(provider));
  } catch (error) {
    throw error instanceof Refusal ? error : failure(provider.name, error);
  }
}

/** The metadata of the provider with our client; read again when the settings change. */
function configurationOf({ settings, secret }: OidcProvider): Promise<client.Configuration> {
  const key = JSON.stringify([settings.issuer, settings.client_id, secret]);
  const known = configurations.get(key);
  if (known && known.until > performance.now()) return known.found;
  const found = discover(settings, secret);
  if (configurations.size >= MOST_PROVIDERS) configurations.clear();
  configurations.set(key, { until: performance.now() + METADATA_AGE, found });
  // One that does not respond is asked again soon, but not by every click.
  found.catch(() => configurations.set(key, { until: performance.now() + RETRY_AFTER, found }));
  return found;
}

async function discover(
  { issuer, client_id }: OidcProvider["settings"],
  secret: string | undefined,
): Promise<client.Configuration> {
  // The signature of an ID token is checked, although it comes from the provider itself.
  const execute = [client.enableNonRepudiationChecks];
  if (isLocal(issuer)) execute.push(client.allowInsecureRequests);
  return client.discovery(new URL(issuer), client_id, undefined, authentication(secret), {
    timeout: TIMEOUT,
    execute,
    [client.customFetch]: limitedFetch,
  });
}

/** As the metadata says; without it Basic is the default of the standard. */
function authentication(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (methods.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}

function failure(provider: string, error: unknown): SignInFailed {
  const reason = reasonOf(error);
  if (isUnreachable(error)) return unreachable(provider, reason);
  if (error instanceof client.AuthorizationResponseError && error.error === "access_denied") {
    return new SignInFailed(401, `${provider} did not log you in`, { provider, reason });
  }
  const message = `${provider} did not confirm this login; try it again`;
  return new SignInFailed(401, message, { provider, reason });
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof client.ClientError) {
    const { code, cause } = error;
    return code === "OAUTH_TIMEOUT" || code === "OAUTH_ABORT" || (!code && isUnreachable(cause));
  }
  if (!(error instanceof Error)) return false;
  return UNREACHABLE.test(`${error.name} ${"code" in error ? error.code : ""} ${error.message}`);
}

const UNREACHABLE =
  /TimeoutError|ConnectionRefused|ECONN|ENOTFOUND|EHOST|Unable to connect|FailedToOpenSocket|socket/i;

/** For the audit log: messages of openid-client contain no token. */
function reasonOf(error: unknown): string {
  if (
    error instanceof client.ResponseBodyError ||
    error instanceof client.AuthorizationResponseError
  ) {
    return `${error.error}: ${error.error_description ?? ""}`.slice(0, 200);
  }
  if (!(error instanceof Error)) return "unknown";
  const failed = connectionReason(error);
  if (failed) return failed;
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return `${error.message}${cause}`.slice(0, 200);
}

// Reads what a provider of OpenID Connect says about a person. Some providers put groups only into the ID token, others
// only into userinfo.

type Claims = Readonly<Record<string, unknown>>;

/** The value of a claim: by its name, which may contain dots, or by a path such as realm_access.roles. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part))
      return undefined;
    value = (value as Claims)[part];
  }
  return value;
}

function groupsIn(
  { groups_claim = OIDC_DEFAULTS.groups_claim }: OidcSettings,
  places: readonly Claims[],
): string[] {
  return places.flatMap((claims) => namesIn(claimAt(claims, groups_claim)));
}

/** A list of names, or one name. */
function namesIn(value: unknown): string[] {
  const all: unknown[] = Array.isArray(value) ? value : [value];
  return all.filter((one): one is string => typeof one === "string");
}

/** The first text under this claim; a later place is more recent. */
function textIn(places: readonly Claims[], path: string): string | undefined {
  const texts = places.map((claims) => claimAt(claims, path));
  return texts.findLast((text): text is string => typeof text === "string" && text.trim() !== "");
}

/** Refuses claims so deep that nothing could show them. */
function requireShallow(claims: Claims): void {
  let level: unknown[] = [claims];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) throw new Error("The claims are nested too deep");
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
  }
}

// Requests to a provider, whose answers may be long, or without TLS where the metadata says so.

/** Bytes of an answer: metadata, keys, tokens and claims are far smaller. */
const LARGEST_ANSWER = 1024 * 1024;

/** As fetch, but reads no long answer, and asks only this machine without TLS. */
async function limitedFetch(
  url: string,
  options: { method: string; headers: object; body?: unknown; signal?: AbortSignal },
): Promise<Response> {
  if (!url.startsWith("https:") && !isLocal(url)) {
    throw new Error("The metadata of the provider names an address without TLS");
  }
  const answer = await fetch(url, { ...(options as RequestInit), redirect: "manual" });
  const { status, statusText, headers } = answer;
  const body = await readLimited(answer);
  return new Response(body, { status, statusText, headers });
}

async function readLimited({ body }: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!body) return null;
  const parts: Uint8Array[] = [];
  let left = LARGEST_ANSWER;
  // Leaving the loop cancels the rest.
  for await (const part of body) {
    left -= part.length;
    if (left < 0) throw new Error("The answer of the provider is too long");
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}
