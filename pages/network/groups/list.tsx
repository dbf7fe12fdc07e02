import { contextOf } from "../../../src/http/request_context.ts";
import { type Group, group } from "../../../src/network/groups/group.ts";
import type { ListJson } from "../../../src/store/records.ts";
import { ListBar } from "../../lists/bulk_bar.tsx";
import { EmptyPicture } from "../../lists/empty_picture.tsx";
import { RowLink } from "../../lists/row_link.tsx";
import { ApiCall } from "../../parts/api_call.tsx";
import { Filters, List, ListHead } from "../../parts/list.tsx";
import { PICK, UPDATED } from "../../parts/list_columns.tsx";
import { columnsOf } from "../../parts/resource_fields.tsx";
import { readTyped } from "../../request/typed_search.ts";
import { withParams } from "../../request/url_parameters.ts";

export const PATH = "/network/groups";

export function viewPath(name: string): string {
  return `${PATH}/view/${encodeURIComponent(name)}`;
}

export function editPath(name: string): string {
  return `${PATH}/edit/${encodeURIComponent(name)}`;
}

/** The fields that the list always reads of a group. */
export const SHOWN = [
  ...(["id", "name", "type", "query", "host_count", "children", "vars"] as const),
  ...(["user", "updated_at"] as const),
] as const;

type ListedGroup = Required<Pick<Group, (typeof SHOWN)[number]>>;

export interface GroupListProps {
  params: URLSearchParams;
  listed: ListJson;
  rows: ListedGroup[];
  mayEdit: boolean;
}

export function GroupsPage({ api, ...shown }: GroupListProps & { api: string }) {
  const { params, mayEdit } = shown;
  return (
    <>
      <ListHead
        title="Groups"
        lead="Ansible groups and their variables"
        path={PATH}
        noun="group"
        mayAdd={mayEdit}
      />
      <Filters path={PATH} params={params} noun="groups">
        <TypeFilter params={params} />
      </Filters>
      <GroupList {...shown} />
      <ApiCall address={api} />
    </>
  );
}

/** The same list in the API. */
export function apiAddress(request: Request, params: URLSearchParams): string {
  const path = `${contextOf(request).origin}/api/v1${PATH}`;
  return withParams(path, readTyped(params), { cols: null, selected: null });
}

export const TYPES = { static: "Static", query: "By query" };

function TypeFilter({ params }: { params: URLSearchParams }) {
  const chosen = params.getAll("type").length === 1 ? params.get("type") : null;
  return (
    <select name="type" aria-label="Any type">
      <option value="">Any type</option>
      {Object.entries(TYPES).map(([value, label]) => (
        <option value={value} selected={value === chosen}>
          {label}
        </option>
      ))}
    </select>
  );
}

export function GroupList({ params, listed, rows, mayEdit }: GroupListProps) {
  return (
    <List
      noun="groups"
      singular="group"
      path={PATH}
      params={params}
      listed={listed}
      rows={rows}
      columns={mayEdit ? [PICK, ...COLUMNS] : COLUMNS}
      fields={["type"]}
      empty={<Empty mayEdit={mayEdit} />}
      bulk={mayEdit && <ListBar path={PATH} {...{ params, listed, rows }} />}
    />
  );
}

/** In the order of their DataTables numbers. */
export const COLUMNS = columnsOf<ListedGroup, Group>(
  group,
  [
    {
      name: "name",
      sortable: true,
      fixed: true,
      cell: ({ name }, inList) => <RowLink name={name} href={viewPath(name) + inList} />,
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

/** The names of groups as links. */
export function Names({ names }: { names: string[] }) {
  return (
    <span>
      {names.map((name, at) => (
        <>
          {at > 0 && ", "}
          <a href={viewPath(name)}>{name}</a>
        </>
      ))}
    </span>
  );
}

function Empty({ mayEdit }: { mayEdit: boolean }) {
  return (
    <div class="empty">
      <EmptyPicture icon="sitemap" />
      <p>No groups yet</p>
      {mayEdit && (
        <a class="button" href={`${PATH}/create`}>
          Add the first group
        </a>
      )}
    </div>
  );
}
