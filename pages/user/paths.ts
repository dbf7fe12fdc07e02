// The paths of the login by a provider.
import { contextOf } from "../../src/http/request_context.ts";

export const LOGIN = "/user/login";

export function providerPath(key: string): string {
  return `${LOGIN}/with/${key}`;
}

/** The addresses that a provider has to know: where it redirects to after a login and after a logout. */
export function redirectsOf(request: Request, key: string) {
  const { origin } = contextOf(request);
  return { login: `${origin}${providerPath(key)}/callback`, logout: origin + LOGIN };
}
