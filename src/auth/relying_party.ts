// For which host name passkeys are made. It comes from PUBLIC_URL and not from a request, whose Host header anybody can
// choose; only `localhost`, to try things on, needs no setting.

export interface RelyingParty {
  /** The host name. */
  id: string;
  origin: string;
}

interface SiteOrigin {
  origin: string;
  /** It is that of PUBLIC_URL. */
  isOriginSet?: boolean;
}

/** undefined if there can be no passkeys: browsers want https and a host name. */
export function relyingPartyAt({ origin, isOriginSet }: SiteOrigin): RelyingParty | undefined {
  const url = new URL(origin);
  const isSafe = url.protocol === "https:" && isOriginSet && !isIpAddress(url.hostname);
  if (!isSafe && url.hostname !== "localhost") return undefined;
  return { id: url.hostname, origin: url.origin };
}

function isIpAddress(hostname: string): boolean {
  return /^\[|^[0-9.]+$/.test(hostname);
}
