// The pages of groups: one with its hosts, which are added and removed there. Several groups are deleted at once.
import { type Caller, isAdmin, may } from "../../../src/auth/auth.ts";
import { contextOf } from "../../../src/http/request_context.ts";
import { invalid, notFound } from "../../../src/input/errors.ts";
import { changeMembers, newEntry } from "../../../src/network/groups/form_input.ts";
import { group as described, type Group } from "../../../src/network/groups/group.ts";
import * as groups from "../../../src/network/groups/groups.ts";
import {
  countUnder,
  EDITORS,
  groupNames,
  membersOf,
  undeletableGroups,
} from "../../../src/network/groups/view.ts";
import { onlyForItsCreator } from "../../../src/store/may_edit.ts";
import * as records from "../../../src/store/records.ts";
import { Ask } from "../../help/ask.tsx";
import { confirmFirst } from "../../layout/confirm.tsx";
import { redirect } from "../../layout/page.tsx";
import { ChoiceFilter } from "../../lists/choice_filter.tsx";
import { RowLink } from "../../lists/row_link.tsx";
import { ApiCall } from "../../parts/api_call.tsx";
import { Copy } from "../../parts/copy.tsx";
import { countOf } from "../../parts/count.ts";
import { Fact, Stamps } from "../../parts/facts.tsx";
import { attempt, blank, refused } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { UPDATED } from "../../parts/list_columns.tsx";
import { columnsOf, Facts, fieldsToRead } from "../../parts/resource_fields.tsx";
import { Snippet } from "../../parts/snippet.tsx";
import { tableRows } from "../../request/data_table.ts";
import { field, keysIn } from "../../request/form_values.ts";
import { readTyped } from "../../request/typed_search.ts";
import { withParams } from "../../request/url_parameters.ts";
import type { ShownRecord } from "../../resource/hooks.ts";
import { readBy } from "../../resource/list.tsx";
import { ResourcePages } from "../../resource/pages.tsx";
import type { RecordParts } from "../../resource/view.tsx";
import { deleted } from "../../texts.ts";
import { GROUPS_PATH, groupPath } from "../paths.ts";
import { groupChange, groupCreation, groupForm, previewGroup, TYPES } from "./form.tsx";
import {
  AddMember,
  COLUMNS as MEMBER_COLUMNS,
  SHOWN as MEMBER_FIELDS,
  Members,
} from "./members.tsx";

/** The fields that the list always reads of a group. */
const SHOWN = [
  ...(["id", "name", "type", "query", "host_count", "children", "vars"] as const),
  ...(["user", "updated_at"] as const),
] as const;

type ListedGroup = Required<Pick<Group, (typeof SHOWN)[number]>>;

/** In the order of their DataTables numbers. */
const COLUMNS = columnsOf<ListedGroup, Group>(
  described,
  [
    {
      name: "name",
      sortable: true,
      fixed: true,
      cell: ({ name }, inList) => <RowLink name={name} href={groupPath(name) + inList} />,
    },
    { name: "host_count", class: "number", cell: hostCount },
    { name: "query", sortable: true, class: "mono", cell: ({ query }) => query },
    { name: "children" },
    { name: "vars", class: "mono", cell: variableNames },
    UPDATED,
    { name: "user", sortable: true },
  ],
  // Hosts are shown as a count, the type by the query.
  ["hosts", "type"],
);

function hostCount({ host_count }: ListedGroup) {
  return host_count.toLocaleString("en");
}

const FEW = 4;

function variableNames({ vars }: ListedGroup) {
  const names = Object.keys(vars).toSorted();
  const more = names.length > FEW ? ` and ${names.length - FEW} more` : "";
  return names.slice(0, FEW).join(", ") + more;
}

const pages = new ResourcePages({
  resource: described,
  list: {
    lead: "Ansible groups and their variables",
    icon: "sitemap",
    purpose:
      "Ansible runs on groups of hosts, which you choose or a search finds, with variables for them",
    read: readBy(GROUPS_PATH, (caller, listParams, params) =>
      groups.listPicked(caller, fieldsToRead(SHOWN, COLUMNS, params), listParams),
    ),
    columns: () => COLUMNS,
    filters: (params) => (
      <ChoiceFilter
        name="type"
        label="Any type"
        params={params}
        options={Object.keys(TYPES)}
        labels={TYPES}
      />
    ),
    fields: ["type"],
    hasApi: true,
    table: {
      path: "/network/_retrieve_groups",
      columns: COLUMNS,
      rows: (caller, table) => tableRows(table, (params) => groups.list(caller, readTyped(params))),
    },
  },
  find: groups.findNamed,
  view,
  creation: groupCreation,
  change: groupChange,
  form: groupForm,
  answer: previewGroup,
});

export const groupPages = pages
  .routes()
  .get(
    "/network/_retrieve_group_names",
    async ({ search }) => Response.json({ data: await groupNames(search.get("q") ?? "") }),
    { see: "everyone" },
  )
  .post(`${GROUPS_PATH}/delete`, ({ request, caller, form }) => remove(request, caller, form), {
    see: EDITORS,
  })
  .post(
    `${GROUPS_PATH}/view/:name`,
    ({ request, caller, params, search, form }) =>
      changeHosts(request, caller, { name: params.name, search, form }),
    { see: EDITORS },
  );

