// GET /network/groups and POST /network/_retrieve_groups: the list. POST /network/groups/delete.

import { Elysia } from "elysia";
import { type Caller, may } from "../../../src/auth/auth.ts";
import { invalid, notFound } from "../../../src/input/errors.ts";
import type { Group } from "../../../src/network/groups/group.ts";
import * as groups from "../../../src/network/groups/groups.ts";
import { EDITORS, groupNames, undeletableGroups } from "../../../src/network/groups/view.ts";
import { onlyForItsCreator } from "../../../src/store/may_edit.ts";
import * as records from "../../../src/store/records.ts";
import { confirmFirst } from "../../layout/confirm.tsx";
import { isHtmx, page, redirect, wantsFragment } from "../../layout/page.tsx";
import { countOf } from "../../parts/count.ts";
import { fieldsToRead } from "../../parts/resource_fields.tsx";
import { readTableRequest, tableRows } from "../../request/data_table.ts";
import { keysIn } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { readTyped } from "../../request/typed_search.ts";
import { withParams } from "../../request/url_parameters.ts";
import { deleted } from "../../texts.ts";
import {
  apiAddress,
  COLUMNS,
  GroupList,
  type GroupListProps,
  GroupsPage,
  PATH,
  SHOWN,
} from "./list.tsx";

export const groupPages = new Elysia({ prefix: "/network", normalize: false })
  .use(guard)
  .get("/groups", ({ request, caller, search }) => show(request, caller, search), {
    see: "everyone",
  })
  .post(
    "/_retrieve_groups",
    ({ request, caller, search, form }) => {
      const table = readTableRequest(form, search, COLUMNS);
      return isHtmx(request)
        ? show(request, caller, table.params)
        : tableRows(table, (params) => groups.list(caller, readTyped(params)));
    },
    { see: "everyone" },
  )
  .get(
    "/_retrieve_group_names",
    async ({ search }) => Response.json({ data: await groupNames(search.get("q") ?? "") }),
    { see: "everyone" },
  )
  .post("/groups/delete", ({ request, caller, form }) => remove(request, caller, form), {
    see: EDITORS,
  });

async function show(request: Request, caller: Caller, params: URLSearchParams): Promise<Response> {
  const shown = await read(caller, params);
  const isPart = wantsFragment(request);
  return page(request, {
    title: "Groups",
    crumbs: [{ label: "Network" }, { label: "Groups" }],
    body: isPart ? null : <GroupsPage {...shown} api={apiAddress(request, params)} />,
    fragment: <GroupList {...shown} />,
    // The URL without empty fields.
    headers: isPart ? { "hx-push-url": withParams(PATH, params, {}) } : {},
  });
}

async function read(caller: Caller, params: URLSearchParams): Promise<GroupListProps> {
  const listParams = readTyped(params);
  listParams.delete("cols");
  listParams.delete("selected");
  const listed = await groups.listPicked(caller, fieldsToRead(SHOWN, COLUMNS, params), listParams);
  return { params, listed, rows: records.rowsOf(listed), mayEdit: may(caller, EDITORS) };
}

async function remove(request: Request, caller: Caller, form: FormData): Promise<Response> {
  const ids = keysIn(form, "groups");
  if (ids.length === 0 || ids.length > 100) throw invalid("id", "Choose 1 to 100 groups");
  const chosen = await lookUp(caller, ids);
  if (chosen.length < ids.length) throw notFound();
  // Refuses before the confirmation is shown.
  const [notAllowed] = await undeletableGroups(caller, ids);
  if (notAllowed) throw onlyForItsCreator(`the group ${notAllowed}`);
  const [first] = chosen;
  const what = chosen.length === 1 && first ? first.name : countOf(chosen.length, "group");
  const confirmation = confirmFirst(request, form, {
    title: `Delete ${what}?`,
    detail: lossesOf(chosen),
    verb: "Delete",
    back: PATH,
  });
  if (confirmation) return confirmation;
  const undo = await groups.removeAll(caller, ids);
  const text = deleted(what);
  return redirect(request, PATH, { text, undo });
}

const CHOSEN = ["name", "host_count"] as const;

type ChosenGroup = Required<Pick<Group, (typeof CHOSEN)[number]>>;

async function lookUp(caller: Caller, ids: number[]): Promise<ChosenGroup[]> {
  const params = new URLSearchParams(ids.map((id) => ["id", String(id)]));
  params.set("per_page", "100");
  return records.rowsOf(await groups.listPicked(caller, CHOSEN, params));
}

function lossesOf(chosen: ChosenGroup[]): string {
  const count = chosen.reduce((sum, { host_count }) => sum + host_count, 0);
  const hosts = `${countOf(count, "host")} will lose`;
  if (chosen.length === 1) return `Hosts and child groups remain; ${hosts} its variables.`;
  const names = chosen.map(({ name }) => name).join(", ");
  return `${names}. Hosts and child groups remain; ${hosts} their variables.`;
}
