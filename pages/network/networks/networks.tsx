// GET /network/networks: the list. GET …/view/(vlan_name): a network with its map. POST …/delete.
import { Elysia } from "elysia";
import { type Caller, may } from "../../../src/auth/auth.ts";
import { contextOf } from "../../../src/http/request_context.ts";
import { network } from "../../../src/network/networks/network.ts";
import * as networks from "../../../src/network/networks/networks.ts";
import { networkQuery, offersFor } from "../../../src/network/networks/query.ts";
import { choices } from "../../../src/network/scopes/choices.ts";
import { findRow, listRows } from "../../../src/store/crud.ts";
import { rowOf, rowsOf } from "../../../src/store/records.ts";
import { confirmFirst } from "../../layout/confirm.tsx";
import { page, redirect, wantsFragment, withUndo } from "../../layout/page.tsx";
import { attempt } from "../../parts/forms.tsx";
import { field } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { readTyped } from "../../request/typed_search.ts";
import { withParams } from "../../request/url_parameters.ts";
import { deleted, ONLY_EMPTY_NETWORKS } from "../../texts.ts";
import { EDITORS, NETWORKS, networkPath, scopePath } from "../paths.ts";
import { NetworkList, type NetworkListProps, NetworksPage } from "./list.tsx";
import { showNetwork } from "./view.tsx";

export const networkPages = new Elysia({ prefix: NETWORKS, normalize: false })
  .use(guard)
  .get("", ({ request, caller, search }) => show(request, caller, search), { see: "everyone" })
  .get(
    "/view/:vlan_name",
    ({ request, caller, params, search }) =>
      showNetwork(request, caller, { name: params.vlan_name, params: search }),
    { see: "everyone" },
  )
  .post("/delete", ({ request, caller, form }) => remove(request, caller, form), { see: EDITORS });

async function show(request: Request, caller: Caller, params: URLSearchParams): Promise<Response> {
  const listParams = readTyped(params, networkQuery);
  listParams.delete("cols");
  const listed = await listRows(network, caller, listParams);
  const text = params.get("q") ?? "";
  const isMissed = text.trim() !== "" && listed.total === 0;
  const shown: NetworkListProps = {
    params,
    listed,
    rows: rowsOf(listed),
    mayEdit: may(caller, EDITORS),
    ...(isMissed && { offers: await offersFor(caller, text) }),
  };
  const isPart = wantsFragment(request);
  return page(request, {
    title: "Networks",
    crumbs: [{ label: "Network" }, { label: "Networks" }],
    body: isPart ? null : (
      <NetworksPage {...shown} choices={await choices()} api={apiAddress(request, params)} />
    ),
    fragment: <NetworkList {...shown} />,
    headers: isPart ? { "hx-push-url": withParams(NETWORKS, params, {}) } : {},
  });
}

/** The same list in the API. */
function apiAddress(request: Request, params: URLSearchParams): string {
  const path = `${contextOf(request).origin}/api/v1/network/networks`;
  return withParams(path, readTyped(params, networkQuery), { cols: null });
}

async function remove(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const found = await findRow(network, caller, field(form, "vlan_name"));
  const { id, vlan_name, scope, address } = rowOf(found);
  const confirmation = confirmFirst(request, form, {
    title: `Delete ${vlan_name}?`,
    detail: `${address} will be free in the scope ${scope}. ${ONLY_EMPTY_NETWORKS}`,
    verb: "Delete",
    back: networkPath(vlan_name),
  });
  if (confirmation) return confirmation;
  const tried = await attempt(() => networks.remove(caller, id));
  if ("refusal" in tried) {
    return showNetwork(request, caller, {
      name: vlan_name,
      params: new URLSearchParams(),
      ...tried,
    });
  }
  return redirect(request, scopePath(scope), withUndo(request, deleted(vlan_name)));
}
