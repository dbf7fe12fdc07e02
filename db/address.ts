// Database URLs as libpq reads them: the host may be in the query, be missing, or be the
// directory of a Unix socket, which no other URL allows.

export const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
const SHAPE = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const PLACE = /^(\[[^\]]+\]|[^:[\]]*)(?::(\d{1,5}))?$/;

interface DatabaseAddress {
  host: string;
  port: string;
  database: string;
  sslmode: string;
}

/** The parts of a URL, without user and password; null if it is not valid. */
export function readAddress(url: string): DatabaseAddress | null {
  const [shape, user = "", place = "", path = "", query = ""] = SHAPE.exec(url) ?? [];
  const [isPlace, host = "", port = ""] = PLACE.exec(place) ?? [];
  if (shape === undefined || isPlace === undefined) return null;
  const params = new URLSearchParams(query);
  const address = {
    host: params.get("host") ?? decoded(host),
    port: params.get("port") ?? port,
    database: params.get("dbname") ?? decoded(path),
    sslmode: params.get("sslmode") ?? "",
  };
  const { host: named, database } = address;
  if (named === null || database === null || decoded(user) === null) return null;
  return /^\d{0,5}$/.test(address.port) && Number(address.port) <= 65_535
    ? { ...address, host: named, database }
    : null;
}

/** For messages. */
export function formatAddress({ host, port, database }: DatabaseAddress): string {
  return `${host}${port ? `:${port}` : ""}/${database}`;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
