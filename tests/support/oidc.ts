// A provider of OpenID Connect (npm oidc-provider), behind a front that can forge or withhold its answers.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { base64url, decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import Provider from "oidc-provider";
import { seal } from "../../src/auth/sealed.ts";
import type { Answer } from "./api.ts";
import { type Browser, browser } from "./browser.ts";
import { stranger } from "./cast.ts";
import { service } from "./service.ts";
import { onTeardown } from "./teardown.ts";

type Claims = Record<string, unknown>;

interface Forgery {
  /** Claims of the ID token, signed anew by the key of the provider, or by none. */
  id_token?: (claims: JWTPayload) => JWTPayload;
  alg?: "none";
  /** Signs the ID token by a key that is not that of the provider. */
  key?: CryptoKey;
  userinfo?: (claims: Claims) => Claims;
  metadata?: (metadata: Claims) => Claims;
}

export interface OidcServer {
  issuer: string;
  /** What the provider says of a person, by the subject. */
  people: Record<string, Claims>;
  /** The subject of the person who is logged in at the provider. */
  person: string;
  forgery: Forgery;
  /** It accepts connections and does not answer. */
  isFrozen: boolean;
  asked: string[];
}

export const CLIENT = { id: "cadastre", secret: "the client secret of these tests" };
const KEYS = ["lab", "office"];

let server: { origin: string; running: Promise<OidcServer> } | undefined;

/** Started by the first test of a file that needs it: it knows the address of the service of that file. */
export async function oidcServer(): Promise<OidcServer> {
  const { origin } = await service();
  if (server?.origin !== origin) server = { origin, running: start(origin) };
  const running = await server.running;
  Object.assign(running, { people: {}, person: "", forgery: {}, isFrozen: false, asked: [] });
  return running;
}

async function start(origin: string): Promise<OidcServer> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: "tests", alg: "ES256", use: "sig" };
  const running = {} as OidcServer;
  let inner = "";
  const front = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      running.asked.push(pathname);
      if (running.isFrozen) return new Promise<Response>(() => {});
      const headers = new Headers(request.headers);
      headers.set("x-forwarded-host", new URL(running.issuer).host);
      const answer = await fetch(inner + pathname + search, {
        method: request.method,
        headers,
        body: request.method === "POST" ? await request.text() : undefined,
        redirect: "manual",
      });
      return forged(answer, pathname, running.forgery, privateKey);
    },
  });
  running.issuer = `http://127.0.0.1:${front.port}`;
  const provider = new Provider(running.issuer, {
    ...CONFIGURATION,
    jwks: { keys: [key] },
    clients: [clientAt(origin)],
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ sub, ...running.people[sub] }),
    }),
  });
  provider.proxy = true;
  const respond = provider.callback();
  const http = createServer((request, response) => {
    if (!request.url?.startsWith("/interaction/")) return respond(request, response);
    const result = { login: { accountId: running.person } };
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  inner = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  onTeardown(async () => {
    await front.stop(true);
    http.closeAllConnections();
    http.close();
    server = undefined;
  });
  return running;
}

/** The groups are in userinfo only, as many providers have them. */
const CONFIGURATION = {
  claims: {
    openid: ["sub"],
    profile: ["name", "preferred_username", "groups", "realm_access"],
    email: ["email"],
  },
  cookies: { keys: ["the cookies of the provider"] },
  features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
  interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  pkce: { required: () => true },
  loadExistingGrant: async ({ oidc }: any) => {
    const { clientId } = oidc.client;
    const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope("openid profile email");
    await grant.save();
    return grant;
  },
};

function clientAt(origin: string) {
  return {
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    id_token_signed_response_alg: "ES256",
    redirect_uris: KEYS.map((key) => `${origin}/user/login/with/${key}/callback`),
    post_logout_redirect_uris: [`${origin}/user/login`],
  };
}

async function forged(
  answer: Response,
  path: string,
  { id_token, alg, key: another, userinfo, metadata }: Forgery,
  key: CryptoKey,
): Promise<Response> {
  const headers = new Headers(answer.headers);
  for (const name of ["content-length", "content-encoding", "transfer-encoding"])
    headers.delete(name);
  const { status } = answer;
  if (path === "/token" && status === 200 && (id_token || alg || another)) {
    const body: any = await answer.json();
    const claims = (id_token ?? ((same) => same))(decodeJwt(body.id_token));
    body.id_token = alg === "none" ? unsigned(claims) : await signed(claims, another ?? key);
    return Response.json(body, { status, headers });
  }
  if (path === "/me" && status === 200 && userinfo) {
    return Response.json(userinfo((await answer.json()) as Claims), { status, headers });
  }
  if (path === "/.well-known/openid-configuration" && metadata) {
    return Response.json(metadata((await answer.json()) as Claims), { status, headers });
  }
  return new Response(await answer.arrayBuffer(), { status, headers });
}

function unsigned(claims: JWTPayload): string {
  const part = (json: object) => base64url.encode(JSON.stringify(json));
  return `${part({ alg: "none" })}.${part(claims)}.`;
}

function signed(claims: JWTPayload, key: CryptoKey): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "tests" }).sign(key);
}

