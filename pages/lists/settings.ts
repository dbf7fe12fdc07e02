// What people keep of a list, read once for the request of its page.
import type { Caller } from "../../src/auth/auth.ts";
import { type ListSettings, settingsOf } from "../../src/user/searches.ts";
import { sources } from "./sources.ts";

const read = new WeakMap<Request, ListSettings>();

export async function readSettings(request: Request, caller: Caller): Promise<void> {
  const { pathname } = new URL(request.url);
  if (request.method !== "GET" || !sources.has(pathname)) return;
  read.set(request, await settingsOf(caller, pathname));
}

export function settingsIn(request: Request): ListSettings | undefined {
  return read.get(request);
}

/** The columns that the user has chosen for the list, where its address names none. */
export function withColumns(request: Request, params: URLSearchParams): URLSearchParams {
  if (params.has("cols")) return params;
  for (const name of read.get(request)?.columns ?? []) params.append("cols", name);
  return params;
}
