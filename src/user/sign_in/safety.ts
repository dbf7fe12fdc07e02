// Refuses settings of providers that would send tokens over the network without TLS, let in everybody, or could never
// work.
import { invalid } from "../../input/errors.ts";
import { filterError } from "./directory.ts";

interface CheckedSettings {
  issuer?: string;
  user_filter?: string;
}

export function requireSafe({ issuer, user_filter }: CheckedSettings): void {
  if (issuer !== undefined) requireSafeIssuer(issuer);
  const problem = user_filter === undefined ? undefined : filterError(user_filter);
  if (problem) throw invalid("user_filter", `This is not a filter: ${problem}`);
}

/** Only this machine may be asked without TLS. */
function requireSafeIssuer(issuer: string): void {
  if (!URL.canParse(issuer)) throw invalid("issuer", "Use the URL of the issuer");
  if (!isLocal(issuer) && !issuer.startsWith("https:")) {
    throw invalid("issuer", "Use https: tokens must not go over the network without TLS");
  }
  if (SEVERAL_TENANTS.test(issuer)) {
    throw invalid(
      "issuer",
      "Use the issuer of one tenant: this one lets in people of every tenant",
    );
  }
}

/** Addresses of Entra ID that are no tenant. */
const SEVERAL_TENANTS =
  /^https:\/\/login\.microsoftonline\.com(:443)?\/+(common|organizations|consumers)(\/|$)/i;

/** The server is this machine. */
export function isLocal(url: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname);
}
