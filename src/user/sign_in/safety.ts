// Refuses settings of providers that would send passwords or tokens over the network without TLS.
import { invalid } from "../../input/errors.ts";

/** The settings that name a server. */
interface ServerSettings {
  issuer?: string;
  url?: string;
}

export function requireSafe({ issuer }: ServerSettings): void {
  if (issuer !== undefined) requireSafeIssuer(issuer);
}

/** Only this machine may be asked without TLS. */
function requireSafeIssuer(issuer: string): void {
  if (!URL.canParse(issuer)) throw invalid("issuer", "Use the URL of the issuer");
  if (isLocal(issuer) || issuer.startsWith("https:")) return;
  throw invalid("issuer", "Use https: tokens must not go over the network without TLS");
}

/** The server is this machine. */
export function isLocal(url: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname);
}
