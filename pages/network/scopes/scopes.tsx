// GET /network/scopes: the list. GET …/view/(name): a scope with its images. POST …/delete.
import { Elysia } from "elysia";
import { type Caller, may } from "../../../src/auth/auth.ts";
import { scope } from "../../../src/network/scopes/scope.ts";
import * as scopes from "../../../src/network/scopes/scopes.ts";
import { findRow, listRows } from "../../../src/store/crud.ts";
import { rowOf, rowsOf } from "../../../src/store/records.ts";
import { confirmFirst } from "../../layout/confirm.tsx";
import { page, redirect, withUndo } from "../../layout/page.tsx";
import { attempt } from "../../parts/forms.tsx";
import { field } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { readTyped } from "../../request/typed_search.ts";
import { deleted, ONLY_EMPTY_SCOPES } from "../../texts.ts";
import { EDITORS, SCOPES, scopePath } from "../paths.ts";
import { ScopeList, type ScopeListProps, ScopesPage } from "./list.tsx";
import { showScope } from "./view.tsx";

export const scopePages = new Elysia({ prefix: SCOPES, normalize: false })
  .use(guard)
  .get("", ({ request, caller, search }) => show(request, caller, search), { see: "everyone" })
  .get(
    "/view/:name",
    ({ request, caller, params }) => showScope(request, caller, { name: params.name }),
    { see: "everyone" },
  )
  .post("/delete", ({ request, caller, form }) => remove(request, caller, form), { see: EDITORS });

async function show(request: Request, caller: Caller, params: URLSearchParams): Promise<Response> {
  const listParams = readTyped(params);
  listParams.delete("cols");
  const listed = await listRows(scope, caller, listParams);
  const shown: ScopeListProps = {
    params,
    listed,
    rows: rowsOf(listed),
    mayEdit: may(caller, EDITORS),
  };
  return page(request, {
    title: "Scopes",
    crumbs: [{ label: "Network" }, { label: "Scopes" }],
    body: <ScopesPage {...shown} />,
    fragment: <ScopeList {...shown} />,
  });
}

async function remove(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const found = await findRow(scope, caller, field(form, "name"));
  const { id, name, supernet } = rowOf(found);
  const confirmation = confirmFirst(request, form, {
    title: `Delete ${name}?`,
    detail: `${supernet} and its VLANs will be free. ${ONLY_EMPTY_SCOPES}`,
    verb: "Delete",
    back: scopePath(name),
  });
  if (confirmation) return confirmation;
  const tried = await attempt(() => scopes.remove(caller, id));
  if ("refusal" in tried) return showScope(request, caller, { name, ...tried });
  return redirect(request, SCOPES, withUndo(request, deleted(name)));
}
