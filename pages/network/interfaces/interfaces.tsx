// GET /network/interfaces: the list.

import { Elysia } from "elysia";
import { type Caller, may } from "../../../src/auth/auth.ts";
import { contextOf } from "../../../src/http/request_context.ts";
import { suggest } from "../../../src/network/hosts/choices.ts";
import { EDITORS } from "../../../src/network/hosts/view.ts";
import * as interfaces from "../../../src/network/interfaces/interfaces.ts";
import { interfaceQuery, offersFor } from "../../../src/network/interfaces/query.ts";
import { choices } from "../../../src/network/scopes/choices.ts";
import { rowsOf } from "../../../src/store/records.ts";
import { markWritable } from "../../../src/store/rights/check.ts";
import { page, wantsFragment } from "../../layout/page.tsx";
import { guard } from "../../request/guard.ts";
import { readTyped } from "../../request/typed_search.ts";
import { withParams } from "../../request/url_parameters.ts";
import { INTERFACES } from "../paths.ts";
import { InterfaceList, type InterfaceListProps, InterfacesPage } from "./list.tsx";

export const interfaceListPages = new Elysia({ prefix: INTERFACES, normalize: false })
  .use(guard)
  .get("", ({ request, caller, search }) => show(request, caller, search), { see: "everyone" });

async function show(request: Request, caller: Caller, params: URLSearchParams): Promise<Response> {
  const shown = await read(caller, params);
  const isPart = wantsFragment(request);
  return page(request, {
    title: "Interfaces",
    crumbs: [{ label: "Network" }, { label: "Interfaces" }],
    body: isPart ? null : (
      <InterfacesPage
        {...shown}
        {...(await filterOptions(caller))}
        api={apiAddress(request, params)}
      />
    ),
    fragment: <InterfaceList {...shown} />,
    headers: isPart ? { "hx-push-url": withParams(INTERFACES, params, {}) } : {},
  });
}

async function read(caller: Caller, params: URLSearchParams): Promise<InterfaceListProps> {
  const listParams = readTyped(params, interfaceQuery);
  listParams.delete("cols");
  listParams.delete("selected");
  const listed = await interfaces.list(caller, listParams);
  const text = params.get("q") ?? "";
  const isMissed = text.trim() !== "" && listed.total === 0;
  return {
    params,
    listed,
    rows: await markWritable(caller, "interfaces", rowsOf(listed)),
    mayEdit: may(caller, EDITORS),
    ...(isMissed && { offers: await offersFor(caller, text) }),
  };
}

async function filterOptions(caller: Caller) {
  const [networks, { domains }] = await Promise.all([suggest(caller, "filters", ""), choices()]);
  return { networks: networks.map(({ name }) => name), domains };
}

/** The same list in the API. */
function apiAddress(request: Request, params: URLSearchParams): string {
  const path = `${contextOf(request).origin}/api/v1${INTERFACES}`;
  return withParams(path, readTyped(params, interfaceQuery), { cols: null, selected: null });
}