interface ProviderOptions {
  key?: string;
  name?: string;
  settings?: Record<string, unknown>;
  /** Our groups by those of the provider; a * makes a pattern. */
  mappings?: Record<string, string>;
  is_enabled?: boolean;
}

/** An enabled provider that knows the test's server. */
export async function aProvider(options: ProviderOptions = {}): Promise<number> {
  const { key = "lab", name = "Lab", mappings = {}, is_enabled = true } = options;
  const { issuer } = await server!.running;
  const settings = { issuer, client_id: CLIENT.id, needs_group: false, ...options.settings };
  const { sql } = await service();
  const [{ id }] = await sql`
    insert into identity_providers (key, name, kind, settings, secret, is_enabled)
    values (${key}, ${name}, 'oidc', ${JSON.stringify(settings)}::text::jsonb,
      ${seal(CLIENT.secret, "provider")}, ${is_enabled}) returning id`;
  for (const [outer, inner] of Object.entries(mappings)) {
    await sql`
      insert into group_mappings (provider_id, outer_group, is_pattern, inner_group)
      values (${id}, ${outer}, ${outer.includes("*")}, ${inner})`;
  }
  return id;
}

interface SignIn {
  server: OidcServer;
  /** The subject. */
  as: string;
  key?: string;
  next?: string;
  own?: Browser;
  /** Where the browser begins, if not by the button on the login page. */
  from?: string;
}

/** Presses the button of the provider, logs in there, and follows the redirect back. */
export async function signIn(given: SignIn): Promise<Answer & { own: Browser }> {
  const { own, path } = await untilCallback(given);
  return { ...(await own.get(path)), own };
}

/** The path to which the provider redirects the browser. */
export async function untilCallback(given: SignIn) {
  const { server, as, key = "lab", next = "/" } = given;
  const used = given.own ?? (await browser(stranger));
  server.person = as;
  const button = `/user/login/with/${key}?${new URLSearchParams({ next })}`;
  const start = await used.get(given.from ?? button);
  if (start.status !== 303) throw new Error(`The login begins with ${start.status}`);
  const { origin } = await service();
  const cookies = new Map<string, string>();
  let url = start.headers.get("location") ?? "";
  while (url !== "" && !url.startsWith(origin)) url = await followed(url, cookies);
  return { own: used, start, path: url.slice(origin.length) };
}

async function followed(url: string, cookies: Map<string, string>): Promise<string> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const answer = await fetch(url, { redirect: "manual", headers: { cookie } });
  for (const line of answer.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    cookies.set(name, value);
  }
  const location = answer.headers.get("location");
  if (!location) throw new Error(`The provider answered ${answer.status}: ${await answer.text()}`);
  return new URL(location, url).href;
}
