import { type Domain, type DomainRow, domain } from "../../../src/network/domains/domain.ts";
import type { ListJson } from "../../../src/store/records.ts";
import { confirmAttributes } from "../../layout/confirm.tsx";
import { ListBar } from "../../lists/bulk_bar.tsx";
import { EmptyPicture } from "../../lists/empty_picture.tsx";
import { titleIfCut } from "../../lists/row_link.tsx";
import { Icon } from "../../parts/icon.tsx";
import { type Column, Filters, List, ListHead } from "../../parts/list.tsx";
import { PICK, UPDATED } from "../../parts/list_columns.tsx";
import { columnsOf } from "../../parts/resource_fields.tsx";
import { withParams } from "../../request/url_parameters.ts";
import { DOMAINS, NETWORKS, SCOPES } from "../paths.ts";

export interface DomainListProps {
  params: URLSearchParams;
  listed: ListJson;
  rows: DomainRow[];
  mayEdit: boolean;
  /** The domain whose deletion was refused, and why. */
  refused?: { id: number; message: string };
}

export function DomainsPage(shown: DomainListProps) {
  const { params, mayEdit } = shown;
  return (
    <>
      <ListHead
        title="Domains"
        lead="DNS domains for the full names of hosts"
        path={DOMAINS}
        noun="domain"
        mayAdd={mayEdit}
      />
      <Filters path={DOMAINS} params={params} noun="domains" />
      <DomainList {...shown} />
    </>
  );
}

export function DomainList(shown: DomainListProps) {
  const { params, listed, rows, mayEdit } = shown;
  return (
    <List
      noun="domains"
      singular="domain"
      path={DOMAINS}
      params={params}
      listed={listed}
      rows={rows}
      columns={mayEdit ? [PICK, ...COLUMNS, deleteColumn(shown)] : COLUMNS}
      selected={shown.refused?.id}
      empty={<Empty mayEdit={mayEdit} />}
      bulk={mayEdit && <ListBar path={DOMAINS} {...{ params, listed, rows }} />}
    />
  );
}

function counted(name: "scope_count" | "network_count" | "host_count", path?: string) {
  const cell = (row: DomainRow) => {
    const count = row[name].toLocaleString("en");
    return path ? (
      <a href={`${path}?${new URLSearchParams({ domain: row.name })}`}>{count}</a>
    ) : (
      count
    );
  };
  return { name, sortable: true, class: "number", cell };
}

const COLUMNS = columnsOf<DomainRow, Domain>(
  domain,
  [
    {
      name: "name",
      label: "Domain",
      sortable: true,
      fixed: true,
      cell: ({ name }, inList) => (
        <a
          class={titleIfCut(name) ? "open cut" : "open"}
          href={`${DOMAINS}/view/${name}${inList}`}
          title={titleIfCut(name)}
        >
          {name}
        </a>
      ),
    },
    counted("scope_count", SCOPES),
    counted("network_count", NETWORKS),
    counted("host_count"),
    UPDATED,
    { name: "user", sortable: true },
  ],
  ["scopes", "networks"],
);

function deleteColumn({ refused, params }: DomainListProps): Column<DomainRow> {
  return {
    name: "delete",
    label: "Delete",
    fixed: true,
    class: "tight",
    cell: (row) => (
      <>
        {refused?.id === row.id && (
          <p class="error" role="alert">
            {refused.message}
          </p>
        )}
        <Delete row={row} params={params} />
      </>
    ),
  };
}

function Delete({ row, params }: { row: DomainRow; params: URLSearchParams }) {
  const question = { title: `Delete ${row.name}?`, detail: DETAIL, verb: "Delete" };
  return (
    <form
      method="post"
      action={withParams(`${DOMAINS}/delete`, params, {})}
      {...confirmAttributes(question)}
    >
      <input type="hidden" name="id" value={row.id} />
      <button
        type="submit"
        class="quiet bad square"
        aria-label={`Delete ${row.name}`}
        title="Delete"
      >
        <Icon name="trash" />
      </button>
    </form>
  );
}

export const DETAIL = "Only a domain that no scope or network uses can be deleted.";

function Empty({ mayEdit }: { mayEdit: boolean }) {
  return (
    <div class="empty">
      <EmptyPicture icon="world" />
      <p>No domains yet</p>
      {mayEdit && (
        <a class="button" href={`${DOMAINS}/create`}>
          Add the first domain
        </a>
      )}
    </div>
  );
}
