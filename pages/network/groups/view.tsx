// GET and POST /network/groups/view/(name): the page of a group, on which hosts are added and removed.
import type { TObject } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Caller, isAdmin, may } from "../../../src/auth/auth.ts";
import { timelineOf } from "../../../src/history/history.ts";
import { contextOf } from "../../../src/http/request_context.ts";
import { invalid, type Refusal } from "../../../src/input/errors.ts";
import { changeMembers, newEntry } from "../../../src/network/groups/form_input.ts";
import { group as described } from "../../../src/network/groups/group.ts";
import * as groups from "../../../src/network/groups/groups.ts";
import { countUnder, EDITORS, membersOf } from "../../../src/network/groups/view.ts";
import { rowOf } from "../../../src/store/records.ts";
import { page, redirect } from "../../layout/page.tsx";
import { attempt, blank, type Filled, refused } from "../../parts/forms.tsx";
import { fieldsToRead } from "../../parts/resource_fields.tsx";
import { listOf, placeIn } from "../../records/in_list.tsx";
import { liveRecord } from "../../records/live.tsx";
import { field } from "../../request/form_values.ts";
import { guard } from "../../request/guard.ts";
import { readTyped } from "../../request/typed_search.ts";
import { withParams } from "../../request/url_parameters.ts";
import { findOrRedirect } from "../paths.ts";
import { PATH, viewPath } from "./list.tsx";
import { COLUMNS, Members, SHOWN } from "./members.tsx";
import { GroupPage, type GroupPageProps } from "./page.tsx";

export const groupViewPages = new Elysia({ prefix: PATH, normalize: false })
  .use(guard)
  .get(
    "/view/:name",
    ({ request, caller, params, search }) =>
      show(request, caller, { name: params.name, list: search }),
    { see: "everyone" },
  )
  .post(
    "/view/:name",
    ({ request, caller, params, search, form }) =>
      change(request, caller, { name: params.name, list: search, form }),
    { see: EDITORS },
  );

interface ViewRequest {
  name: string;
  /** Which page of its hosts. */
  list: URLSearchParams;
}

async function show(
  request: Request,
  caller: Caller,
  { name, list, refusal, form }: ViewRequest & { refusal?: Refusal; form?: FormData },
): Promise<Response> {
  const found = await findOrRedirect(request, {
    table: "groups",
    name,
    find: (called) => groups.findNamed(caller, called),
    pathOf: viewPath,
  });
  if (found instanceof Response) return found;
  const group = rowOf(found);
  const listParams = new URLSearchParams(list);
  listParams.delete("cols");
  listParams.delete("in");
  const [members, under, timeline] = await Promise.all([
    membersOf(caller, { group: group.id, names: fieldsToRead(SHOWN, COLUMNS, list) }, listParams),
    countUnder(caller, group.id),
    timelineOf(caller, { table: "groups", id: group.id }),
  ]);
  const shape: TObject = newEntry;
  const adding: Filled = refusal && form ? refused(shape, form, refusal) : blank(shape);
  const shown: GroupPageProps = {
    group,
    params: list,
    members,
    under,
    timeline,
    adding: { ...adding, errors: adding.errors.map((one) => ({ ...one, field: "host" })) },
    mayEdit: may(caller, EDITORS),
    mayDelete:
      isAdmin(caller) || (may(caller, EDITORS) && (await groups.isCreatedBy(caller, group.id))),
    place: await placeIn(request.url, (from) =>
      groups.neighboursInList(caller, group.id, readTyped(from)),
    ),
    api: `${contextOf(request).origin}/api/v1${PATH}/${group.id}`,
  };
  return page(request, {
    title: group.name,
    status: refusal?.status,
    live: liveRecord(described, group.id, ["hosts", "interfaces"]),
    crumbs: [
      { label: "Network" },
      { label: "Groups", href: listOf(PATH, request.url) },
      { label: group.name },
    ],
    body: <GroupPage {...shown} />,
    fragment: <Members {...shown} />,
  });
}

/** Adds `host`, removes `remove`. */
async function change(
  request: Request,
  caller: Caller,
  shown: ViewRequest & { form: FormData },
): Promise<Response> {
  const { name, list, form } = shown;
  const { id, name: called } = rowOf(await groups.findNamed(caller, name));
  const [added, removed] = [field(form, "host"), field(form, "remove")];
  const tried = await attempt(async () => {
    if (!added && !removed) throw invalid("host", "Enter the name of a host");
    return changeMembers(caller, id, {
      add: added ? [added] : [],
      remove: removed ? [removed] : [],
    });
  });
  if ("refusal" in tried) return show(request, caller, { ...shown, refusal: tried.refusal });
  const text = added
    ? `Added ${added.toLowerCase()} to ${called}`
    : `Removed ${removed} from ${called}`;
  return redirect(request, withParams(viewPath(called), list, {}), { text, undo: tried.done });
}
