// GET /network/hosts and POST /network/_retrieve_hosts: the list.
import { Elysia } from "elysia";
import { type Caller, may } from "../../src/auth.ts";
import { choices, suggest } from "../../src/network/host_choices.ts";
import { EDITORS } from "../../src/network/host_view.ts";
import * as hosts from "../../src/network/hosts.ts";
import { withParams } from "../address.ts";
import { door } from "../door.ts";
import { readTable } from "../inventory/retrieve_items.ts";
import { isHtmx, page, wantsFragment } from "../page.tsx";
import { apiAddress, COLUMNS, HostList, HostsPage, PATH, type Shown } from "./hosts_list.tsx";

export const hostPages = new Elysia({ prefix: "/network", normalize: false })
  .use(door)
  .get("/hosts", ({ request, caller, search }) => show(request, caller, search), {
    see: "everyone",
  })
  .post(
    "/_retrieve_hosts",
    ({ request, caller, search, form }) => {
      const asked = readTable(form, search, COLUMNS);
      return isHtmx(request)
        ? show(request, caller, asked.params)
        : retrieve(caller, asked.params, asked.draw);
    },
    { see: "everyone" },
  )
  .get(
    "/_suggest/:kind",
    async ({ caller, params, search }) =>
      Response.json({ data: await suggest(caller, params.kind, search.get("q") ?? "") }),
    { see: "everyone" },
  );

const TOLD = ["id", ...COLUMNS.map(({ name }) => name)];

async function show(request: Request, caller: Caller, params: URLSearchParams): Promise<Response> {
  const shown = await read(caller, params);
  const isPart = wantsFragment(request);
  return page(request, {
    title: "Hosts",
    crumbs: [{ label: "Network" }, { label: "Hosts" }],
    body: isPart ? null : (
      <HostsPage {...shown} {...(await filters(caller))} api={apiAddress(request, params)} />
    ),
    fragment: <HostList {...shown} />,
    // The address without the fields that were left empty.
    headers: isPart ? { "hx-push-url": withParams(PATH, params, {}) } : {},
  });
}

async function read(caller: Caller, params: URLSearchParams): Promise<Shown> {
  const asked = new URLSearchParams(params);
  asked.delete("cols");
  asked.delete("selected");
  const listed = await hosts.listTelling(caller, TOLD, asked);
  return { params, listed, rows: JSON.parse(listed.json), mayEdit: may(caller, EDITORS) };
}

async function filters(caller: Caller) {
  const [{ device_types }, networks] = await Promise.all([
    choices(caller),
    suggest(caller, "filters", ""),
  ]);
  return { deviceTypes: device_types, networks: networks.map(({ name }) => name) };
}

async function retrieve(caller: Caller, params: URLSearchParams, draw: number): Promise<Response> {
  const [listed, all] = await Promise.all([
    hosts.list(caller, params),
    hosts.list(caller, new URLSearchParams({ per_page: "1" })),
  ]);
  const answer = { draw, recordsTotal: all.total, recordsFiltered: listed.total };
  return Response.json({ ...answer, data: JSON.parse(listed.json) });
}
