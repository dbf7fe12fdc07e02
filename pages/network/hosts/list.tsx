import { contextOf } from "../../../src/http/request_context.ts";
import type { FilterChoices } from "../../../src/network/hosts/choices.ts";
import { type Host, host } from "../../../src/network/hosts/host.ts";
import type { Offers } from "../../../src/network/hosts/query.ts";
import type { ListJson } from "../../../src/store/records.ts";
import { BulkBar, BulkButtons } from "../../lists/bulk_bar.tsx";
import { CellLines } from "../../lists/cell_lines.tsx";
import { ChoiceFilter, filterValue } from "../../lists/choice_filter.tsx";
import { EmptyPicture } from "../../lists/empty_picture.tsx";
import { colourOfName } from "../../lists/pill.tsx";
import { titleIfCut } from "../../lists/row_link.tsx";
import { ApiCall } from "../../parts/api_call.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Filters, List, ListHead } from "../../parts/list.tsx";
import { PICK, UPDATED } from "../../parts/list_columns.tsx";
import { DidYouMean } from "../../parts/list_hints.tsx";
import { columnsOf } from "../../parts/resource_fields.tsx";
import { Typeahead } from "../../parts/typeahead.tsx";
import { RecordLinks } from "../../records/links.tsx";
import { withParams } from "../../request/url_parameters.ts";
import { HOSTS, hostPath } from "../paths.ts";
import { boxOf, Help, type Query, QuerySummary } from "./query.tsx";

export const PATH = HOSTS;

/** The fields that the list always reads of a host. */
export const SHOWN = [
  ...(["id", "name", "fqdn", "device_type", "is_ioc", "ip", "mac", "network"] as const),
  ...(["automation_groups", "items", "description", "updated_at"] as const),
] as const;

type HostRow = Required<Pick<Host, (typeof SHOWN)[number]>>;

export interface HostListProps {
  params: URLSearchParams;
  /** The parameters of the query that was run: see search() in hosts.tsx. */
  listParams: URLSearchParams;
  listed: ListJson;
  rows: HostRow[];
  mayEdit: boolean;
  query: Query;
  /** Other queries, if this one found nothing. */
  offers?: Offers;
}

interface HostsPageProps extends HostListProps {
  choices: FilterChoices;
  api: string;
}

export function HostsPage({ choices, api, ...shown }: HostsPageProps) {
  const { params, mayEdit } = shown;
  return (
    <>
      <ListHead
        title="Hosts"
        lead="Machines with their names and addresses"
        path={PATH}
        noun="host"
        mayAdd={mayEdit}
      />
      <Filters path={PATH} params={params} noun="hosts" box={boxOf(shown.query)}>
        <Typeahead
          name="network"
          id="filter-network"
          label="Network"
          value={filterValue(params, "network")}
          names={choices.networks}
          suggest="/network/_suggest/filters"
        />
        <ChoiceFilter
          name="device_type"
          label="Any device type"
          params={params}
          options={choices.device_types}
        />
        <ChoiceFilter
          name="is_ioc"
          label="IOCs and others"
          params={params}
          options={Object.keys(IOC)}
          labels={IOC}
        />
      </Filters>
      <QuerySummary query={shown.query} params={params} />
      <Help />
      <HostList {...shown} />
      <ApiCall address={api} />
    </>
  );
}

/** The same list in the API. */
export function apiAddress(request: Request, params: URLSearchParams): string {
  const path = `${contextOf(request).origin}/api/v1${PATH}`;
  return withParams(path, params, { cols: null, selected: null });
}

const IOC = { true: "Only IOCs", false: "Without IOCs" };

/** The list, and the summary of the query as an out-of-band swap. */
export function HostListFragment(shown: HostListProps) {
  return (
    <>
      <HostList {...shown} />
      <QuerySummary query={shown.query} params={shown.params} isBeside />
    </>
  );
}

