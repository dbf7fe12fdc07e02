// A small site, made and read through the API of a running instance.
import { PASSWORD, type Serving } from "./program.ts";

export const API = "/api/v1";

export type RequestHeaders = Record<string, string>;

interface Call {
  path: string;
  method?: string;
  body?: object;
}

/** A call of the API that has to succeed, unless it looks for something that is not there. */
export async function call(app: Serving, headers: RequestHeaders, { path, method, body }: Call) {
  const answer = await app.fetch(API + path, {
    method: method ?? (body ? "POST" : "GET"),
    headers: { "content-type": "application/json", ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok && answer.status !== 404) throw new Error(`${path}: ${text}`);
  const etag = answer.headers.get("etag") ?? "";
  const isJson = answer.headers.get("content-type")?.includes("json");
  return { status: answer.status, etag, text, body: isJson ? JSON.parse(text) : undefined };
}

/** The names of the hosts in a list. */
export async function namesOf(
  app: Serving,
  headers: RequestHeaders,
  query: string,
): Promise<string[]> {
  const { body } = await call(app, headers, { path: `/network/hosts?${query}` });
  return body.map(({ name }: { name: string }) => name);
}

export async function aHost(app: Serving, headers: RequestHeaders, name: string) {
  const body = { name, device_type: "Physical" };
  return (await call(app, headers, { path: "/network/hosts", body })).body;
}

/** A network that everybody sees, with the host pump in it. */
export async function aSite(app: Serving, headers: RequestHeaders) {
  const add = async (kind: string, body: object) =>
    (await call(app, headers, { path: `/network/${kind}`, body })).body;
  const { id: domain_id } = await add("domains", { name: "lab.example.org" });
  const supernet = "10.1.0.0/16";
  await add("scopes", { name: "Lab", first_vlan: 1, last_vlan: 9, supernet, domain_id });
  const network = await add("networks", {
    vlan_name: "Office",
    vlan_id: 1,
    address: "10.1.1.0/24",
    first_ip: "10.1.1.1",
    last_ip: "10.1.1.200",
    gateway: "10.1.1.254",
    scope: "Lab",
  });
  const host = await add("hosts", { name: "pump", device_type: "Physical", network: "Office" });
  return { network, host };
}

/** A user without a group. */
export async function aReader(app: Serving, admin: RequestHeaders): Promise<RequestHeaders> {
  const carol = { username: "carol", password: PASSWORD };
  await call(app, admin, { path: "/user/users", body: carol });
  const { body } = await call(app, {}, { path: "/user/login", body: carol });
  return { authorization: `Bearer ${body.access_token}` };
}

/** The cookie of a session of the admin. */
export async function logIn(app: Serving): Promise<string> {
  const answer = await app.fetch("/user/login", {
    method: "POST",
    redirect: "manual",
    headers: { "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ username: "alice", password: PASSWORD }),
  });
  return answer.headers.getSetCookie().join("; ").split(";")[0] ?? "";
}
