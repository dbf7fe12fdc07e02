import { type Scope, type ScopeRow, scope } from "../../../src/network/scopes/scope.ts";
import type { ListJson } from "../../../src/store/records.ts";
import { ListBar } from "../../lists/bulk_bar.tsx";
import { EmptyPicture } from "../../lists/empty_picture.tsx";
import { Filters, List, ListHead } from "../../parts/list.tsx";
import { PICK } from "../../parts/list_columns.tsx";
import { columnsOf } from "../../parts/resource_fields.tsx";
import { Share } from "../../parts/usage.tsx";
import { NETWORKS, SCOPES, scopePath } from "../paths.ts";

export interface ScopeListProps {
  params: URLSearchParams;
  listed: ListJson;
  rows: ScopeRow[];
  mayEdit: boolean;
}

export function ScopesPage(shown: ScopeListProps) {
  const { params, mayEdit } = shown;
  return (
    <>
      <ListHead
        title="Scopes"
        lead="VLAN ranges and address blocks for networks"
        path={SCOPES}
        noun="scope"
        mayAdd={mayEdit}
      />
      <Filters path={SCOPES} params={params} noun="scopes" />
      <ScopeList {...shown} />
    </>
  );
}

export function ScopeList({ params, listed, rows, mayEdit }: ScopeListProps) {
  return (
    <List
      noun="scopes"
      singular="scope"
      path={SCOPES}
      params={params}
      listed={listed}
      rows={rows}
      columns={mayEdit ? [PICK, ...COLUMNS] : COLUMNS}
      empty={<Empty mayEdit={mayEdit} />}
      bulk={mayEdit && <ListBar path={SCOPES} {...{ params, listed, rows }} />}
    />
  );
}

const COLUMNS = columnsOf<ScopeRow, Scope>(
  scope,
  [
    {
      name: "name",
      label: "Scope",
      sortable: true,
      fixed: true,
      cell: ({ name }, inList) => (
        <a class="open" href={scopePath(name) + inList}>
          {name}
        </a>
      ),
    },
    {
      name: "first_vlan",
      label: "VLANs",
      sortable: true,
      cell: (row) => `${row.first_vlan} – ${row.last_vlan}`,
    },
    { name: "supernet", sortable: true, class: "mono", cell: (row) => row.supernet },
    { name: "domain", sortable: true },
    {
      name: "count",
      sortable: true,
      class: "number",
      cell: ({ name, count }) => (
        <a href={`${NETWORKS}?scope=${name}`}>{count.toLocaleString("en")}</a>
      ),
    },
    {
      name: "utilisation",
      label: "In use",
      sortable: true,
      cell: (row) => <Share percent={row.utilisation} />,
    },
    { name: "description", sortable: true, cell: (row) => row.description },
  ],
  ["last_vlan", "networks"],
);

function Empty({ mayEdit }: { mayEdit: boolean }) {
  return (
    <div class="empty">
      <EmptyPicture icon="sitemap" />
      <p>No scopes yet</p>
      {mayEdit && (
        <a class="button" href={`${SCOPES}/create`}>
          Add the first scope
        </a>
      )}
    </div>
  );
}
