// Database URLs as libpq reads them: hosts may be in the query, be missing, be the directory of a
// Unix socket, which no other URL allows, or be several.

export const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
/** Which of several servers to use, as libpq names it. */
export const SESSION_ATTRIBUTES = [
  "any",
  "read-write",
  "read-only",
  "primary",
  "standby",
  "prefer-standby",
] as const;
export type SessionAttributes = (typeof SESSION_ATTRIBUTES)[number];

const SHAPE = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const PLACE = /^(\[[^\]]+\]|[^:[\]]*)(?::(\d{1,5}))?$/;
/** Parameters that choose a server, which the driver does not know. */
const CHOOSING = ["host", "port", "target_session_attrs", "connect_timeout"];

interface HostAndPort {
  host: string;
  port: string;
}

interface DatabaseAddress {
  hosts: readonly HostAndPort[];
  database: string;
  sslmode: string;
}

interface ParsedUrl extends DatabaseAddress {
  user: string;
  path: string;
  params: URLSearchParams;
}

/** The parts of a URL, without user and password; null if it is not valid. */
export function readDatabaseAddress(url: string): DatabaseAddress | null {
  const parsed = parse(url);
  if (!parsed) return null;
  const { hosts, database, sslmode } = parsed;
  return { hosts, database, sslmode };
}

function parse(url: string): ParsedUrl | null {
  const [shape, user = "", places = "", path = "", query = ""] = SHAPE.exec(url) ?? [];
  if (shape === undefined) return null;
  const params = new URLSearchParams(query);
  const hosts = hostsOf(places, params);
  const database = params.get("dbname") ?? decoded(path);
  if (!hosts || database === null || decoded(user) === null) return null;
  return { user, path, params, hosts, database, sslmode: params.get("sslmode") ?? "" };
}

function hostsOf(places: string, params: URLSearchParams): HostAndPort[] | null {
  const read = places.split(",").map((place) => PLACE.exec(place));
  if (read.includes(null)) return null;
  const names = params.get("host")?.split(",") ?? read.map((place) => decoded(place?.[1] ?? ""));
  const ports = params.get("port")?.split(",") ?? read.map((place) => place?.[2] ?? "");
  if (ports.length > 1 && ports.length !== names.length) return null;
  const hosts = names.map((host, at) => ({
    host: host ?? null,
    port: ports.length > 1 ? ports[at] : ports[0],
  }));
  return hosts.every(isHost) ? hosts : null;
}

function isHost(one: { host: string | null; port: string | undefined }): one is HostAndPort {
  const { host, port = "x" } = one;
  return host !== null && /^\d{0,5}$/.test(port) && Number(port) <= 65_535;
}

/** The servers of a URL that names several, or which one it wants. */
export interface ServerList {
  /** URLs with one host, in their order. */
  urls: readonly string[];
  wanted: SessionAttributes;
  /** Seconds for one server to answer, if the URL has it. */
  patience: number | undefined;
}

/** Undefined for a URL of one server, which is used whatever it is. */
export function readServers(url: string): ServerList | undefined {
  const parsed = parse(url);
  if (!parsed) return undefined;
  const { hosts, params, user, path } = parsed;
  const attributes = params.get("target_session_attrs");
  if (hosts.length === 1 && attributes === null) return undefined;
  const wanted = SESSION_ATTRIBUTES.find((one) => one === attributes) ?? "any";
  const timeout = Number(params.get("connect_timeout") ?? 0);
  for (const name of CHOOSING) params.delete(name);
  const urls = hosts.map(({ host, port }) => {
    const query = new URLSearchParams(params);
    if (host.startsWith("/")) query.set("host", host);
    const named = host.startsWith("/") ? "localhost" : bracketed(host);
    const place = `${user ? `${user}@` : ""}${named}${port ? `:${port}` : ""}`;
    return `postgres://${place}/${path}${query.size > 0 ? `?${query}` : ""}`;
  });
  return { urls, wanted, patience: timeout > 0 ? timeout : undefined };
}

/** An IPv6 address in the query has no brackets. */
function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

/** For messages. */
export function formatDatabaseAddress({ hosts, database }: DatabaseAddress): string {
  const places = hosts.map(({ host, port }) => `${host}${port ? `:${port}` : ""}`);
  return `${places.join(",")}/${database}`;
}

/** The value of target_session_attrs, if libpq does not know it. */
export function unknownAttributes(url: string): string | undefined {
  const named = parse(url)?.params.get("target_session_attrs");
  return named && !SESSION_ATTRIBUTES.some((one) => one === named) ? named : undefined;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