async function view({
  request,
  caller,
  row: group,
  mayEdit,
  search: params = new URLSearchParams(),
  refusal,
  form,
}: ShownRecord<groups.GroupWithParents>): Promise<RecordParts> {
  const listParams = new URLSearchParams(params);
  listParams.delete("cols");
  listParams.delete("in");
  const names = fieldsToRead(MEMBER_FIELDS, MEMBER_COLUMNS, params);
  const [members, under, isOwn] = await Promise.all([
    membersOf(caller, { group: group.id, names }, listParams),
    countUnder(caller, group.id),
    groups.isCreatedBy(caller, group.id),
  ]);
  const adding = refusal && form ? refused(newEntry, form, refusal) : blank(newEntry);
  const errors = adding.errors.map((one) => ({ ...one, field: "host" }));
  const list = <Members group={group} params={params} members={members} mayEdit={mayEdit} />;
  const { origin } = contextOf(request);
  return {
    live: ["hosts", "interfaces"],
    lead: group.type === "query" ? "Group by query" : "Static group",
    actions: (isAdmin(caller) || (may(caller, EDITORS) && isOwn)) && <DeleteGroup id={group.id} />,
    facts: <GroupFacts group={group} under={under} />,
    contents: (
      <>
        <section aria-labelledby="hosts-title">
          <h2 id="hosts-title">Hosts</h2>
          {mayEdit && group.type === "static" && (
            <AddMember group={group} adding={{ ...adding, errors }} />
          )}
          {list}
        </section>
        <Variables group={group} />
        <Inventory group={group} />
        <ApiCall address={`${origin}/api/v1${GROUPS_PATH}/${group.id}`} />
      </>
    ),
    fragment: list,
  };
}

function DeleteGroup({ id }: { id: number }) {
  return (
    <form method="post" action={`${GROUPS_PATH}/delete`}>
      <input type="hidden" name="id" value={id} />
      <button type="submit" class="quiet bad">
        <Icon name="trash" /> Delete
      </button>
    </form>
  );
}

function GroupFacts({ group, under }: { group: groups.GroupWithParents; under: number }) {
  const { query, children, parents, hosts } = group;
  const { fields } = described;
  return (
    <>
      <Fact label={fields.query.label}>
        {query && <a href={`/network/hosts?${new URLSearchParams({ q: query })}`}>{query}</a>}
      </Fact>
      <Fact label={fields.hosts.label}>
        {hosts.length.toLocaleString("en")}
        {children.length > 0 && `, ${under.toLocaleString("en")} including child groups`}
      </Fact>
      <Fact label={fields.children.label}>
        {children.length > 0 ? <Names names={children} /> : null}
      </Fact>
      <Fact label="Parent groups">{parents.length > 0 ? <Names names={parents} /> : null}</Fact>
      <Facts of={described} row={group} elsewhere={ELSEWHERE} />
      <Stamps of={group} />
    </>
  );
}

/** The names of groups as links. */
function Names({ names }: { names: string[] }) {
  return (
    <span>
      {names.map((name, at) => (
        <>
          {at > 0 && ", "}
          <a href={groupPath(name)}>{name}</a>
        </>
      ))}
    </span>
  );
}

const ELSEWHERE = ["name", "type", "query", "vars", "children", "hosts"] as const;

function Variables({ group: { vars } }: { group: groups.GroupWithParents }) {
  const pairs = Object.entries(vars).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return (
    <section aria-labelledby="vars-title">
      <h2 id="vars-title">
        Variables <Ask about="Variables" />{" "}
        {pairs.length > 0 && <Copy text={JSON.stringify(vars, null, 2)} />}
      </h2>
      {pairs.length === 0 ? (
        <p class="muted">No variables</p>
      ) : (
        <dl class="facts vars">
          {pairs.map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
            </>
          ))}
        </dl>
      )}
    </section>
  );
}

const MOST_SHOWN = 100;

/** The group as `ansible-inventory --yaml` prints it. */
function Inventory({ group: { name, hosts, children, vars } }: { group: groups.GroupWithParents }) {
  const content = {
    ...(hosts.length > 0 ? { hosts: asKeys(hosts.slice(0, MOST_SHOWN)) } : {}),
    ...(children.length > 0 ? { children: asKeys(children) } : {}),
    ...(Object.keys(vars).length > 0 ? { vars } : {}),
  };
  const rest = hosts.length - MOST_SHOWN;
  const text = Bun.YAML.stringify({ [name]: content }, null, 2);
  return (
    <section aria-labelledby="inventory-title">
      <h2 id="inventory-title">
        Ansible inventory <Copy text={text} />
      </h2>
      <Snippet text={rest > 0 ? `${text}\n# and ${countOf(rest, "host")} more` : text} />
    </section>
  );
}

function asKeys(names: string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, {}]));
}

/** Adds `host`, removes `remove`. */
async function changeHosts(
  request: Request,
  caller: Caller,
  { name, search, form }: { name: string; search: URLSearchParams; form: FormData },
): Promise<Response> {
  const { id, name: called } = records.rowOf(await groups.findNamed(caller, name));
  const [added, removed] = [field(form, "host"), field(form, "remove")];
  const tried = await attempt(async () => {
    if (!added && !removed) throw invalid("host", "Enter the name of a host");
    return changeMembers(caller, id, {
      add: added ? [added] : [],
      remove: removed ? [removed] : [],
    });
  });
  if ("refusal" in tried) {
    return pages.view(request, caller, called, { search, form, refusal: tried.refusal });
  }
  const text = added
    ? `Added ${added.toLowerCase()} to ${called}`
    : `Removed ${removed} from ${called}`;
  return redirect(request, withParams(groupPath(called), search, {}), { text, undo: tried.done });
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
    back: GROUPS_PATH,
  });
  if (confirmation) return confirmation;
  const undo = await groups.removeAll(caller, ids);
  const text = deleted(what);
  return redirect(request, GROUPS_PATH, { text, undo });
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
