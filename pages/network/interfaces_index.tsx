// GET /network/interfaces: the list.
import { Elysia } from "elysia";
import { type Caller, may } from "../../src/auth.ts";
import { suggest } from "../../src/network/host_choices.ts";
import { EDITORS } from "../../src/network/host_view.ts";
import { interfacesMeant, offersFor } from "../../src/network/interface_query.ts";
import * as interfaces from "../../src/network/interfaces.ts";
import { choices } from "../../src/network/scope_choices.ts";
import { visitOf } from "../../src/visit.ts";
import { withParams } from "../address.ts";
import { door } from "../door.ts";
import { page, wantsFragment } from "../page.tsx";
import { asMeant } from "../typed.ts";
import { InterfaceList, InterfacesPage, type Shown, TOLD } from "./interfaces_list.tsx";
import { INTERFACES } from "./paths.ts";

export const interfaceListPages = new Elysia({ prefix: INTERFACES, normalize: false })
  .use(door)
  .get("", ({ request, caller, search }) => show(request, caller, search), { see: "everyone" });

async function show(request: Request, caller: Caller, params: URLSearchParams): Promise<Response> {
  const shown = await read(caller, params);
  const isPart = wantsFragment(request);
  return page(request, {
    title: "Interfaces",
    crumbs: [{ label: "Network" }, { label: "Interfaces" }],
    body: isPart ? null : (
      <InterfacesPage {...shown} {...(await around(caller))} api={apiAddress(request, params)} />
    ),
    fragment: <InterfaceList {...shown} />,
    headers: isPart ? { "hx-push-url": withParams(INTERFACES, params, {}) } : {},
  });
}

async function read(caller: Caller, params: URLSearchParams): Promise<Shown> {
  const asked = asMeant(params, interfacesMeant);
  asked.delete("cols");
  asked.delete("selected");
  const listed = await interfaces.listTelling(caller, TOLD, asked);
  const text = params.get("q") ?? "";
  const isMissed = text.trim() !== "" && listed.total === 0;
  return {
    params,
    listed,
    rows: JSON.parse(listed.json),
    mayEdit: may(caller, EDITORS),
    ...(isMissed && { offers: await offersFor(caller, text) }),
  };
}

async function around(caller: Caller) {
  const [networks, { domains }] = await Promise.all([suggest(caller, "filters", ""), choices()]);
  return { networks: networks.map(({ name }) => name), domains };
}

/** The same list as the API gives it out. */
function apiAddress(request: Request, params: URLSearchParams): string {
  const path = `${visitOf(request).origin}/api/v1${INTERFACES}`;
  return withParams(path, asMeant(params, interfacesMeant), { cols: null, selected: null });
}
