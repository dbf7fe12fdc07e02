// Whether the search answers, exact and fuzzy, and how fast.
import type { Caller } from "../../auth/auth.ts";
import { Refusal } from "../../input/errors.ts";
import * as hosts from "./hosts.ts";

export interface SearchHealth {
  ok: boolean;
  text: string;
}

const QUERY = "name:cadastre~ OR description:check";

export async function searchHealth(caller: Caller): Promise<SearchHealth> {
  const began = performance.now();
  try {
    await hosts.list(caller, new URLSearchParams({ q: QUERY, per_page: "1" }));
    const took = Math.max(1, Math.round(performance.now() - began));
    return { ok: true, text: `The search answers, in ${took} ms` };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ok: false, text: `The search does not answer: ${error.message}` };
  }
}
