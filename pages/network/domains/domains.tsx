// The pages of domains: the deletion of one is offered in their list.
import { keyNamed } from "../../../src/input/keys.ts";
import { type Domain, type DomainRow, domain } from "../../../src/network/domains/domain.ts";
import * as domains from "../../../src/network/domains/domains.ts";
import { find, listRows } from "../../../src/store/crud.ts";
import { confirmAttributes } from "../../layout/confirm.tsx";
import { titleIfCut } from "../../lists/row_link.tsx";
import { Field } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { Column } from "../../parts/list.tsx";
import { UPDATED } from "../../parts/list_columns.tsx";
import { columnsOf } from "../../parts/resource_fields.tsx";
import { withParams } from "../../request/url_parameters.ts";
import { type ListHooks, readBy, type ShownList } from "../../resource/list.tsx";
import { ResourcePages } from "../../resource/pages.tsx";
import { standardHooks } from "../../resource/standard.tsx";
import { DOMAINS, NETWORKS, SCOPES } from "../paths.ts";

const list: ListHooks<DomainRow> = {
  lead: "DNS domains for the full names of hosts",
  icon: "world",
  purpose: "The full names of hosts end with a domain, and each scope proposes one to its networks",
  read: readBy(DOMAINS, (caller, params) => listRows(domain, caller, params)),
  columns: (shown) => (shown.mayEdit ? [...COLUMNS, deleteColumn(shown)] : COLUMNS),
};

export const domainPages = new ResourcePages({
  ...standardHooks(domain),
  list,
  form: ({ filled }) => ({
    fields: (
      <Field
        filled={filled}
        name="name"
        hint="Such as lab.example.org; stored in lower case"
        autofocus
      />
    ),
    placed: ["name"],
  }),
  after: () => DOMAINS,
  removal: {
    by: {
      field: "id",
      find: async (caller, text) => {
        const { json, version } = await find(domain, caller, keyNamed(text));
        return { json, version };
      },
    },
    detail: () => DETAIL,
    work: domains.remove,
    isInList: true,
  },
}).routes();

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

function deleteColumn({ refused, params }: ShownList<DomainRow>): Column<DomainRow> {
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

const DETAIL = "Only a domain that no scope or network uses can be deleted.";
