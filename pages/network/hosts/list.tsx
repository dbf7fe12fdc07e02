// The list of hosts: its search box says how the query was read, and why one is not valid.
import type { Caller } from "../../../src/auth/auth.ts";
import { filterChoices } from "../../../src/network/hosts/choices.ts";
import { type Host, host } from "../../../src/network/hosts/host.ts";
import * as hosts from "../../../src/network/hosts/hosts.ts";
import { offersFor, queryChips } from "../../../src/network/hosts/query.ts";
import { positionIn } from "../../../src/store/crud.ts";
import { recordQuery } from "../../../src/store/resource.ts";
import { withFiles } from "../../files/picture.tsx";
import { BulkBar, BulkButtons } from "../../lists/bulk_bar.tsx";
import { CellLines } from "../../lists/cell_lines.tsx";
import { ChoiceFilter, filterValue } from "../../lists/choice_filter.tsx";
import { colourOfName } from "../../lists/pill.tsx";
import { titleIfCut } from "../../lists/row_link.tsx";
import { choicesIn } from "../../lists/settings.ts";
import { attempt } from "../../parts/forms.tsx";
import { Icon } from "../../parts/icon.tsx";
import { UPDATED } from "../../parts/list_columns.tsx";
import { columnsOf, fieldsToRead } from "../../parts/resource_fields.tsx";
import { Typeahead } from "../../parts/typeahead.tsx";
import { RecordLinks } from "../../records/links.tsx";
import { tableRows } from "../../request/data_table.ts";
import {
  type ListHooks,
  type ListRead,
  listParamsOf,
  type ShownList,
} from "../../resource/list.tsx";
import { HOSTS, hostPath } from "../paths.ts";
import { boxOf, HOST_EXAMPLES, type Query, QuerySummary } from "./query.tsx";

/** The fields that the list always reads of a host. */
const SHOWN = [
  ...(["id", "name", "fqdn", "device_type", "is_ioc", "ip", "mac", "network"] as const),
  ...(["automation_groups", "items", "description", "updated_at"] as const),
] as const;

type HostRow = Required<Pick<Host, (typeof SHOWN)[number]>>;

/** In the order of their DataTables numbers. */
const COLUMNS = columnsOf<HostRow, Host>(
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

const SHOWN_COLUMNS = withFiles<HostRow & Pick<Host, "files" | "picture">>("hosts", COLUMNS);

export const hostList: ListHooks<HostRow> = {
  lead: "Machines with their names and addresses",
  icon: "server",
  read,
  columns: () => SHOWN_COLUMNS,
  filters: async (params, request, caller) => {
    const choices = await choicesIn(request, caller, filterChoices);
    return (
      <>
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
      </>
    );
  },
  fields: ["network", "device_type", "is_ioc"],
  examples: HOST_EXAMPLES,
  hasApi: true,
  hasImport: true,
  ways: ({ mayEdit }) => mayEdit && <ImportLink />,
  bulk: Bulk,
  table: {
    path: "/network/_retrieve_hosts",
    columns: COLUMNS,
    rows: async (caller, table) => {
      const { listParams: params } = await search(caller, table.params);
      return tableRows({ ...table, params }, (wanted) => hosts.list(caller, wanted));
    },
  },
};

const IOC = { true: "Only IOCs", false: "Without IOCs" };

function ImportLink() {
  return (
    <a class="button quiet" href={`${HOSTS}/import`}>
      <Icon name="upload" /> Import
    </a>
  );
}

function Bulk({ params, listParams, listed, rows }: ShownList<HostRow>) {
  return (
    <BulkBar
      action={`${HOSTS}/_bulk`}
      params={params}
      listParams={listParams}
      total={listed.total}
      shown={rows.length}
    >
      <button type="submit" formaction={`${HOSTS}/_gather`}>
        <Icon name="users-group" /> Add selected to a group
      </button>
      <BulkButtons path={HOSTS} />
      <button type="submit" class="quiet bad">
        <Icon name="trash" /> Delete selected
      </button>
    </BulkBar>
  );
}

/** The error of an invalid query is shown beside the search box. */
async function read(caller: Caller, params: URLSearchParams): Promise<ListRead<HostRow>> {
  const tried = await attempt(() => search(caller, params));
  const text = params.get("q") ?? "";
  if ("done" in tried) {
    const { listed, listParams } = tried.done;
    const offers = text !== "" && listed.total === 0 ? await offersFor(caller, text) : undefined;
    const query = { text, chips: queryChips(text) };
    return { listed, listParams, offers, ...searched(query) };
  }
  const { refusal } = tried;
  const error = refusal.errors.find(({ field }) => field === "q");
  if (!error || refusal.errors.length > 1) throw refusal;
  const { syntax } = refusal;
  const query = {
    text,
    chips: [],
    error: { message: error.message, ...(syntax && { syntax }) },
  };
  return {
    status: 422,
    listed: { json: "[]", total: 0, isCounted: true, page: 1, per_page: 20, params },
    listParams: new URLSearchParams(params),
    hint: <p>The query is not valid</p>,
    ...searched(query),
  };
}

/** The search box, and how its text was read. */
function searched(query: Query): Pick<ListRead<HostRow>, "box" | "above"> {
  return {
    box: boxOf(query),
    above: (isBeside) => <QuerySummary query={query} isBeside={isBeside} />,
  };
}

async function search(caller: Caller, params: URLSearchParams) {
  const listParams = listParamsOf(HOSTS, params);
  const names = fieldsToRead(SHOWN, SHOWN_COLUMNS, params);
  return { listed: await hosts.listPicked(caller, names, listParams), listParams };
}

/** The position of a host in the list that these parameters show. */
export function hostPosition(caller: Caller, id: number, params: URLSearchParams) {
  return positionIn(host, recordQuery(host, caller), id, listParamsOf(HOSTS, params));
}
