// GET /admin/tokens: the personal tokens of all users. POST …/revoke.
import { Elysia } from "elysia";
import type { Caller } from "../../src/auth/auth.ts";
import { keyNamed } from "../../src/input/keys.ts";
import { heldTokens } from "../../src/user/administration.ts";
import { type HeldToken, heldToken } from "../../src/user/held_token.ts";
import * as tokens from "../../src/user/tokens.ts";
import { confirmFirst } from "../layout/confirm.tsx";
import { redirect } from "../layout/page.tsx";
import { filterValue } from "../lists/choice_filter.tsx";
import { unlessGone } from "../parts/forms.tsx";
import { columnsOf } from "../parts/resource_fields.tsx";
import { Typeahead } from "../parts/typeahead.tsx";
import { Time } from "../records/time.tsx";
import { field, safePath } from "../request/form_values.ts";
import { guard } from "../request/guard.ts";
import { type ListPlace, readBy, showList } from "../resource/list.tsx";
import { Access, isReadOnlyToken } from "../user/token_parts.tsx";
import { CRUMB, TOKENS, USERS, userPath } from "./paths.ts";
import { REVOKE, RevokeForm } from "./revoke_form.tsx";

const ADMINS = { see: ["admin"] } as const;

export const tokenPages = new Elysia({ prefix: TOKENS, normalize: false })
  .use(guard)
  .get("", ({ request, caller, search }) => showList(request, caller, LISTED, search), ADMINS)
  .post("/revoke", ({ request, caller, form }) => revoke(request, caller, form), ADMINS);

async function revoke(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const next = safePath(field(form, "next"), TOKENS);
  const asking = confirmFirst(request, form, { ...REVOKE, back: next });
  if (asking) return asking;
  await tokens.revokeOfAnyone(caller, keyNamed(field(form, "token_id"))).catch(unlessGone);
  return redirect(request, next, "Revoked the token");
}

const COLUMNS = columnsOf<HeldToken>(heldToken, [
  {
    name: "description",
    sortable: true,
    fixed: true,
    cell: ({ id, description }) => description ?? `Token ${id}`,
  },
  {
    name: "owner",
    sortable: true,
    cell: ({ owner }) => owner && <a href={userPath(owner)}>{owner}</a>,
  },
  {
    name: "read_only",
    label: "Access",
    cell: (token) => (isReadOnlyToken(token) ? "read" : "write"),
  },
  {
    name: "limits",
    cell: ({ limits }) => <Access token={{ read_only: false, limits, networks: [], scopes: [] }} />,
  },
  {
    name: "created_at",
    sortable: true,
    class: "time",
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  {
    name: "expires_at",
    sortable: true,
    class: "time",
    cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : "never"),
  },
  {
    name: "last_used_at",
    sortable: true,
    class: "time",
    cell: ({ last_used_at }) => last_used_at ?? "never",
  },
  {
    name: "last_used_from",
    sortable: true,
    class: "mono",
    cell: ({ last_used_from }) => last_used_from,
  },
  {
    name: "revoke",
    label: "Revoke",
    class: "tight",
    fixed: true,
    cell: (token) => <RevokeForm token={token} />,
  },
]);

const LISTED: ListPlace<HeldToken> = {
  resource: heldToken,
  path: TOKENS,
  title: "Tokens",
  crumbs: [CRUMB, { label: "Tokens" }],
  list: {
    lead: "Tokens of people and service accounts; the tokens themselves are not stored",
    icon: "key",
    purpose: (
      <>
        Users make tokens on their <a href="/user/profile">profile page</a>
      </>
    ),
    read: readBy(TOKENS, heldTokens),
    columns: () => COLUMNS,
    filters: (params) => (
      <Typeahead
        name="owner"
        id="filter-owner"
        label="Owner"
        value={filterValue(params, "owner")}
        names={[]}
        suggest={`${USERS}/_names`}
      />
    ),
    fields: ["owner"],
    order: "-created_at",
  },
};
