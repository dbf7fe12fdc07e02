// The hosts of a group, page by page; hosts of a static group are added and removed here.
import type { GroupWithParents } from "../../../src/network/groups/groups.ts";
import { type Host, host } from "../../../src/network/hosts/host.ts";
import { type ListJson, rowsOf } from "../../../src/store/records.ts";
import { Field, type Filled } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { type Column, List } from "../../parts/list.tsx";
import { columnsOf } from "../../parts/resource_fields.tsx";
import { Suggestions, suggesting } from "../../parts/typeahead.tsx";
import { whoAdds } from "../../texts.ts";
import { groupPath, hostPath } from "../paths.ts";

/** The fields that are always read of each of its hosts. */
export const SHOWN = ["id", "name", "fqdn", "device_type", "ip", "description"] as const;

type MemberRow = Required<Pick<Host, (typeof SHOWN)[number]>>;

/** The form that adds a host. */
export function AddMember({ group, adding }: { group: GroupWithParents; adding: Filled }) {
  return (
    <form class="inline" method="post" action={groupPath(group.name)}>
      <Field
        filled={adding}
        name="host"
        label="Add host"
        more={suggesting({ id: "field-host", suggest: "/inventory/_retrieve_host_names" })}
      >
        <Suggestions id="field-host" names={[]} />
      </Field>
      <button type="submit">
        <Icon name="plus" /> Add
      </button>
    </form>
  );
}

/** What makes a host a member of the empty group. */
function First({ group: { name, type } }: { group: GroupWithParents }) {
  if (type !== "query") return <a href="#field-host">Add the first host</a>;
  return <a href={`/network/groups/edit/${encodeURIComponent(name)}`}>Change the query</a>;
}

interface MembersProps {
  group: GroupWithParents;
  params: URLSearchParams;
  members: ListJson<MemberRow>;
  mayEdit: boolean;
}

/** Its hosts, page by page. */
export function Members({ group, params, members, mayEdit }: MembersProps) {
  const rows = rowsOf(members);
  const path = groupPath(group.name);
  return (
    <List
      noun="hosts"
      singular="host"
      path={path}
      params={params}
      listed={members}
      rows={rows}
      columns={mayEdit && group.type === "static" ? [...COLUMNS, removeColumn(path)] : COLUMNS}
      empty={
        <div class="empty">
          <Icon name="server" />
          <p>{group.type === "query" ? "No hosts match the query" : "No hosts yet"}</p>
          {mayEdit ? <First group={group} /> : <p class="muted">{whoAdds(host.editors)}</p>}
        </div>
      }
    />
  );
}

export const COLUMNS = columnsOf<MemberRow, Host>(
  host,
  [
    {
      name: "name",
      sortable: true,
      fixed: true,
      cell: ({ name }) => (
        <a class="open" href={hostPath(name)}>
          {name}
        </a>
      ),
    },
    { name: "fqdn", sortable: true, cell: (row) => row.fqdn },
    { name: "device_type", label: "Type", sortable: true },
    { name: "ip", class: "mono", cell: (row) => row.ip.join(" ") },
    { name: "description", sortable: true, cell: (row) => row.description },
  ],
  // Interfaces are shown by their addresses; variables are long.
  ["interfaces", "automation_vars"],
);

function removeColumn(path: string): Column<MemberRow> {
  return {
    name: "remove",
    label: "Remove",
    class: "tight",
    fixed: true,
    cell: ({ name }) => (
      <form method="post" action={path}>
        <input type="hidden" name="remove" value={name} />
        <button type="submit" class="quiet square" aria-label={`Remove ${name}`} title="Remove">
          <Icon name="x" />
        </button>
      </form>
    ),
  };
}
