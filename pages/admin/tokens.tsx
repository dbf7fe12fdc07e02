// GET /admin/tokens: the personal tokens of all users. POST …/revoke.
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { Refusal } from "../../src/input/errors.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { rowsOf } from "../../src/store/records.ts";
import { heldTokens } from "../../src/user/administration.ts";
import * as tokens from "../../src/user/tokens.ts";
import { confirmFirst } from "../layout/confirm.tsx";
import { page, redirect } from "../layout/page.tsx";
import { field, safePath } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { readTyped } from "../request/typed_search.ts";
import { CRUMB, TOKENS } from "./paths.ts";
import { REVOKE, TokenList, TokensPage } from "./tokens_list.tsx";

const ADMINS = { see: ["admin"] } as const;

export const tokenPages = new Elysia({ prefix: TOKENS, normalize: false })
  .use(guard)
  .get("", ({ request, caller, search }) => show(request, caller, search), ADMINS)
  .post("/revoke", ({ request, caller, form }) => revoke(request, caller, form), ADMINS);

async function show(request: Request, caller: Caller, params: URLSearchParams): Promise<Response> {
  const listParams = readTyped(params);
  listParams.delete("cols");
  const listed = await heldTokens(caller, listParams);
  const shown = { params, listed, rows: rowsOf(listed) };
  return page(request, {
    title: "Tokens",
    crumbs: [CRUMB, { label: "Tokens" }],
    body: <TokensPage {...shown} />,
    fragment: <TokenList {...shown} />,
  });
}

async function revoke(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const next = safePath(field(form, "next"), TOKENS);
  const asking = confirmFirst(request, form, { ...REVOKE, back: next });
  if (asking) return asking;
  await tokens.revokeOfAnyone(caller, keyNamed(field(form, "token_id"))).catch(unlessGone);
  return redirect(request, next, "The token is revoked");
}

/** Revoking a revoked token is not an error. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Refusal && error.status === 404)) throw error;
}
