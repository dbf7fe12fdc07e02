import { type Interface, networkInterface } from "../../../src/network/interfaces/interface.ts";
import type { Offers } from "../../../src/search/suggest/did_you_mean.ts";
import type { ListJson } from "../../../src/store/records.ts";
import { PageHead } from "../../layout/page_head.tsx";
import { ListBar } from "../../lists/bulk_bar.tsx";
import { CellLines } from "../../lists/cell_lines.tsx";
import { filterValue } from "../../lists/choice_filter.tsx";
import { EmptyPicture } from "../../lists/empty_picture.tsx";
import { colourOfName } from "../../lists/pill.tsx";
import { titleIfCut } from "../../lists/row_link.tsx";
import { ApiCall } from "../../parts/api_call.tsx";
import { Copied } from "../../parts/copy.tsx";
import { Icon } from "../../parts/icon.tsx";
import { type Column, Filters, List } from "../../parts/list.tsx";
import { PICK, UPDATED } from "../../parts/list_columns.tsx";
import { columnsOf } from "../../parts/resource_fields.tsx";
import { Typeahead } from "../../parts/typeahead.tsx";
import { HOSTS, hostPath, INTERFACES } from "../paths.ts";

export interface InterfaceListProps {
  params: URLSearchParams;
  listed: ListJson;
  rows: Interface[];
  mayEdit: boolean;
  /** Other queries, if this one found nothing. */
  offers?: Offers;
}

interface InterfacesPageProps extends InterfaceListProps {
  networks: string[];
  domains: string[];
  api: string;
}

const FIELDS = ["network", "domain"] as const;

export function InterfacesPage({ networks, domains, api, ...shown }: InterfacesPageProps) {
  const { params } = shown;
  const filters = {
    network: { names: networks, suggest: "/network/_suggest/filters" },
    domain: { names: domains, suggest: "/network/_retrieve_names/domains" },
  };
  return (
    <>
      <PageHead title="Interfaces" lead="Addresses and names of hosts" />
      <Filters path={INTERFACES} params={params} noun="interfaces">
        {FIELDS.map((name) => (
          <Typeahead
            name={name}
            id={`filter-${name}`}
            label={networkInterface.fields[name].label}
            value={filterValue(params, name)}
            {...filters[name]}
          />
        ))}
      </Filters>
      <InterfaceList {...shown} />
      <ApiCall address={api} />
    </>
  );
}

export function InterfaceList({ params, listed, rows, mayEdit, offers }: InterfaceListProps) {
  return (
    <List
      noun="interfaces"
      singular="interface"
      path={INTERFACES}
      params={params}
      listed={listed}
      rows={rows}
      columns={mayEdit ? [PICK, ...COLUMNS, CHANGE] : COLUMNS}
      fields={FIELDS}
      offers={offers}
      empty={<Empty />}
      bulk={mayEdit && <ListBar path={INTERFACES} {...{ params, listed, rows }} />}
    />
  );
}

const COLUMNS = columnsOf<Interface>(
  networkInterface,
  [
    {
      name: "name",
      label: "Interface",
      sortable: true,
      fixed: true,
      class: "brief",
      cell: ({ id, name, host, is_main }) => (
        <>
          <a class="open" href={`${hostPath(host)}#interface-${id}`} title={titleIfCut(name)}>
            {name}
          </a>{" "}
          {is_main && <span class="tag good">main</span>}
        </>
      ),
    },
    {
      name: "ip",
      label: "IP",
      sortable: true,
      class: "mono",
      cell: ({ ip }) => <Copied text={ip} />,
    },
    {
      name: "mac",
      label: "MAC",
      sortable: true,
      class: "mono",
      cell: ({ mac }) => mac && <Copied text={mac} />,
    },
    { name: "host", sortable: true },
    { name: "network", sortable: true },
    { name: "domain", sortable: true, rare: true },
    {
      name: "cnames",
      cell: ({ cnames }) => <CellLines texts={cnames} />,
    },
    { name: "description", sortable: true, cell: (row) => row.description },
    {
      name: "device_type",
      label: "Type",
      sortable: true,
      rare: true,
      pill: (row) => colourOfName(row.device_type),
    },
    { name: "model", sortable: true, rare: true },
    UPDATED,
    { name: "user", sortable: true, rare: true },
  ],
  ["is_main"],
);

const CHANGE: Column<Interface & { mayWrite?: boolean }> = {
  name: "change",
  label: "Edit",
  class: "tight",
  fixed: true,
  cell: ({ name, mayWrite }) =>
    mayWrite === false ? null : (
      <a class="button quiet square" href={`${INTERFACES}/edit/${name}`} title="Edit">
        <Icon name="pencil" /> <span class="hidden">Edit {name}</span>
      </a>
    ),
};

/** Interfaces are added on the page of the host. */
function Empty() {
  return (
    <div class="empty">
      <EmptyPicture icon="network" />
      <p>No interfaces yet. Add them on the page of a host</p>
      <a class="button" href={HOSTS}>
        Go to hosts
      </a>
    </div>
  );
}
