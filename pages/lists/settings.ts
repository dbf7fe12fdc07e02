// The saved views and columns of a list, and the choices of its filters: read once per request, by one statement.
import type { Caller } from "../../src/auth/auth.ts";
import { type Choices, readChoices } from "../../src/store/choices.ts";
import { type ListSettings, listSettingsOf } from "../../src/user/searches.ts";
import { wantsFragment } from "../request/htmx.ts";
import { sources } from "./sources.ts";

const read = new WeakMap<Request, ListSettings>();

export async function readSettings(request: Request, caller: Caller): Promise<void> {
  const { pathname } = new URL(request.url);
  const source = sources.get(pathname);
  if (request.method !== "GET" || !source) return;
  // The filters are outside of the part that htmx replaces.
  const choices = wantsFragment(request) ? undefined : source.choices;
  read.set(request, await listSettingsOf(caller, pathname, choices));
}

export function settingsIn(request: Request): ListSettings | undefined {
  return read.get(request);
}

/** The choices that were read with the settings of the list. */
export async function choicesIn<Row>(
  request: Request,
  caller: Caller,
  choices: Choices<Row>,
): Promise<Row> {
  const { pathname } = new URL(request.url);
  const known = sources.get(pathname)?.choices === choices ? read.get(request)?.choices : null;
  return (known as Row | null | undefined) ?? readChoices(caller, choices);
}

/** The columns that the user chose for the list, unless its address names some. */
export function withColumns(request: Request, params: URLSearchParams): URLSearchParams {
  if (params.has("cols")) return params;
  for (const name of read.get(request)?.columns ?? []) params.append("cols", name);
  return params;
}
