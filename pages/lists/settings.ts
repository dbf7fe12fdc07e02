// The saved views and columns of a list, read once per request.
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

/** The columns that the user chose for the list, unless its address names some. */
export function withColumns(request: Request, params: URLSearchParams): URLSearchParams {
  if (params.has("cols")) return params;
  for (const name of read.get(request)?.columns ?? []) params.append("cols", name);
  return params;
}