function HostList({ params, listParams, listed, rows, mayEdit, query, offers }: HostListProps) {
  return (
    <List
      noun="hosts"
      singular="host"
      path={PATH}
      params={params}
      listed={listed}
      rows={rows}
      columns={mayEdit ? [PICK, ...COLUMNS] : COLUMNS}
      fields={["network", "device_type", "is_ioc"]}
      ways={mayEdit && <ImportLink />}
      empty={<Empty mayEdit={mayEdit} />}
      bulk={
        mayEdit && (
          <Bulk params={params} listParams={listParams} total={listed.total} shown={rows.length} />
        )
      }
      hint={
        query.error ? (
          <p>The query is not valid</p>
        ) : (
          offers && <DidYouMean offers={offers} path={PATH} params={params} />
        )
      }
    />
  );
}

function ImportLink() {
  return (
    <a class="button quiet" href={`${PATH}/import`}>
      <Icon name="upload" /> Import
    </a>
  );
}

interface BulkProps {
  params: URLSearchParams;
  listParams: URLSearchParams;
  total: number;
  shown: number;
}

function Bulk(list: BulkProps) {
  return (
    <BulkBar action={`${PATH}/_bulk`} {...list}>
      <GatherButton />
      <BulkButtons path={PATH} />
      <DeleteButton />
    </BulkBar>
  );
}

function GatherButton() {
  return (
    <button type="submit" formaction={`${PATH}/_gather`}>
      <Icon name="users-group" /> Add selected to a group
    </button>
  );
}

function DeleteButton() {
  return (
    <button type="submit" class="quiet bad">
      <Icon name="trash" /> Delete selected
    </button>
  );
}

/** In the order of their DataTables numbers. */
export const COLUMNS = columnsOf<HostRow, Host>(
  host,
  [
    {
      name: "name",
      sortable: true,
      fixed: true,
      class: "brief",
      cell: (row, inList) => <HostName {...row} inList={inList} />,
    },
    { name: "fqdn", sortable: true, rare: true, cell: (row) => row.fqdn },
    {
      name: "device_type",
      label: "Type",
      sortable: true,
      pill: (row) => colourOfName(row.device_type),
    },
    {
      name: "is_ioc",
      sortable: true,
      rare: true,
      cell: (row) => (row.is_ioc ? "Yes" : "No"),
    },
    { name: "ip", class: "mono", cell: (row) => <CellLines texts={row.ip} isCopied /> },
    { name: "mac", class: "mono", cell: (row) => <CellLines texts={row.mac} isCopied /> },
    {
      name: "network",
      cell: (row) => <RecordLinks table="networks" names={[...new Set(row.network)]} />,
    },
    { name: "automation_groups" },
    { name: "items", class: "mono" },
    { name: "description", sortable: true, cell: (row) => row.description },
    UPDATED,
    { name: "user", sortable: true, rare: true },
  ],
  // Interfaces are shown by their addresses; variables are long.
  ["interfaces", "automation_vars"],
);

interface HostNameProps extends Pick<HostRow, "name" | "fqdn" | "is_ioc"> {
  inList: string;
}

/** The name, and what makes it a full one. */
function HostName({ name, fqdn, is_ioc, inList }: HostNameProps) {
  return (
    <>
      <span data-copied>
        <a class="open" href={hostPath(name) + inList} title={titleIfCut(fqdn)}>
          {name}
        </a>
        <span class="muted">{fqdn.slice(name.length)}</span>
      </span>
      {is_ioc && <span class="tag">IOC</span>}
    </>
  );
}

function Empty({ mayEdit }: { mayEdit: boolean }) {
  return (
    <div class="empty">
      <EmptyPicture icon="server" />
      <p>No hosts yet</p>
      {mayEdit && (
        <p class="buttons">
          <a class="button" href={`${PATH}/create`}>
            Add the first host
          </a>
          <a class="button" href={`${PATH}/import`}>
            Import a file
          </a>
        </p>
      )}
    </div>
  );
}
